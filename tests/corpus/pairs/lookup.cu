// Looks up keys at random places of a table and takes the value beside the key. The bad table has keys and values in
// two arrays, so each look-up brings two sectors. The good one has them as pairs, so it brings one.

#include "pair.hpp"

struct Entry {
  unsigned key, value;
};

constexpr unsigned entries = 1u << 25, lookups = 1u << 24;
constexpr int launches = 15;

__device__ unsigned wanted(unsigned number) { return scrambled(number) % entries; }

__global__ void lookup_bad(unsigned* to, const unsigned* keys, const unsigned* values) {
  const unsigned key = wanted(static_cast<unsigned>(index()));
  to[index()] = keys[key] == key ? values[key] : 0;
}

__global__ void lookup_good(unsigned* to, const Entry* table) {
  const unsigned key = wanted(static_cast<unsigned>(index()));
  const Entry entry = table[key];
  to[index()] = entry.key == key ? entry.value : 0;
}

int main() {
  std::vector<unsigned> keys(entries), values(entries);
  std::vector<Entry> table(entries);
  for (unsigned i = 0; i < entries; ++i) {
    keys[i] = i % 10 ? i : ~0u;  // one in ten is not there
    values[i] = scrambled(i);
    table[i] = {keys[i], values[i]};
  }
  const Array<unsigned> of_keys(keys), of_values(values), to(lookups);
  const Array<Entry> of_table(table);
  const auto bad = run("lookup_bad", launches, to,
                       [&] { lookup_bad<<<lookups / 256, 256>>>(to.get(), of_keys.get(), of_values.get()); });
  const auto good =
      run("lookup_good", launches, to, [&] { lookup_good<<<lookups / 256, 256>>>(to.get(), of_table.get()); });
  return compare(bad, good);
}
