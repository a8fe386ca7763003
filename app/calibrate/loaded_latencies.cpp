#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "app/calibrate/calibration.hpp"
#include "engine/model/subjects/queueing.hpp"
#include "report/record/cases.hpp"

namespace gpumem::app {

namespace {

/// Beside traffic of this share, a load takes `in_all` cycles: `cycles` more than without traffic.
struct Wait {
  double share;
  double cycles;
  double in_all;
};

struct Queue {
  double cycles;
  double growth;
};

/// Returns the queue with the least sum of squared errors, each a share of what a load takes in all; nullopt if there
/// are fewer than three waits. The problem is linear in the cycles, so the best cycles for each growth are known.
std::optional<Queue> fitted(const std::vector<Wait>& waits) {
  constexpr std::size_t least_cases = 3;
  constexpr int steps = 1000;
  if (waits.size() < least_cases) return std::nullopt;
  std::optional<Queue> best;
  double least = 0;
  for (int step = 1; step < steps; ++step) {
    const double growth = static_cast<double>(step) / steps;
    double with_cycles = 0;
    double squares = 0;
    for (const Wait& wait : waits) {
      const double unit = model::queue_units(wait.share, growth) / wait.in_all;
      with_cycles += unit * wait.cycles / wait.in_all;
      squares += unit * unit;
    }
    const double cycles = with_cycles / squares;
    double errors = 0;
    for (const Wait& wait : waits) {
      const double error = (cycles * model::queue_units(wait.share, growth) - wait.cycles) / wait.in_all;
      errors += error * error;
    }
    if (cycles > 0 && (!best || errors < least)) {
      best = Queue{cycles, growth};
      least = errors;
    }
  }
  return best;
}

bool is_of(const report::Record& record, const std::string& level, std::uint64_t written_percent) {
  return record.probe == "loaded-latency" && is_sound(record) && record.headline.measured &&
         has_value(record, "busy_level", level) && has_value(record, "written_percent", written_percent);
}

/// Returns the waits of a level and a mix: one for each share of traffic below 100 %. Empty if there is no case without
/// traffic.
std::vector<Wait> waits_of(std::span<const report::Record> records, const std::string& level,
                           std::uint64_t written_percent) {
  constexpr std::uint64_t all_percent = 100;
  std::optional<double> idle;
  std::vector<Wait> waits;
  for (const report::Record& record : records) {
    if (!is_of(record, level, written_percent)) continue;
    const auto percent = report::number_of(record, "traffic_percent");
    if (!percent) continue;
    const double cycles = *record.headline.measured;
    if (*percent == 0) {
      idle = cycles;
    } else if (*percent < all_percent && cycles > 0) {
      waits.push_back({static_cast<double>(*percent) / all_percent, cycles, cycles});
    }
  }
  if (!idle) return {};
  for (Wait& wait : waits) wait.cycles -= *idle;
  return waits;
}

}  // namespace

CasesOfRates read_loaded_latencies(std::span<const report::Record> records, model::Profile& profile) {
  struct Source {
    const char* level;
    std::uint64_t written_percent;
    model::PerRate<model::RateId>::Queue::Of queue;
    const char* beside;
  };
  const Source sources[] = {
      {"memory", 0, model::rate_ids.queue.memory_loads, "loads of device memory"},
      {"memory", 50, model::rate_ids.queue.memory_both, "as many stores as loads of device memory"},
      {"memory", 100, model::rate_ids.queue.memory_stores, "stores to device memory"},
      {"l2", 0, model::rate_ids.queue.l2, "loads of data in L2"}};
  CasesOfRates how;
  for (const Source& source : sources) {
    const std::vector<Wait> waits = waits_of(records, source.level, source.written_percent);
    const auto queue = fitted(waits);
    if (!queue) continue;
    const std::string read_off =
        fmt::format("chases beside {}, {} shares of what they reach", source.beside, waits.size());
    set_rate(source.queue.cycles, queue->cycles, read_off, profile, how);
    set_rate(source.queue.growth, queue->growth, read_off, profile, how);
  }
  return how;
}

}  // namespace gpumem::app
