// Repeats a computation for each item, for some often and for most not. In the bad kernel the counts of neighbouring
// lanes are at random, and a warp repeats as often as its longest lane. In the good one the items are sorted by count,
// so the lanes of a warp end together.

#include <random>

#include "pair.hpp"

struct Item {
  unsigned start, repeats, number;
};

constexpr unsigned items = 1u << 22;
constexpr int launches = 15;

__device__ unsigned result_of(const Item& item) {
  unsigned word = item.start;
  for (unsigned repeat = 0; repeat < item.repeats; ++repeat) {
    for (int i = 0; i < 8; ++i) word = scrambled(word + repeat);
  }
  return word;
}

__global__ void unsorted_work_bad(unsigned* results, const Item* all) {
  const Item item = all[index()];
  results[item.number] = result_of(item);
}

__global__ void unsorted_work_good(unsigned* results, const Item* all) {
  const Item item = all[index()];
  results[item.number] = result_of(item);
}

int main() {
  std::mt19937 random(4);
  std::vector<Item> all;
  for (unsigned number = 0; number < items; ++number) {
    const double share = (random() + 1.0) / 4294967297.0;
    const unsigned repeats = std::min(256u, static_cast<unsigned>(16 / std::sqrt(share)));
    all.push_back({static_cast<unsigned>(random()), repeats, number});
  }
  const Array<Item> unsorted(all);
  std::stable_sort(all.begin(), all.end(), [](const Item& a, const Item& b) { return a.repeats > b.repeats; });
  const Array<Item> sorted(all);
  const Array<unsigned> results(items);
  const auto bad = run("unsorted_work_bad", launches, results,
                       [&] { unsorted_work_bad<<<items / 256, 256>>>(results.get(), unsorted.get()); });
  const auto good = run("unsorted_work_good", launches, results,
                        [&] { unsorted_work_good<<<items / 256, 256>>>(results.get(), sorted.get()); });
  return compare(bad, good);
}
