// Scales rows of 993 floats, a block a row. The bad rows follow each other directly, so most begin within a sector and
// every request touches one sector more, partly written. The good rows begin at multiples of 128 bytes.

#include "pair.hpp"

constexpr int rows = 1 << 16, columns = 993, packed_pitch = columns, padded_pitch = 1024, launches = 20;

__device__ void scale_row(float* to, const float* from, int pitch) {
  const std::size_t first = blockIdx.x * std::size_t{1} * pitch;
  for (int column = threadIdx.x; column < columns; column += blockDim.x) to[first + column] = 3 * from[first + column];
}

__global__ void row_pitch_bad(float* to, const float* from) { scale_row(to, from, packed_pitch); }

__global__ void row_pitch_good(float* to, const float* from) { scale_row(to, from, padded_pitch); }

/// The elements of the matrix without what pads its rows.
std::vector<float> elements_of(const std::vector<float>& matrix, int pitch) {
  std::vector<float> elements;
  for (std::size_t first = 0; first < matrix.size(); first += pitch) {
    elements.insert(elements.end(), matrix.begin() + first, matrix.begin() + first + columns);
  }
  return elements;
}

int main() {
  Array<float> packed(std::size_t{rows} * packed_pitch), to_packed(packed.count());
  const Array<float> padded(std::size_t{rows} * padded_pitch), to_padded(padded.count());
  packed.fill_below(1000);
  CHECK(cudaMemset(padded.get(), 0, padded.bytes()));
  CHECK(cudaMemcpy2D(padded.get(), padded_pitch * sizeof(float), packed.get(), packed_pitch * sizeof(float),
                     columns * sizeof(float), rows, cudaMemcpyDeviceToDevice));
  const auto bad =
      run("row_pitch_bad", launches, to_packed, [&] { row_pitch_bad<<<rows, 256>>>(to_packed.get(), packed.get()); });
  const auto good =
      run("row_pitch_good", launches, to_padded, [&] { row_pitch_good<<<rows, 256>>>(to_padded.get(), padded.get()); });
  return compare(bad, elements_of(good, padded_pitch));
}
