#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/calibrate/calibration.hpp"
#include "engine/base/words.hpp"
#include "engine/statistics/straight_line.hpp"
#include "report/record/cases.hpp"

namespace gpumem::app {

namespace {

using measure::Seconds;
using model::rate_ids;

/// One measured copy, or one run of several.
struct Copy {
  double bytes = 0;
  double copies = 1;
  double seconds = 0;
  std::optional<double> round_trip_s = {};
};

bool has(const report::Record& record, const std::string& value) {
  return std::ranges::find(record.parameters, Value(value), &Parameter::value) != record.parameters.end();
}

double number(const report::Record& record, const std::string& parameter) {
  return static_cast<double>(report::number_of(record, parameter).value_or(1));
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::string size(const Copy& copy) { return size_text(static_cast<std::uint64_t>(copy.bytes)); }

std::string pieces(const Copy& copy) { return fmt::format("{:.0f} pieces", copy.copies); }

/// Goes from the plainest copies to those whose rates rest on theirs.
class Reader {
 public:
  Reader(std::span<const report::Record> records, model::Profile& profile) : records_(records), profile_(profile) {
    read_pinned("to-device", rate_ids.link.to_device_bytes_per_s, rate_ids.copy.to_device_s);
    read_pinned("to-host", rate_ids.link.to_host_bytes_per_s, rate_ids.copy.to_host_s);
    read_both_ways();
    read_calls("to-device", rate_ids.copy.to_device_call_s);
    read_calls("to-host", rate_ids.copy.to_host_call_s);
    read_batch();
    read_wait();
    read_pageable();
    read_packing();
  }

  [[nodiscard]] const CasesOfRates& how() const { return how_; }

 private:
  /// The measured cases of a probe with an alternative (host memory of a transfer, way to hand over a batch) in a
  /// direction, by size and then by how many.
  [[nodiscard]] std::vector<Copy> copies_of(const char* probe, const char* alternative,
                                            const std::string& direction) const {
    std::vector<Copy> copies;
    for (const report::Record& record : records_) {
      if (record.probe != probe || record.status != report::Status::ok || !record.time) continue;
      if (!has(record, alternative) || !has(record, direction)) continue;
      Copy& copy = copies.emplace_back(Copy{.bytes = number(record, "size_bytes"),
                                            .copies = number(record, "copies"),
                                            .seconds = record.time->summary.median.count()});
      const auto round_trip_us = report::metric_of(record, "round_trip_us").measured;
      if (round_trip_us) copy.round_trip_s = *round_trip_us * 1e-6;
    }
    std::ranges::sort(copies, {}, [](const Copy& copy) { return std::pair(copy.bytes, copy.copies); });
    return copies;
  }

  /// Takes the reading of a rate, unless noise left nothing of it.
  void set(model::RateId rate, double value, const std::string& how) {
    constexpr double least = 1e-15;  // of seconds: a femtosecond is none
    constexpr double most = 1e18;
    if (value > least && value < most) set_rate(rate, value, how, profile_, how_);
  }

  void read_pinned(const std::string& direction, model::RateId rate, model::RateId fixed) {
    const std::vector<Copy> copies = copies_of("transfer", "pinned", direction);
    std::vector<measure::TimedSize> readings;
    for (const Copy& copy : copies) readings.push_back({copy.bytes, Seconds(copy.seconds)});
    const auto line = measure::fit_linear_cost(readings);
    if (!line) return;
    const std::string how = "the line through pinned copies of " + size(copies.front()) + " to " + size(copies.back());
    set(rate, line->bytes_per_s, how);
    set(fixed, line->fixed.count(), how);
  }

  void read_both_ways() {
    const std::vector<Copy> both = copies_of("transfer", "pinned", "both");
    if (both.empty()) return;
    const Copy& largest = both.back();
    set(rate_ids.link.both_ways_bytes_per_s, 2 * largest.bytes / largest.seconds,
        "pinned copies of " + size(largest) + " each way at once");
    std::vector<double> joins;
    constexpr double small_bytes = 1 << 20;
    for (const Copy& copy : both) {
      if (copy.bytes > small_bytes) continue;
      const double alone = std::max(rates_.copy.to_device_s + copy.bytes / rates_.link.to_device_bytes_per_s,
                                    rates_.copy.to_host_s + copy.bytes / rates_.link.to_host_bytes_per_s);
      joins.push_back(copy.seconds - alone);
    }
    set(rate_ids.host.streams_join_s, median(joins).value_or(0),
        "extra time of copies of up to 1 MiB each way at once over one alone");
  }

  void read_calls(const std::string& direction, model::RateId rate) {
    const std::vector<Copy> copies = copies_of("batching", "separate", direction);
    if (copies.empty() || copies.back().copies < 256) return;
    set(rate, copies.back().seconds / copies.back().copies, "separate copies of " + pieces(copies.back()));
  }

  void read_batch() {
    const std::vector<Copy> copies = copies_of("batching", "batched", "to-device");
    if (copies.empty() || copies.back().copies < 256) return;
    const Copy& most = copies.back();
    set(rate_ids.copy.batched_s, (most.seconds - most.bytes / rates_.link.to_device_bytes_per_s) / most.copies,
        pieces(most) + " handed over in one call");
  }

  void read_wait() {
    std::vector<double> waits;
    for (const auto& [direction, call] :
         {std::pair("to-device", rates_.copy.to_device_call_s), std::pair("to-host", rates_.copy.to_host_call_s)}) {
      for (const Copy& copy : copies_of("transfer", "pinned", direction)) {
        if (copy.round_trip_s) waits.push_back(*copy.round_trip_s - copy.seconds - call);
      }
    }
    set(rate_ids.host.wait_s, median(waits).value_or(0),
        "time of pinned copies that the host sees beyond the copy and the call");
  }

  void read_pageable() {
    const std::vector<Copy> in = copies_of("transfer", "pageable", "to-device");
    const std::vector<Copy> out = copies_of("transfer", "pageable", "to-host");
    if (!in.empty()) {
      set(rate_ids.copy.pageable_s, in.front().seconds - rates_.host.wait_s,
          "a pageable copy of " + size(in.front()) + ", less the wait");
      for (const Copy& copy : in) {
        if (copy.bytes < 1 << 20) continue;
        const bool cached = copy.bytes <= rates_.host.cache_bytes;
        set(cached ? rate_ids.host.staging_cached_to_device_bytes_per_s : rate_ids.host.staging_to_device_bytes_per_s,
            staging(copy, rates_.link.to_device_bytes_per_s), "a pageable copy of " + size(copy) + ", less the link");
      }
    }
    if (!out.empty() && out.back().bytes >= 1 << 20) {
      set(rate_ids.host.staging_to_host_bytes_per_s, staging(out.back(), rates_.link.to_host_bytes_per_s),
          "a pageable copy of " + size(out.back()) + ", less the link");
    }
  }

  [[nodiscard]] double staging(const Copy& copy, double link_bytes_per_s) const {
    const double seconds = copy.seconds - rates_.copy.pageable_s - rates_.host.wait_s;
    return copy.bytes / (seconds - copy.bytes / link_bytes_per_s);
  }

  void read_packing() {
    const std::vector<Copy> copies = copies_of("batching", "packed", "to-device");
    if (copies.size() < 2 || copies.front().copies != 1 || copies.back().bytes != copies.front().bytes) return;
    const Copy& whole = copies.front();
    const Copy& most = copies.back();
    const double copy = rates_.copy.to_device_call_s + rates_.copy.to_device_s + rates_.host.wait_s +
                        whole.bytes / rates_.link.to_device_bytes_per_s;
    set(rate_ids.host.copy_bytes_per_s, whole.bytes / (whole.seconds - copy),
        "packing " + size(whole) + " in one piece, less the copy");
    set(rate_ids.host.copy_piece_s, (most.seconds - whole.seconds) / (most.copies - 1),
        "packing " + size(whole) + " in " + pieces(most) + ", less in one");
  }

  std::span<const report::Record> records_;
  model::Profile& profile_;
  const model::Rates& rates_ = profile_.rates;
  CasesOfRates how_;
};

}  // namespace

CasesOfRates read_copy_rates(std::span<const report::Record> records, model::Profile& profile) {
  return Reader(records, profile).how();
}

}  // namespace gpumem::app
