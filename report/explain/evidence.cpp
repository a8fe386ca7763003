#include "report/explain/evidence.hpp"

#include <algorithm>

#include "report/record/cases.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

std::optional<double> either(const Reading& reading) { return reading.counted ? reading.counted : reading.predicted; }

}  // namespace

std::optional<RequestCost> costliest(const Record& record, std::string_view op, const access::Unit& unit) {
  std::optional<RequestCost> worst;
  for (const SiteRecord& site : record.access) {
    if ((!op.empty() && site.op != op) || site.word_bytes == 0) continue;
    const auto each = either(site.per_request(unit.name));
    if (!each || !(*each > 0)) continue;
    const RequestCost cost{*each, unit.least(site.word_bytes), site.word_bytes};
    if (!worst || cost.excess() > worst->excess()) worst = cost;
  }
  return worst;
}

bool Evidence::on_host() const { return std::ranges::any_of(record.access, &SiteRecord::in_host_memory); }

std::optional<double> Evidence::counted(std::optional<double> measure::Counts::*count) const {
  return record.counters ? (*record.counters).*count : std::nullopt;
}

std::optional<double> Evidence::moved_per_useful() const {
  const auto read = counted(&measure::Counts::dram_read_bytes);
  const auto written = counted(&measure::Counts::dram_write_bytes);
  const double useful = record.useful_bytes();
  if (!read || !written || useful <= 0) return std::nullopt;
  return (*read + *written) / useful;
}

std::optional<double> Evidence::unasked_read_bytes() const {
  const auto read = counted(&measure::Counts::dram_read_bytes);
  const auto asked = counted(&measure::Counts::l2_read_sectors);
  if (!read || !asked) return std::nullopt;
  return std::max(0.0, *read - *asked * access::sector_bytes);
}

std::optional<std::uint64_t> Evidence::number(std::string_view parameter) const {
  const Parameter* found = find_parameter(record, parameter);
  const auto* value = found == nullptr ? nullptr : std::get_if<std::uint64_t>(&found->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
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

}  // namespace gpumem::report
