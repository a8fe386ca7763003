// Multiplies a batch of 8 x 8 matrices with vectors, a thread each. In the bad batch each matrix lies in one piece, so
// neighbouring lanes read 256 bytes apart. The good batch is interleaved: the same element of all matrices is together.

#include "pair.hpp"

constexpr int size = 8, batch = 1 << 20, launches = 15;

__global__ void batched_products_bad(float* y, const float* matrices, const float* x) {
  const float* matrix = matrices + index() * size * size;
  for (int row = 0; row < size; ++row) {
    float sum = 0;
    for (int column = 0; column < size; ++column) sum += matrix[row * size + column] * x[index() * size + column];
    y[index() * size + row] = sum;
  }
}

__global__ void batched_products_good(float* y, const float* matrices, const float* x) {
  for (int row = 0; row < size; ++row) {
    float sum = 0;
    for (int column = 0; column < size; ++column) {
      sum += matrices[std::size_t{batch} * (row * size + column) + index()] * x[std::size_t{batch} * column + index()];
    }
    y[std::size_t{batch} * row + index()] = sum;
  }
}

/// Element i of item n, from n * elements + i to i * batch + n.
std::vector<float> interleaved(const std::vector<float>& items) {
  const std::size_t elements = items.size() / batch;
  std::vector<float> to(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) to[i % elements * batch + i / elements] = items[i];
  return to;
}

int main() {
  Array<float> matrices(std::size_t{batch} * size * size), x(std::size_t{batch} * size), y(x.count());
  matrices.fill_below(100);
  x.fill_below(100);
  const Array<float> other_matrices(interleaved(matrices.to_host())), other_x(interleaved(x.to_host()));
  const auto bad = run("batched_products_bad", launches, y,
                       [&] { batched_products_bad<<<batch / 128, 128>>>(y.get(), matrices.get(), x.get()); });
  const auto good = run("batched_products_good", launches, y, [&] {
    batched_products_good<<<batch / 128, 128>>>(y.get(), other_matrices.get(), other_x.get());
  });
  return compare(interleaved(bad), good);
}
