#include <algorithm>
#include <optional>
#include <string>

#include "app/calibrate/calibration.hpp"
#include "engine/model/subjects/cluster.hpp"

namespace gpumem::app {

namespace {

/// Returns the bytes per cycle of a sound case of the probe with these values; nullopt if there is none.
std::optional<double> bytes_per_cycle(std::span<const report::Record> records, const char* probe,
                                      std::initializer_list<Parameter> values) {
  for (const report::Record& record : records) {
    if (record.probe != probe || record.headline.quantity != "bytes_per_cycle" || !is_sound(record)) continue;
    const bool is_it =
        std::ranges::all_of(values, [&](const Parameter& value) { return has_value(record, value.name, value.value); });
    const double measured = record.headline.measured.value_or(0);
    if (is_it && measured > 0) return measured;
  }
  return std::nullopt;
}

}  // namespace

CasesOfRates read_cluster_rates(std::span<const report::Record> records, model::Profile& profile) {
  constexpr std::uint64_t two = 2;
  constexpr std::uint64_t sharing = 8;
  constexpr std::uint64_t all_pull = 0;
  const auto pulled = [&](std::uint64_t blocks, const char* from, std::uint64_t pullers, const char* op) {
    return bytes_per_cycle(records, "cluster",
                           {{"cluster_blocks", blocks},
                            {"pull_from", std::string(from)},
                            {"op", std::string(op)},
                            {"pulling_blocks", pullers},
                            {"remote_stride_words", std::uint64_t{1}}});
  };
  CasesOfRates how;
  const auto set = [&](model::RateId rate, std::optional<double> value, const std::string& read_off) {
    if (value) set_rate(rate, *value, read_off, profile, how);
  };
  using model::rate_ids;
  struct Op {
    ClusterTraffic::Move move;
    const char* name;
    std::string words;
  };
  for (const Op& op :
       {Op{ClusterTraffic::Move::read, "read", "reads"}, Op{ClusterTraffic::Move::write, "write", "writes"},
        Op{ClusterTraffic::Move::atomic, "atomic", "atomics"}}) {
    const model::ClusterRates rates = model::rates_of(op.move);
    const auto alone = pulled(sharing, "ring", 1, op.name);
    set(rates.alone_bytes_per_cycle, alone, op.words + " of one block of eight");
    if (const auto each = pulled(sharing, "first", all_pull, op.name)) {
      set(rates.served_bytes_per_cycle, *each * (sharing - 1), op.words + " of seven blocks in the eighth");
    }
    const auto together = pulled(two, "ring", all_pull, op.name);
    if (alone && together && *together < *alone) {
      const std::uint64_t movers = profile.device.multiprocessors / two * two;
      set(rates.all_bytes_per_cycle, static_cast<double>(movers) * model::behind(*alone, *together),
          op.words + " of all blocks in clusters of two");
    }
  }
  // A line through the cycles of small and large tiles gives both rates: bytes per cycle is the inverse of its slope,
  // and the cycles of a step are its value at 0 bytes.
  constexpr std::uint64_t small = 2048;
  constexpr std::uint64_t large = 32768;
  const auto tile_cycles = [&](std::uint64_t tile_bytes) -> std::optional<double> {
    const auto reached = bytes_per_cycle(
        records, "multicast",
        {{"cluster_blocks", sharing}, {"fetched_by", std::string("multicast")}, {"tile_bytes", tile_bytes}});
    if (!reached) return std::nullopt;
    return static_cast<double>(tile_bytes) / *reached;
  };
  const auto of_small = tile_cycles(small);
  const auto of_large = tile_cycles(large);
  if (of_small && of_large && *of_large > *of_small) {
    const std::string words = "copies by multicast in clusters of 8, tiles of 2 and 32 KiB";
    const double rate = static_cast<double>(large - small) / (*of_large - *of_small);
    set(rate_ids.cluster.multicast_bytes_per_cycle, rate, words);
    set(rate_ids.cluster.tile_step_cycles, *of_small - static_cast<double>(small) / rate, words);
  }
  return how;
}

}  // namespace gpumem::app
