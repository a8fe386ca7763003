#include "app/calibrate/profile_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/calibrate/calibration.hpp"
#include "app/run/case_records.hpp"
#include "engine/access/request.hpp"
#include "engine/base/error.hpp"
#include "engine/model/rate_fields.hpp"
#include "engine/model/source.hpp"
#include "report/record/cases.hpp"
#include "report/record/fill.hpp"
#include "report/record/readings.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using model::Profile;
using model::rate_ids;
using model::RateField;
using model::Scale;

/// Passes if nothing is wrong.
ProfileCheck judged(const char* name, const std::vector<std::string>& wrong, const std::string& fine) {
  return {.name = name, .passed = wrong.empty(), .said = wrong.empty() ? fine : report::join(wrong, "; ")};
}

/// The values that a rate can have, and what limits them.
struct Range {
  model::RateId rate;
  double least;
  double most;
  std::string_view by;
};

/// The ranges of the rates that the device's attributes limit. Every GPU whose rates are known reaches at least half of
/// the theoretical bandwidth of its memory and link; a third leaves room for a worse GPU.
std::vector<Range> ranges_of(const Profile& profile) {
  constexpr double least_share = 1.0 / 3;
  const Device& device = profile.device;
  std::vector<Range> ranges;
  const auto add = [&](std::initializer_list<model::RateId> rates, double least, double most, const char* by) {
    for (const model::RateId rate : rates) ranges.push_back({rate, least, most, by});
  };
  if (const double memory = device.theoretical_bandwidth_bytes_per_s(); memory > 0) {
    add({rate_ids.dram.read_bytes_per_s, rate_ids.dram.write_bytes_per_s, rate_ids.dram.copy_bytes_per_s},
        memory * least_share, memory, "the memory's theoretical bandwidth");
  }
  // A multiprocessor takes 128 bytes a cycle at most, wherever they come from.
  add({rate_ids.l2.load_sectors_per_s}, profile.rates.dram.read_bytes_per_s / access::sector_bytes,
      device.shared_peak_bytes_per_s() / access::sector_bytes,
      "memory, which it is faster than, and the multiprocessors");
  if (const auto link = device.link_bytes_per_s()) {
    add({rate_ids.link.to_device_bytes_per_s, rate_ids.link.to_host_bytes_per_s, rate_ids.link.write_bytes_per_s},
        *link * least_share, *link, "the link's theoretical bandwidth");
    add({rate_ids.link.both_ways_bytes_per_s, rate_ids.link.copy_bytes_per_s}, *link * least_share, *link * 2,
        "the link's theoretical bandwidth, both ways");
  }
  // Measured rates exceed the true ones by as much as the clock is off.
  constexpr double each_cycle = 1.05;
  add({rate_ids.shared.wavefronts_per_cycle, rate_ids.l1.lines_per_cycle}, least_share, each_cycle, "a cycle");
  // L1 is the part of an array that shared memory leaves. The array is up to a third larger than the largest shared
  // memory.
  const auto shared_bytes = static_cast<double>(device.shared_bytes_per_multiprocessor);
  add({rate_ids.l1.bytes}, shared_bytes / 16, shared_bytes * 3 / 2, "the shared memory of a multiprocessor");
  // block_drain_share is left out: it is a share of a latency, and may be more than 1.
  add({rate_ids.l2.near_share, rate_ids.l2.line_spread_share, rate_ids.link.lone_copy_share,
       rate_ids.nvlink.efficiency},
      0, 1, "the whole that it is a share of");
  return ranges;
}

/// The largest errors allowed for predictions of one kind, in the median and at the 95th percentile.
struct Bounds {
  const char* name;
  double median;
  double p95;
};

/// The relative error of a predicted headline; nullopt if the prediction or the measurement is missing.
std::optional<double> error_of(const report::Record& measured, const Case& tested, const Workload& workload,
                               const Profile& profile) {
  report::Record record = report::record_of(tested);
  add_prediction(record, *tested.probe, workload, profile);
  const auto predicted = report::positive_headline(record, false);
  const auto found = report::positive_headline(measured, true);
  return predicted && found ? std::optional(std::abs(*predicted / *found - 1)) : std::nullopt;
}

}  // namespace

ProfileCheck check_sources(const Profile& profile) {
  std::vector<std::string> wrong;
  for (const auto& [rate, how] : profile.how) {
    if (!model::names_source(profile, rate)) wrong.push_back(fmt::format("{} says '{}'", rate, how));
  }
  return judged("sources", wrong, fmt::format("each of {} rates says how it is known", profile.how.size()));
}

ProfileCheck check_ranges(const Profile& profile) {
  std::vector<std::string> wrong;
  const std::vector<Range> ranges = ranges_of(profile);
  for (const Range& range : ranges) {
    const double value = profile.rates[range.rate];
    if (value >= range.least && value <= range.most) continue;
    wrong.push_back(fmt::format("{} is {:.4g}, expected {:.4g} to {:.4g} by {}", field_of(range.rate).name, value,
                                range.least, range.most, range.by));
  }
  return judged("ranges", wrong, fmt::format("{} rates are what this GPU can do", ranges.size()));
}

ProfileCheck check_latencies(const Profile& profile) {
  struct Step {
    model::RateId nearer;
    model::RateId farther;
  };
  // Equal latencies pass: if L2 has one part only, its far latency is its near one.
  constexpr Step steps[] = {{rate_ids.latency.register_cycles, rate_ids.latency.shared_cycles},
                            {rate_ids.latency.shared_cycles, rate_ids.latency.l1_cycles},
                            {rate_ids.latency.l1_cycles, rate_ids.latency.l2_cycles},
                            {rate_ids.latency.l2_cycles, rate_ids.latency.l2_far_cycles},
                            {rate_ids.latency.l2_far_cycles, rate_ids.latency.memory_cycles},
                            {rate_ids.latency.memory_cycles, rate_ids.latency.host_cycles}};
  std::vector<std::string> wrong;
  for (const auto& [nearer, farther] : steps) {
    if (profile.rates[nearer] <= profile.rates[farther]) continue;
    wrong.push_back(fmt::format("{} is {:.4g}, more than {:.4g} of {}", field_of(nearer).name, profile.rates[nearer],
                                profile.rates[farther], field_of(farther).name));
  }
  return judged("latencies", wrong, "no level of memory answers before a nearer one");
}

ProfileCheck check_scaling(const Profile& profile) {
  // Over all shipped profiles, rates that a GPU determines are at most 3 times off. Rates that its host determines
  // differ more.
  constexpr double of_gpu = 4;
  constexpr double of_host = 20;
  const Profile scaled = model::profile_from_attributes(profile.device);
  std::vector<std::string> wrong;
  std::size_t compared = 0;
  for (const RateField& field : model::rate_fields()) {
    const bool of_no_link = field.scale == Scale::link && !profile.device.link_bytes_per_s();
    if (field.carried || field.measured_only || of_no_link) continue;
    ++compared;
    const bool told_by_gpu = field.scale != Scale::nothing || std::string_view(field.name).ends_with("_cycles");
    const double most = told_by_gpu ? of_gpu : of_host;
    const double times = profile.rates[field.id] / scaled.rates[field.id];
    if (times >= 1 / most && times <= most) continue;
    wrong.push_back(fmt::format("{} is {:.3g} times {:.4g}, which the H200's is when scaled", field.name, times,
                                scaled.rates[field.id]));
  }
  return judged("scaling", wrong, fmt::format("{} rates are near the H200's, scaled", compared));
}

ProfileCheck check_predictions(const Profile& profile, std::span<const model::FitCase> launches,
                               std::span<const report::Report> reports, const std::vector<Probe>& registry) {
  std::vector<double> copies;
  std::vector<double> latencies;
  std::vector<double> loaded_latencies;
  std::vector<double> clusters;
  for (const report::Report& report : reports) {
    for (const report::Record& measured : report.results) {
      if (!is_sound(measured) || !is_read_off(measured.probe)) continue;
      const auto tested = report::case_of(measured, registry);
      if (!tested) continue;
      const Workload workload = describe(*tested, profile.device);
      if (workload.about<Neighbours>())
        continue;  // their headline is the share that a victim keeps, no rate that was read off
      if (const auto error = error_of(measured, *tested, workload, profile)) {
        const auto* chase = workload.about<Chase>();
        const bool is_loaded = chase && chase->traffic_share > 0;
        std::vector<double>& of_its_kind = is_loaded                     ? loaded_latencies
                                           : chase                       ? latencies
                                           : workload.cluster_blocks > 1 ? clusters
                                                                         : copies;
        of_its_kind.push_back(*error);
      }
    }
  }
  std::vector<std::string> wrong;
  std::vector<std::string> fine;
  const auto hold_to = [&](const model::FitErrors& errors, const Bounds& bounds) {
    if (errors.cases == 0) return;
    std::string found =
        fmt::format("{} {}: {} off in the median, {} at the 95th percentile", errors.cases, bounds.name,
                    report::percent_with_tenths(errors.median), report::percent_with_tenths(errors.p95));
    const bool close = errors.median <= bounds.median && errors.p95 <= bounds.p95;
    if (!close) {
      found += fmt::format(", expected at most {} and {}", report::whole_percent(bounds.median),
                           report::whole_percent(bounds.p95));
    }
    (close ? fine : wrong).push_back(std::move(found));
  };
  // The bounds are up to about twice the errors of the H200's reports (docs/method/profiles.md, Checks of a profile).
  hold_to(model::errors_of(launches, profile), {"launches", 0.05, 0.25});
  hold_to(model::errors_of(std::move(copies)), {"copies", 0.05, 0.6});
  hold_to(model::errors_of(std::move(latencies)), {"latencies", 0.05, 0.1});
  hold_to(model::errors_of(std::move(loaded_latencies)), {"loaded latencies", 0.07, 0.2});
  hold_to(model::errors_of(std::move(clusters)), {"clusters", 0.05, 0.25});
  if (fine.empty() && wrong.empty()) wrong.emplace_back("no measured case to predict");
  return judged("predictions", wrong, report::join(fine, "; "));
}

std::vector<ProfileCheck> check_profile(std::string_view json, const std::string& source,
                                        std::span<const model::FitCase> launches,
                                        std::span<const report::Report> reports, const std::vector<Probe>& registry) {
  Profile profile;
  try {
    profile = model::parse_profile(json, source);
  } catch (const Error& error) {
    return {{.name = "schema", .passed = false, .said = error.what()}};
  }
  std::vector<ProfileCheck> checks = {{.name = "schema", .passed = true, .said = "gpumem reads it"},
                                      check_sources(profile),
                                      check_ranges(profile),
                                      check_latencies(profile),
                                      check_scaling(profile)};
  if (!reports.empty()) checks.push_back(check_predictions(profile, launches, reports, registry));
  return checks;
}

}  // namespace gpumem::app
