#pragma once
// Help texts, laid out the same by every version of CLI11.

#include <CLI/CLI.hpp>
#include <string>

#include "report/record/record.hpp"

namespace gpumem::app {

/// Lays out a command's help in 80 columns: usage, purpose, options in groups, commands, examples.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
};

/// One line: "gpumem 0.1.0 (commit 8405842c1b5e, CUDA 13.0, built by GNU 12.2.0, Release)".
[[nodiscard]] std::string version_line(const report::Tool& tool);

}  // namespace gpumem::app
