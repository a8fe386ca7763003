// Multiplies a sparse matrix, stored by rows of power-law lengths, with a vector. In the bad kernel each thread walks
// its own row: neighbouring lanes read far apart, and a warp waits for its longest row. In the good one a warp walks a
// row together.

#include <random>

#include "pair.hpp"

constexpr int rows = 1 << 18, launches = 15;

__global__ void sparse_matrix_bad(const int* starts, const int* columns, const float* values, const float* x,
                                  float* y) {
  const int row = static_cast<int>(index());
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

__global__ void sparse_matrix_good(const int* starts, const int* columns, const float* values, const float* x,
                                   float* y) {
  const int row = static_cast<int>(index() / 32), lane = threadIdx.x % 32;
  float sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (lane == 0) y[row] = sum;
}

int main() {
  std::mt19937 random(1);
  std::vector<int> starts{0}, columns;
  for (int row = 0; row < rows; ++row) {
    const double share = (random() + 1.0) / 4294967297.0;
    const int length = std::min(2000, static_cast<int>(20 / std::sqrt(share)));
    for (int i = 0; i < length; ++i) columns.push_back(static_cast<int>(random() % rows));
    std::sort(columns.end() - length, columns.end());
    starts.push_back(static_cast<int>(columns.size()));
  }
  const Array<int> of_starts(starts), of_columns(columns);
  Array<float> values(columns.size()), x(rows), y(rows);
  values.fill_below(16);
  x.fill_below(16);
  const auto bad = run("sparse_matrix_bad", launches, y, [&] {
    sparse_matrix_bad<<<rows / 256, 256>>>(of_starts.get(), of_columns.get(), values.get(), x.get(), y.get());
  });
  const auto good = run("sparse_matrix_good", launches, y, [&] {
    sparse_matrix_good<<<rows / 8, 256>>>(of_starts.get(), of_columns.get(), values.get(), x.get(), y.get());
  });
  return compare(bad, good);
}
