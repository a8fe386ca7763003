#include "report/rules/evidence.hpp"

#include <algorithm>

#include "report/record/cases.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

/// Returns the cost of a request: as counted, else as predicted. If the count includes turns taken (see took_turns()),
/// returns the request's own cost.
std::optional<double> cost_of(const Reading& reading, const access::Unit& unit, double least) {
  if (!reading.counted) return reading.predicted;
  const double own = reading.predicted.value_or(least);
  return took_turns(unit.name, *reading.counted, own) ? own : *reading.counted;
}

/// The costliest of a record's sites of `op` ("load", "store" or, for either, empty) whose requests are counted in the
/// unit. Absent if there is none.
std::optional<RequestCost> costliest(const Record& record, std::string_view op, const access::Unit& unit) {
  std::optional<RequestCost> worst;
  for (const SiteRecord& site : record.access) {
    if ((!op.empty() && site.op != op) || site.word_bytes == 0) continue;
    const double least = unit.least(site.word_bytes);
    const auto each = cost_of(site.per_request(unit.name), unit, least);
    if (!each || !(*each > 0)) continue;
    const RequestCost cost{*each, least, site.word_bytes};
    if (!worst || cost.excess() > worst->excess()) worst = cost;
  }
  return worst;
}

std::optional<double> per_useful(const Evidence& e, std::optional<double> first, std::optional<double> second,
                                 double unit_bytes) {
  const double useful = e.record.useful_bytes();
  if (!first || !second || useful <= 0) return std::nullopt;
  return (*first + *second) * unit_bytes / useful;
}

}  // namespace

bool took_turns(std::string_view unit, double counted, double own) {
  constexpr double most =
      1.2;  // on an H200 up to 1.16 is counted of products in tiles, whose requests have no conflicts
  return unit == wavefronts && counted > own && counted < most * own;
}

Evidence evidence_on(const Record& record, std::string_view limit) {
  Evidence evidence{.record = record,
                    .limit = limit,
                    .limit_s = {},
                    .case_s = seconds_of(record),
                    .next = nullptr,
                    .load = costliest(record, "load", access::sectors),
                    .store = costliest(record, "store", access::sectors),
                    .shared = costliest(record, "", access::wavefronts),
                    .better = {}};
  for (const StageRecord& stage : record.stages) {
    const auto seconds = seconds_of(stage);
    if (stage.stage == limit) {
      evidence.limit_s = seconds;
    } else if (seconds && (evidence.next == nullptr || *seconds > *seconds_of(*evidence.next))) {
      evidence.next = &stage;
    }
  }
  return evidence;
}

double work_s(const Evidence& e) {
  double sum = 0;
  for (const StageRecord& stage : e.record.stages) sum += seconds_of(stage).value_or(0);
  return sum;
}

std::optional<double> count_of(const Evidence& e, std::optional<double> measure::Counts::*count) {
  return e.record.counters ? (*e.record.counters).*count : std::nullopt;
}

std::optional<double> moved_per_useful(const Evidence& e) {
  return per_useful(e, count_of(e, &measure::Counts::dram_read_bytes), count_of(e, &measure::Counts::dram_write_bytes),
                    1);
}

bool moves_too_much(const Evidence& e) { return moved_per_useful(e).value_or(0) > beyond_useful; }

std::optional<double> l2_per_useful(const Evidence& e) {
  return per_useful(e, count_of(e, &measure::Counts::l2_read_sectors), count_of(e, &measure::Counts::l2_write_sectors),
                    access::sector_bytes);
}

std::optional<double> asked_per_useful(const Evidence& e) {
  return per_useful(e, count_of(e, &measure::Counts::global_load_sectors),
                    count_of(e, &measure::Counts::global_store_sectors), access::sector_bytes);
}

std::optional<double> unasked_read_bytes(const Evidence& e) {
  const auto read = count_of(e, &measure::Counts::dram_read_bytes);
  const auto asked = count_of(e, &measure::Counts::l2_read_sectors);
  if (!read || !asked) return std::nullopt;
  return std::max(0.0, *read - *asked * access::sector_bytes);
}

std::optional<std::uint64_t> number(const Evidence& e, std::string_view parameter) {
  return number_of(e.record, parameter);
}

}  // namespace gpumem::report
