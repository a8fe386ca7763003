#pragma once
// The abilities of the terminal, pipe or file at the end of a stream, and the line of progress on a terminal.

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

#include "report/write/writers.hpp"

namespace gpumem::app {

struct Terminal {
  bool is_terminal = false;
  unsigned width = 100;           ///< columns; of a pipe or file, which has none, what a table needs to be complete
  unsigned text_width = 80;       ///< of text that can be broken anywhere: the same, but 80 in a pipe or file
  bool color = false;             ///< takes ANSI colours: a terminal, or FORCE_COLOR is set; and NO_COLOR is not
  bool block_characters = false;  ///< a terminal whose locale is UTF-8
};

/// Describes a terminal of `columns` (0: unknown), or a pipe or file, from the environment: COLUMNS, NO_COLOR,
/// FORCE_COLOR, TERM and the locale variables. `variable` returns the value of one, empty if it is not set.
[[nodiscard]] Terminal describe_terminal(bool is_terminal, unsigned columns,
                                         const std::function<std::string(const char* name)>& variable);

/// The process' own stream: 1 is stdout, 2 is stderr.
[[nodiscard]] Terminal inspect_terminal(int file_descriptor);

/// The colours of tables: if the terminal takes them, always, or never.
enum class Color { automatic, always, never };

/// The style of tables on a terminal. They have their bars without colours, too.
[[nodiscard]] report::TableStyle table_style(const Terminal& terminal, Color color);

/// Writes a message to stderr, on one line whatever texts it quotes.
void say(std::ostream& err, const std::string& text);

/// One line on stderr that shows the progress, and leaves nothing behind.
class Progress {
 public:
  /// Shows nothing at all unless `terminal` is one and `enabled`.
  Progress(std::ostream& out, const Terminal& terminal, bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Replaces the line, but not so often that it would cost time. ASCII only: it is cut to the terminal's width.
  void show(const std::string& text);
  /// Takes the line away, so that something else can be written.
  void clear();

 private:
  std::ostream& out_;
  bool enabled_;
  unsigned width_;
  bool visible_ = false;
  std::chrono::steady_clock::time_point shown_at_{};
};

}  // namespace gpumem::app
