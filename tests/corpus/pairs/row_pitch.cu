// Adds up 16 rows of 7 floats for each item, as an embedding of categories does. The rows are anywhere in a table. The
// bad ones follow each other directly, 28 bytes apart, so most of them lie in two sectors. The good ones are padded to
// 8 floats, and each lies in one sector.

#include <random>

#include "pair.hpp"

constexpr std::size_t table_rows = std::size_t{1} << 23, items = std::size_t{1} << 20;
constexpr int members = 7, rows_per_item = 16, packed_pitch = members, padded_pitch = 8, launches = 15;

__device__ void add_rows(float* to, const float* table, const unsigned* rows, int pitch) {
  const std::size_t item = index() / members, member = index() % members;
  float sum = 0;
  for (int i = 0; i < rows_per_item; ++i) sum += table[rows[item * rows_per_item + i] * pitch + member];
  to[index()] = sum;
}

__global__ void row_pitch_bad(float* to, const float* packed, const unsigned* rows) {
  add_rows(to, packed, rows, packed_pitch);
}

__global__ void row_pitch_good(float* to, const float* padded, const unsigned* rows) {
  add_rows(to, padded, rows, padded_pitch);
}

int main() {
  std::mt19937 random(6);
  std::vector<unsigned> list(items * rows_per_item);
  for (unsigned& row : list) row = random() % table_rows;
  const Array<unsigned> rows(list);
  Array<float> packed(table_rows * packed_pitch), padded(table_rows * padded_pitch), to(items * members);
  packed.fill_below(1000);
  CHECK(cudaMemcpy2D(padded.get(), padded_pitch * sizeof(float), packed.get(), packed_pitch * sizeof(float),
                     members * sizeof(float), table_rows, cudaMemcpyDeviceToDevice));
  constexpr unsigned block_threads = 256, blocks = items * members / block_threads;
  const auto bad = run("row_pitch_bad", launches, to,
                       [&] { row_pitch_bad<<<blocks, block_threads>>>(to.get(), packed.get(), rows.get()); });
  const auto good = run("row_pitch_good", launches, to,
                        [&] { row_pitch_good<<<blocks, block_threads>>>(to.get(), padded.get(), rows.get()); });
  return compare(bad, good);
}
