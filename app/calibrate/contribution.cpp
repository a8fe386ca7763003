#include "app/calibrate/contribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "app/run/plan.hpp"
#include "report/read/read_report.hpp"
#include "report/record/cases.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

namespace {

/// True if the record's probe is known, and none of its values is the name of a file.
bool is_shareable(const report::Record& record, const std::vector<Probe>& registry) {
  const auto probe = std::ranges::find(registry, record.probe, &Probe::name);
  return probe != registry.end() && std::ranges::none_of(probe->axes, [&](const Axis& axis) {
           const Parameter* given = report::find_parameter(record, axis.parameter);
           const auto* const text = given == nullptr ? nullptr : std::get_if<std::string>(&given->value);
           return text != nullptr && named_file(axis, *text);
         });
}

}  // namespace

report::Report without_origin(const report::Report& whole, const std::vector<Probe>& registry) {
  // Members are copied one by one, so that a new member is left out until it is named here.
  report::Report report;
  report.tool = whole.tool;
  report.command = {"gpumem"};
  if (whole.command.size() > 1) report.command.push_back(whole.command[1]);
  report.started_at = whole.started_at;
  report.backend = whole.backend;
  if (whole.profile_source == "shipped") report.profile = whole.profile;
  report.profile_source = whole.profile_source;
  report.host = whole.host;
  report.host.name.clear();
  report.device = whole.device;
  report.device->uuid.reset();
  report.devices = {*report.device};
  report.host_placement = whole.host_placement;
  report.watched = whole.watched;
  for (const report::Record& measured : whole.results) {
    if (measured.status != report::Status::ok || !is_shareable(measured, registry)) continue;
    report::Record& record = report.results.emplace_back(measured);
    record.headline.samples.clear();
    if (record.time) record.time->samples.clear();
  }
  return report;
}

std::string contribution_json(const std::string& profile, const report::Report& fitted, const report::Report& held_out,
                              std::span<const ProfileCheck> checks) {
  const auto text_of = [](const report::Report& report) {
    std::ostringstream text;
    report::write_json(text, report);
    return std::move(text).str();
  };
  auto checked = nlohmann::ordered_json::array();
  for (const ProfileCheck& check : checks) {
    checked.push_back({{"name", check.name}, {"passed", check.passed}, {"said", check.said}});
  }
  return fmt::format(
      "{{\n\"schema_version\": 1,\n\"profile\": {},\n"
      "\"reports\": {{\n\"fitted\": {},\n\"held_out\": {}}},\n\"checks\": {}\n}}\n",
      profile, text_of(fitted), text_of(held_out),
      checked.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

bool is_contribution(const JsonReader& json) { return json.is_object() && json.has("profile") && json.has("reports"); }

ContributedReports read_contribution(const JsonReader& json) {
  if (const JsonReader version = json.member("schema_version"); version.whole() != 1) version.fail("1");
  const JsonReader reports = json.member("reports");
  return {.fitted = report::read_report(reports.member("fitted")),
          .held_out = report::read_report(reports.member("held_out"))};
}

}  // namespace gpumem::app
