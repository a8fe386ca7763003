#pragma once
// Everything that commands use of the world around them. Tests replace it.

#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/command_line/settings.hpp"
#include "app/output/result_outputs.hpp"
#include "app/output/terminal.hpp"
#include "app/run/backend.hpp"
#include "app/run/side_by_side.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

struct Environment {
  const std::vector<Probe>& registry;
  std::ostream& out;  ///< results only
  std::ostream& err;  ///< everything else
  Terminal out_terminal = {};
  Terminal err_terminal = {};
  std::function<std::unique_ptr<Backend>(const MeasureOptions&)> measure = make_cuda_backend;
  /// Measures on several GPUs at the same time; `gpus` have their indices.
  std::function<std::unique_ptr<Backend>(const MeasureOptions&, std::span<const Device> gpus)> measure_side_by_side =
      measure_in_copies;
  /// Predicts for a GPU of the profile, or for GPUs of its node side by side, given by their indices.
  std::function<std::unique_ptr<Backend>(const model::Profile& profile, std::span<const std::uint64_t> gpus)> predict =
      make_model_backend;
  std::function<std::vector<Device>()> gpus = list_gpus;
  std::function<bool()> interrupted = [] { return false; };
  std::vector<std::string> command = {"gpumem"};  ///< argv
  std::istream& in = std::cin;                    ///< a report, where a command is given "-" for its file
  std::filesystem::path own_profiles = {};        ///< the folder of this user's own; empty: there is none
  std::function<Settings()> settings = [] { return Settings(); };  ///< throws if they cannot be read
};

/// This machine: host name, distribution and kernel, processor, memory. Facts that cannot be read stay empty or 0.
[[nodiscard]] report::Host describe_host();

/// Now, RFC 3339 in UTC to the second: "2026-01-31T12:00:00Z".
[[nodiscard]] std::string utc_now();

}  // namespace gpumem::app
