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

/// What a report says of its GPU, and nothing of whose it is: without the names of host, user and files, the command's
/// options, the GPU's UUID, and whatever the user brought or called. Of the cases, those that ran, without samples.
[[nodiscard]] report::Report without_origin(const report::Report& report, const std::vector<Probe>& registry);

/// The file's text. `profile` is the text of a profile's file.
[[nodiscard]] std::string contribution_json(const std::string& profile, const report::Report& fitted,
                                            const report::Report& held_out, std::span<const ProfileCheck> checks);

/// The measurements of a contribution. Its profile and checks are made anew of them, so nobody has to believe those.
struct ContributedReports {
  report::Report fitted;
  report::Report held_out;
};

/// Whether a document means to be a contribution.
[[nodiscard]] bool is_contribution(const JsonReader& json);

/// Throws a usage error for one of another version, and for reports that are none.
[[nodiscard]] ContributedReports read_contribution(const JsonReader& json);

}  // namespace gpumem::app
