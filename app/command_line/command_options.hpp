#pragma once
// The options of one command: declared once, and from the declaration follow parsing, help, completion and the manual.

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/command_line/interface.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

/// Declares options to a command, and reads what was given for them. Targets have to outlive both. Flags are without
/// dashes; one with a short name is written out: "-o,--output". The name of a value says in help, and to completion,
/// what it may be: see choices_of(). In brackets, "[VALUES]", it may be left out, and "[=require]" stands behind an
/// '='.
class CommandOptions {
 public:
  explicit CommandOptions(CLI::App& command) : command_(command) {}
  CommandOptions(const CommandOptions&) = delete;
  CommandOptions& operator=(const CommandOptions&) = delete;

  /// What is declared from now on stands under this heading in help.
  void group(const std::string& heading);
  /// What stands below the options in help.
  void footer(const std::string& text);

  void add_argument(const std::string& value_name, std::optional<std::string>& target, const std::string& help);
  void add_argument(const std::string& value_name, std::vector<std::string>& target, const std::string& help);
  void add_switch(const std::string& flag, bool& target, const std::string& help);
  void add_switch(const std::string& flag, std::function<void()> when_given, const std::string& help);

  /// What makes something of an option's value; throws a usage error.
  using Reader = std::function<void(const std::string& text)>;

  /// An option with a value, of several uses the last. Another option is never taken for the value.
  void add_value(const std::string& flag, const std::string& value_name, Reader read, const std::string& help);
  void add_value(const std::string& flag, const std::string& value_name, std::optional<std::string>& target,
                 const std::string& help);
  /// Every use counts. A use without a value, where it may be left out, is an empty text.
  void add_value(const std::string& flag, const std::string& value_name, std::vector<std::string>& target,
                 const std::string& help);
  /// One of the words of "cuda|model|auto", as the enumerator in its place.
  template <class Enumeration>
  void add_choice(const std::string& flag, const std::string& words, Enumeration& target, const std::string& help) {
    add_value(
        flag, words,
        [flag, words, &target](const std::string& text) {
          target = static_cast<Enumeration>(position_of(text, words, flag));
        },
        help);
  }
  /// --format: one of these.
  void add_format(std::span<const report::NamedFormat> formats, std::optional<report::Format>& target,
                  const std::string& help);

  /// The whole program's declarations, as far as they have been made.
  [[nodiscard]] Interface describe_program(const Known& known) const;

  /// Makes something of what was given, once it has been parsed. Throws a usage error.
  void read();

 private:
  /// Throws a usage error with the nearest word.
  [[nodiscard]] static std::size_t position_of(const std::string& text, const std::string& words,
                                               const std::string& flag);

  CLI::App& command_;
  std::deque<std::string> texts_;  ///< that CLI11 writes to
  std::vector<std::function<void()>> readers_;
};

}  // namespace gpumem::app
