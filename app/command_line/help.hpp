#pragma once
// Help texts, laid out the same by every version of CLI11.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "probes/probe.hpp"

namespace gpumem::app {

/// Lays out a command's help in 80 columns: usage, purpose, options in groups, commands, examples.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
};

/// Whether the flag may stand without a value, in any probe.
[[nodiscard]] bool value_is_optional(const std::string& flag, const std::vector<Probe>& registry);

/// Explains an axis flag: what it varies, which probes have it, what it is by default, and an example. Where probes put
/// it differently, in the words of the one that the flag selects.
[[nodiscard]] std::string axis_help(const std::string& flag, const std::vector<Probe>& registry);

}  // namespace gpumem::app
