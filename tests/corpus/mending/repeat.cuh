#pragma once
// Launches a step often enough to be timed, and prints a checksum that a cure must not change.

#include <cstdio>
#include <vector>

template <class Step>
void repeat(const Step& step, int times = 20) {
  for (int i = 0; i < times; ++i) step();
  if (cudaDeviceSynchronize() != cudaSuccess) std::puts("failed");
}

template <class T>
T* filled(std::size_t count, unsigned below) {
  std::vector<T> values(count);
  unsigned state = 1;
  for (T& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<T>((state >> 8U) % below);
  }
  T* device = nullptr;
  cudaMalloc(&device, count * sizeof(T));
  cudaMemcpy(device, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <class T>
void checksum(const T* device, std::size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(i % 17 + 1);
  std::printf("checksum %.6g\n", sum);
}
