// Sums each row of a matrix that is stored by rows. In the bad kernel a thread walks along a row, so neighbouring lanes
// read a row apart. In the good one a warp walks along a row together.

#include "pair.hpp"

constexpr int rows = 1 << 17, columns = 640, launches = 15;

__global__ void row_sums_bad(float* sums, const float* matrix) {
  float sum = 0;
  for (int column = 0; column < columns; ++column) sum += matrix[index() * columns + column];
  sums[index()] = sum;
}

__global__ void row_sums_good(float* sums, const float* matrix) {
  const std::size_t row = index() / 32;
  float sum = 0;
  for (int column = threadIdx.x % 32; column < columns; column += 32) sum += matrix[row * columns + column];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x % 32 == 0) sums[row] = sum;
}

int main() {
  Array<float> matrix(std::size_t{rows} * columns), sums(rows);
  matrix.fill_below(1000);
  const auto bad =
      run("row_sums_bad", launches, sums, [&] { row_sums_bad<<<rows / 256, 256>>>(sums.get(), matrix.get()); });
  const auto good =
      run("row_sums_good", launches, sums, [&] { row_sums_good<<<rows / 8, 256>>>(sums.get(), matrix.get()); });
  return compare(bad, good);
}
