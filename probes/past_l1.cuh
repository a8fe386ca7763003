#pragma once
// Loads that L2 answers, or what is behind it.

namespace gpumem {

/// Past L1, which would keep a multiprocessor's part of the data to itself. Volatile, to stay where it is.
__device__ inline uint4 load_past_l1(const uint4* address) {
  uint4 word;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(address));
  return word;
}

}  // namespace gpumem
