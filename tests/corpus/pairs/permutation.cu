// Brings an array into another order. The bad kernel stores each element where it belongs, and each store leaves most
// of its sector as it was. The good one knows the inverse permutation, loads from anywhere and stores in order.

#include <numeric>
#include <random>

#include "pair.hpp"

constexpr std::size_t elements = std::size_t{1} << 24;
constexpr int launches = 15;

__global__ void permutation_bad(float* to, const float* from, const unsigned* place) {
  to[place[index()]] = from[index()];
}

__global__ void permutation_good(float* to, const float* from, const unsigned* source) {
  to[index()] = from[source[index()]];
}

int main() {
  std::vector<unsigned> place(elements), source(elements);
  std::iota(place.begin(), place.end(), 0u);
  std::shuffle(place.begin(), place.end(), std::mt19937(5));
  for (unsigned i = 0; i < elements; ++i) source[place[i]] = i;
  const Array<unsigned> of_place(place), of_source(source);
  Array<float> from(elements), to(elements);
  from.fill_below(1 << 20);
  const auto bad = run("permutation_bad", launches, to,
                       [&] { permutation_bad<<<elements / 256, 256>>>(to.get(), from.get(), of_place.get()); });
  const auto good = run("permutation_good", launches, to,
                        [&] { permutation_good<<<elements / 256, 256>>>(to.get(), from.get(), of_source.get()); });
  return compare(bad, good);
}
