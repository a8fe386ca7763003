// Sums of rows, a thread a row: neighbouring lanes read elements that are a row apart.
#include "repeat.cuh"

constexpr int rows = 65536;
constexpr int columns = 512;

__global__ void sum_rows(const float* matrix, float* sums) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int group = thread / 32;  // of 32 rows
  const int lane = thread % 32;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += matrix[(group * 32 + lane) * columns + c];
  // cure transpose_through_shared: for (int r = 0; r < 32; ++r) {
  // cure transpose_through_shared:   float part = 0;
  // cure transpose_through_shared:   for (int c = lane; c < columns; c += 32)
  // cure transpose_through_shared:     part += matrix[(group * 32 + r) * columns + c];
  // cure transpose_through_shared:   for (int step = 16; step > 0; step /= 2) part += __shfl_xor_sync(~0U, part, step);
  // cure transpose_through_shared:   if (r == lane) sum += part;
  // cure transpose_through_shared: }
  // cure structure_of_arrays: for (int r = 0; r < 32; ++r) {
  // cure structure_of_arrays:   float part = 0;
  // cure structure_of_arrays:   for (int c = lane; c < columns; c += 32)
  // cure structure_of_arrays:     part += matrix[(group * 32 + r) * columns + c];
  // cure structure_of_arrays:   for (int step = 16; step > 0; step /= 2) part += __shfl_xor_sync(~0U, part, step);
  // cure structure_of_arrays:   if (r == lane) sum += part;
  // cure structure_of_arrays: }
  sums[group * 32 + lane] = sum;
}

int main() {
  const float* matrix = filled<float>(std::size_t{rows} * columns, 8);
  float* sums = nullptr;
  cudaMalloc(&sums, sizeof(float) * rows);
  repeat([&] { sum_rows<<<rows / 256, 256>>>(matrix, sums); });
  checksum(sums, rows);
}
