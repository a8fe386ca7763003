#include <algorithm>
#include <optional>
#include <string>

#include "app/calibrate/calibration.hpp"
#include "report/record/cases.hpp"

namespace gpumem::app {

namespace {

bool has_value(const report::Record& record, const char* parameter, const Value& value) {
  const Parameter* found = report::find_parameter(record, parameter);
  return found != nullptr && found->value == value;
}

/// What one case of a probe measured; absent if no sound record has these values.
std::optional<double> bytes_per_cycle(std::span<const report::Record> records, const char* probe,
                                      std::initializer_list<Parameter> values) {
  for (const report::Record& record : records) {
    if (record.probe != probe || record.headline.quantity != "bytes_per_cycle" || !is_sound(record)) continue;
    const bool is_it = std::ranges::all_of(
        values, [&](const Parameter& value) { return has_value(record, value.name.c_str(), value.value); });
    const double measured = record.headline.measured.value_or(0);
    if (is_it && measured > 0) return measured;
  }
  return std::nullopt;
}

}  // namespace

std::map<std::string, std::string> read_cluster_rates(std::span<const report::Record> records,
                                                      model::Profile& profile) {
  constexpr std::uint64_t few = 2;
  constexpr std::uint64_t many = 16;
  constexpr std::uint64_t sharing = 8;
  const auto pulled = [&](std::uint64_t blocks, const char* from, const char* op) {
    return bytes_per_cycle(records, "cluster",
                           {{"cluster_blocks", blocks},
                            {"pull_from", std::string(from)},
                            {"op", std::string(op)},
                            {"pulling_blocks", std::uint64_t{0}},
                            {"remote_stride_words", std::uint64_t{1}}});
  };
  std::map<std::string, std::string> how;
  const auto set = [&](model::RateMember rate, std::optional<double> value, const char* read_off) {
    if (!value) return;
    const auto field = std::ranges::find(model::rate_fields(), rate, &model::RateField::value);
    if (!(*value >= field->least && *value <= field->most)) return;
    profile.rates.*rate = *value;
    how[field->name] = read_off;
  };
  using model::Rates;
  const auto reads = pulled(few, "ring", "read");
  set(&Rates::cluster_read_bytes_per_cycle, reads, "reads in clusters of 2");
  set(&Rates::cluster_write_bytes_per_cycle, pulled(few, "ring", "write"), "writes in clusters of 2");
  set(&Rates::cluster_atomic_bytes_per_cycle, pulled(few, "ring", "atomic"), "atomics in clusters of 2");
  const auto wide = pulled(many, "ring", "read");
  if (reads && wide) set(&Rates::cluster_wide_share, *wide / *reads, "reads in clusters of 16 over those of 2");
  if (const auto each = pulled(sharing, "first", "read")) {
    set(&Rates::cluster_served_bytes_per_cycle, *each * (sharing - 1), "seven blocks that read from one");
  }
  set(&Rates::multicast_bytes_per_cycle,
      bytes_per_cycle(records, "multicast", {{"cluster_blocks", sharing}, {"fetched_by", std::string("multicast")}}),
      "copies by multicast in clusters of 8");
  return how;
}

}  // namespace gpumem::app
