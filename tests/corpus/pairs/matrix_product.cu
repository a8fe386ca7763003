// Multiplies two matrices, a thread an element of the product. The lanes of the bad kernel have elements of one column,
// so their loads and stores are a row apart. The lanes of the good kernel have elements of one row. The matrices fit
// into L2: the point is what the multiprocessors ask of it.

#include "pair.hpp"

constexpr int size = 1024, launches = 10;

__device__ void product_element(float* c, const float* a, const float* b, int row, int column) {
  float sum = 0;
  for (int k = 0; k < size; ++k) sum += a[row * size + k] * b[k * size + column];
  c[row * size + column] = sum;
}

__global__ void matrix_product_bad(float* c, const float* a, const float* b) {
  product_element(c, a, b, blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
}

__global__ void matrix_product_good(float* c, const float* a, const float* b) {
  product_element(c, a, b, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.x * blockDim.x + threadIdx.x);
}

int main() {
  Array<float> a(size * size), b(a.count()), c(a.count());
  a.fill_below(16);
  b.fill_below(16);
  const dim3 block(32, 8), grid(size / 32, size / 8);
  const auto bad =
      run("matrix_product_bad", launches, c, [&] { matrix_product_bad<<<grid, block>>>(c.get(), a.get(), b.get()); });
  const auto good =
      run("matrix_product_good", launches, c, [&] { matrix_product_good<<<grid, block>>>(c.get(), a.get(), b.get()); });
  return compare(bad, good);
}
