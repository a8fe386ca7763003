// Simulates fleets, learns bounds from a part of each as `gpumem check --learn` does, and holds the other GPUs to them.
// Prints the table of docs/gpus.md: `gpumem_fleet_criteria`. Ten fleets of 10,000 GPUs in each row, 32 cases a GPU; the
// same numbers every time.
//
// Healthy GPUs differ by 0.3 %, and a GPU's cases by 0.1 % more (standard deviations). A fault is in 1 % of all GPUs:
// one case, drawn for each, is slower by 2, 5 or 10 %. The GPUs to learn from are spread over the fleet. With drift,
// they are its first ones.

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "engine/statistics/criteria.hpp"

namespace {

using gpumem::Better;
using gpumem::measure::Criterion;

constexpr std::size_t gpus = 10'000;
constexpr std::size_t cases = 32;
constexpr std::size_t fleets = 10;
constexpr double false_alarms = 0.001;
constexpr std::array faults = {0.02, 0.05, 0.10};

using Random = std::mt19937_64;

double normal(Random& random, double deviation) { return std::normal_distribution<double>(0, deviation)(random); }
double share(Random& random) { return std::uniform_real_distribution<double>()(random); }

struct Gpu {
  std::array<double, cases> speeds;
  int fault = -1;  // an index into `faults`; -1: healthy
};

/// Returns the usual speed of a healthy GPU by its number.
using Kind = std::function<double(std::size_t number, Random& random)>;

std::vector<Gpu> fleet_of(const Kind& kind, Random& random) {
  std::vector<Gpu> fleet(gpus);
  for (std::size_t number = 0; number < gpus; ++number) {
    Gpu& gpu = fleet[number];
    const double speed = kind(number, random) * (1 + normal(random, 0.003));
    for (double& each : gpu.speeds) each = speed * (1 + normal(random, 0.001));
    if (share(random) >= 0.01) continue;
    gpu.fault = static_cast<int>(3 * share(random));
    gpu.speeds[static_cast<std::size_t>(cases * share(random))] *= 1 - faults[static_cast<std::size_t>(gpu.fault)];
  }
  return fleet;
}

struct Tally {
  std::size_t missed = 0;
  std::size_t all = 0;
};

/// The sums over the fleets of a row.
struct Row {
  double finds = 0;  // of all cases, to be divided
  std::size_t grouped = 0;
  Tally healthy;
  std::array<Tally, faults.size()> faulty;
};

void hold(const std::vector<Gpu>& fleet, const std::vector<bool>& is_learned, Row& row) {
  const double rate = gpumem::measure::rate_of_one(false_alarms, cases);
  std::array<double, cases> bounds{};
  for (std::size_t i = 0; i < cases; ++i) {
    std::vector<double> values;
    for (std::size_t number = 0; number < gpus; ++number) {
      if (is_learned[number]) values.push_back(fleet[number].speeds[i]);
    }
    const Criterion criterion = gpumem::measure::learn_criterion(values, Better::more, rate);
    bounds[i] = criterion.bound;
    row.finds += criterion.finds;
    if (criterion.groups) ++row.grouped;
  }
  for (std::size_t number = 0; number < gpus; ++number) {
    if (is_learned[number]) continue;
    const Gpu& gpu = fleet[number];
    Tally& tally = gpu.fault < 0 ? row.healthy : row.faulty[static_cast<std::size_t>(gpu.fault)];
    ++tally.all;
    if (!std::ranges::equal(gpu.speeds, bounds, std::greater_equal{})) ++tally.missed;
  }
}

void print_row(const std::string& name, const Kind& kind, std::size_t learned, bool first_ones) {
  Row row;
  for (std::size_t seed = 1; seed <= fleets; ++seed) {
    Random random(seed);
    const std::vector<Gpu> fleet = fleet_of(kind, random);
    std::vector<bool> is_learned(gpus);
    for (std::size_t i = 0; i < learned; ++i) is_learned[first_ones ? i : i * (gpus / learned)] = true;
    hold(fleet, is_learned, row);
  }
  constexpr double judged = fleets * cases;
  std::printf("| %s | %zu | %.1f %% | %.0f %% | %zu of %zu |", name.c_str(), learned, 100 * row.finds / judged,
              100 * static_cast<double>(row.grouped) / judged, row.healthy.missed, row.healthy.all);
  for (const Tally& tally : row.faulty) std::printf(" %zu of %zu |", tally.missed, tally.all);
  std::printf("\n");
}

}  // namespace

int main() {
  std::printf(
      "| fleet | learned from | finds | cases in two groups | false alarms | 2 %% slower: found | 5 %% | 10 %% |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  const Kind alike = [](std::size_t, Random&) { return 1.0; };
  const Kind drifting = [](std::size_t number, Random&) { return 1 - 0.01 * static_cast<double>(number) / gpus; };
  // Eight batches, whose speeds lie on a ladder from -0.5 to 0.5 %.
  const Kind batches = [](std::size_t, Random& random) {
    constexpr double count = 8;
    return 1 + 0.01 * (static_cast<double>(static_cast<int>(count * share(random))) / (count - 1) - 0.5);
  };
  const Kind bimodal = [](std::size_t, Random& random) { return share(random) < 0.3 ? 0.96 : 1.0; };
  for (const std::size_t learned : {8U, 16U, 100U, 1000U}) print_row("alike", alike, learned, false);
  for (const std::size_t learned : {16U, 100U, 1000U}) print_row("drifts by 1 %", drifting, learned, true);
  for (const std::size_t learned : {16U, 100U, 1000U}) print_row("eight batches within 1 %", batches, learned, false);
  for (const std::size_t learned : {16U, 100U, 1000U}) print_row("30 % of hosts 4 % slower", bimodal, learned, false);
}
