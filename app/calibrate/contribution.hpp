#pragma once
// A profile that somebody contributes: one file with the profile, the reports that it was made of, and the checks that
// it passed (report/schema/contribution.schema.json).

#include <span>
#include <string>

#include "app/calibrate/profile_checks.hpp"
#include "engine/base/json_reader.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Returns the report without anything that identifies its origin: no names of host, user or files, no options of the
/// command, no UUID of the GPU, and no probe or profile of the user's own. Keeps only the cases that ran, without
/// samples.
[[nodiscard]] report::Report without_origin(const report::Report& report, const std::vector<Probe>& registry);

/// The file's text. `profile` is the text of a profile's file.
[[nodiscard]] std::string contribution_json(const std::string& profile, const report::Report& fitted,
                                            const report::Report& held_out, std::span<const ProfileCheck> checks);

/// The measurements of a contribution. Its profile and checks are recomputed from them, so nobody has to trust the ones
/// in the file.
struct ContributedReports {
  report::Report fitted;
  report::Report held_out;
};

/// True if the document has the members of a contribution.
[[nodiscard]] bool is_contribution(const JsonReader& json);

/// Throws a usage error for another schema version, and for reports that cannot be read.
[[nodiscard]] ContributedReports read_contribution(const JsonReader& json);

}  // namespace gpumem::app
