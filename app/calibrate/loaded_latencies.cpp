#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/calibrate/calibration.hpp"
#include "engine/model/queueing.hpp"
#include "report/record/cases.hpp"

namespace gpumem::app {

namespace {

/// A load beside traffic of the share `u` waits so many `cycles` longer, and takes so many in all.
struct Wait {
  double share;
  double cycles;
  double in_all;
};

struct Queue {
  double cycles;
  double growth;
};

/// The queue whose errors, as shares of what a load takes in all, have the least sum of squares. For each growth the
/// best cycles are known: the problem is linear in them.
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
      const double unit = wait.share / (1 - growth * wait.share) / wait.in_all;
      with_cycles += unit * wait.cycles / wait.in_all;
      squares += unit * unit;
    }
    const double cycles = with_cycles / squares;
    double errors = 0;
    for (const Wait& wait : waits) {
      const double error = (cycles * wait.share / (1 - growth * wait.share) - wait.cycles) / wait.in_all;
      errors += error * error;
    }
    if (cycles > 0 && (!best || errors < least)) {
      best = Queue{cycles, growth};
      least = errors;
    }
  }
  return best;
}

std::optional<double> number(const report::Record& record, const char* parameter) {
  const Parameter* found = report::find_parameter(record, parameter);
  const auto* value = found == nullptr ? nullptr : std::get_if<std::uint64_t>(&found->value);
  return value == nullptr ? std::nullopt : std::optional(static_cast<double>(*value));
}

bool is_of(const report::Record& record, const std::string& level) {
  const Parameter* found = report::find_parameter(record, "busy_level");
  return record.probe == "loaded-latency" && is_sound(record) && record.headline.measured && found != nullptr &&
         found->value == Value(level);
}

/// Of the cases of a level and a mix, what a load waits beside each traffic that is held back.
std::vector<Wait> waits_of(std::span<const report::Record> records, const std::string& level, double written_percent) {
  constexpr double all_percent = 100;
  std::vector<Wait> waits;
  std::optional<double> idle;
  for (const report::Record& record : records) {
    if (!is_of(record, level) || number(record, "written_percent") != written_percent) continue;
    if (number(record, "traffic_percent") == 0) idle = record.headline.measured;
  }
  for (const report::Record& record : records) {
    if (!idle || !is_of(record, level) || number(record, "written_percent") != written_percent) continue;
    const double traffic = number(record, "traffic_percent").value_or(0);
    const double cycles = *record.headline.measured;
    if (traffic > 0 && traffic < all_percent && cycles > 0)
      waits.push_back({traffic / all_percent, cycles - *idle, cycles});
  }
  return waits;
}

}  // namespace

std::map<std::string, std::string> read_loaded_latencies(std::span<const report::Record> records,
                                                         model::Profile& profile) {
  struct Source {
    const char* level;
    double written_percent;
    model::QueueRates queue;
    const char* beside;
  };
  const Source sources[] = {{"memory", 0, model::memory_queue_of_loads(), "loads of device memory"},
                            {"memory", 50, model::memory_queue_of_both(), "as many stores as loads of device memory"},
                            {"memory", 100, model::memory_queue_of_stores(), "stores to device memory"},
                            {"l2", 0, model::l2_queue(), "loads of data in L2"}};
  std::map<std::string, std::string> how;
  for (const Source& source : sources) {
    const std::vector<Wait> waits = waits_of(records, source.level, source.written_percent);
    const auto queue = fitted(waits);
    if (!queue) continue;
    for (const auto& [rate, value] :
         {std::pair(source.queue.cycles, queue->cycles), std::pair(source.queue.growth, queue->growth)}) {
      profile.rates.*rate = value;
      const auto field = std::ranges::find(model::rate_fields(), rate, &model::RateField::value);
      how[field->name] = fmt::format("chases beside {}, {} shares of what they reach", source.beside, waits.size());
    }
  }
  return how;
}

}  // namespace gpumem::app
