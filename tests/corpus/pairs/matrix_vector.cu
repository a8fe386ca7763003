// Multiplies a matrix with a vector, a thread a row. The bad matrix is stored by rows, so neighbouring lanes read 4 KB
// apart. The good one is stored by columns, so they read neighbouring elements.

#include "pair.hpp"

constexpr int rows = 1 << 16, columns = 1024, launches = 15;

__global__ void matrix_vector_bad(float* y, const float* by_rows, const float* x) {
  const std::size_t row = index();
  float sum = 0;
  for (int column = 0; column < columns; ++column) sum += by_rows[row * columns + column] * x[column];
  y[row] = sum;
}

__global__ void matrix_vector_good(float* y, const float* by_columns, const float* x) {
  const std::size_t row = index();
  float sum = 0;
  for (int column = 0; column < columns; ++column) sum += by_columns[std::size_t{rows} * column + row] * x[column];
  y[row] = sum;
}

/// Only to store the same matrix the other way.
__global__ void store_by_columns(float* by_columns, const float* by_rows) {
  by_columns[index()] = by_rows[index() % rows * columns + index() / rows];
}

int main() {
  Array<float> by_rows(std::size_t{rows} * columns), by_columns(by_rows.count()), x(columns), y(rows);
  by_rows.fill_below(16);
  x.fill_below(16);
  store_by_columns<<<blocks_for(by_rows.count()), 256>>>(by_columns.get(), by_rows.get());
  const auto bad = run("matrix_vector_bad", launches, y,
                       [&] { matrix_vector_bad<<<rows / 128, 128>>>(y.get(), by_rows.get(), x.get()); });
  const auto good = run("matrix_vector_good", launches, y,
                        [&] { matrix_vector_good<<<rows / 128, 128>>>(y.get(), by_columns.get(), x.get()); });
  return compare(bad, good);
}
