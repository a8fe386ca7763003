#pragma once
// The axes of probes as options: for one probe, or for a command that has the axes of all probes.

#include <string>
#include <vector>

#include "app/command_line/interface.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

/// The values that an axis takes, in words: "read, write, copy", "0..1024 elements, or auto".
[[nodiscard]] std::string allowed_values(const Axis& axis);

/// An option for each axis of a probe.
[[nodiscard]] std::vector<OptionEntry> axis_options(const Probe& probe);

/// An option for each flag, whichever probes have it. Flags that select a probe come first. If probes mean different
/// things by a flag and it does not select exactly one of them, its help only names the probes.
[[nodiscard]] std::vector<OptionEntry> axis_options(const std::vector<Probe>& registry);

/// The probe as the command "probe NAME", which has its axes for options and shows how to run it.
[[nodiscard]] CommandEntry probe_entry(const Probe& probe);

}  // namespace gpumem::app
