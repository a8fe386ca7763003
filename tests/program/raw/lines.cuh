#pragma once

__device__ inline float inlined(const float* p, int i) {
  return p[i + 1];  // a line of its own
}
