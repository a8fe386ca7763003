// Reads elements of a table in the order of a list of indices. The bad list is in random order, so each element brings
// a sector of its own. The good list has the same indices sorted, so neighbouring lanes share sectors.

#include <numeric>
#include <random>

#include "pair.hpp"

constexpr std::size_t table_elements = std::size_t{1} << 25, indices = std::size_t{1} << 24;
constexpr int launches = 15;

__global__ void gather_bad(float* to, const float* table, const unsigned* list) { to[index()] = table[list[index()]]; }

__global__ void gather_good(float* to, const float* table, const unsigned* list) { to[index()] = table[list[index()]]; }

/// The order of the results differs, the results do not.
std::vector<double> sum_of(const std::vector<float>& results) {
  return {std::accumulate(results.begin(), results.end(), 0.0)};
}

int main() {
  std::mt19937 random(2);
  std::vector<unsigned> list(indices);
  for (unsigned& place : list) place = random() % table_elements;
  const Array<unsigned> at_random(list);
  std::sort(list.begin(), list.end());
  const Array<unsigned> sorted(list);
  Array<float> table(table_elements), to(indices);
  table.fill_below(1000);
  const auto bad = run("gather_bad", launches, to,
                       [&] { gather_bad<<<indices / 256, 256>>>(to.get(), table.get(), at_random.get()); });
  const auto good = run("gather_good", launches, to,
                        [&] { gather_good<<<indices / 256, 256>>>(to.get(), table.get(), sorted.get()); });
  return compare(sum_of(bad), sum_of(good));
}
