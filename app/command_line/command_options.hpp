#pragma once
// The options of one command, declared once: parsing, help, completion and the manual follow from the declaration.

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/command_line/interface.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

/// Declares the options of a command, and reads the values given for them. Targets must outlive both. Flags have no
/// dashes; a flag with a short name is written out: "-o,--output". The name of a value tells help and completion what
/// the value may be: see choices_of(). A value named in brackets, "[VALUES]", may be left out; a value named
/// "[=require]" has to follow an '='.
class CommandOptions {
 public:
  explicit CommandOptions(CLI::App& command) : command_(command) {}
  CommandOptions(const CommandOptions&) = delete;
  CommandOptions& operator=(const CommandOptions&) = delete;

  /// Lists the options declared from now on under this heading of help.
  void group(const std::string& heading);
  /// Sets the text below the options in help.
  void footer(const std::string& text);

  void add_argument(const std::string& value_name, std::optional<std::string>& target, const std::string& help);
  void add_argument(const std::string& value_name, std::vector<std::string>& target, const std::string& help);
  void add_switch(const std::string& flag, bool& target, const std::string& help);
  void add_switch(const std::string& flag, std::function<void()> when_given, const std::string& help);

  /// Converts the text of an option's value and stores it; throws a usage error.
  using Reader = std::function<void(const std::string& text)>;

  /// An option with a value. If it is used several times, the last use counts. Another option is never taken for the
  /// value.
  void add_value(const std::string& flag, const std::string& value_name, Reader read, const std::string& help);
  void add_value(const std::string& flag, const std::string& value_name, std::optional<std::string>& target,
                 const std::string& help);
  /// Every use counts. A use without a value, where it may be left out, adds an empty text.
  void add_value(const std::string& flag, const std::string& value_name, std::vector<std::string>& target,
                 const std::string& help);
  /// One of the words of "cuda|model|auto". Stores the enumerator at the same position.
  template <class Enumeration>
  void add_choice(const std::string& flag, const std::string& words, Enumeration& target, const std::string& help) {
    add_value(
        flag, words,
        [flag, words, &target](const std::string& text) {
          target = static_cast<Enumeration>(position_of(text, words, flag));
        },
        help);
  }
  /// The option --format, which takes the name of one of these.
  void add_format(std::span<const report::NamedFormat> formats, std::optional<report::Format>& target,
                  const std::string& help);

  /// All declarations of the program made so far.
  [[nodiscard]] Interface describe_program(const KnownNames& known) const;

  /// Reads the values given, once the command line has been parsed. The words behind the mark, which CLI11 has not
  /// seen, go to the argument that is somebody else's command line. Throws a usage error.
  void read(const std::vector<std::string>& behind_the_mark);

 private:
  /// Throws a usage error that suggests the nearest word.
  [[nodiscard]] static std::size_t position_of(const std::string& text, const std::string& words,
                                               const std::string& flag);

  CLI::App& command_;
  std::deque<std::string> texts_;                       ///< that CLI11 writes to
  std::vector<std::string>* others_command_ = nullptr;  ///< the argument behind the mark; null if there is none
  std::vector<std::function<void()>> readers_;
};

}  // namespace gpumem::app
