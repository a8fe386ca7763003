#pragma once
// One line on stderr that says what is going on, and leaves nothing behind.

#include <chrono>
#include <iosfwd>
#include <string>

#include "app/output/terminal.hpp"

namespace gpumem::app {

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
