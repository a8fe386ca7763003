// Random patterns of shared-memory access, one warp and one request a launch, for a profiler to count: what settles
// the rule of access::shared_wavefronts. Prints a line of JSON per launch with the prediction, in launch order.
// Run by compare_shared_patterns.py.

#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <functional>
#include <random>

#include "engine/access/request.hpp"
#include "engine/measure/cuda.hpp"

using namespace gpumem;
using access::Op;
using access::WarpRequest;

namespace {

constexpr unsigned shared_bytes = 32768;
constexpr int requests_per_kind = 4;

__device__ unsigned fold(unsigned char word) { return word; }
__device__ unsigned fold(unsigned short word) { return word; }
__device__ unsigned fold(unsigned word) { return word; }
__device__ unsigned fold(uint2 word) { return word.x ^ word.y; }
__device__ unsigned fold(uint4 word) { return word.x ^ word.y ^ word.z ^ word.w; }

}  // namespace

/// Each active lane loads or stores its word, once.
template <class Word>
__global__ void access_pattern(WarpRequest request, bool store, unsigned* result) {
  extern __shared__ uint4 tile[];
  auto* word = reinterpret_cast<Word*>(reinterpret_cast<char*>(tile) + request.address[threadIdx.x]);
  if (!request.lane_active(threadIdx.x)) return;
  if (store) {
    *word = Word{};
    __syncwarp(request.active);
    if (result == nullptr) printf("%p", word);  // never; keeps the store
  } else {
    result[threadIdx.x] = fold(*word);
  }
}

/// Fills the addresses of all lanes, in words; lanes it clears from `active` sit out.
using Kind = std::function<void(std::mt19937& random, std::uint32_t (&word)[32], std::uint32_t& active)>;

static Kind partners_share(unsigned first, unsigned last, unsigned distance) {
  return [=](std::mt19937&, std::uint32_t(&word)[32], std::uint32_t&) {
    for (unsigned lane = first; lane < last; ++lane) word[lane | distance] = word[lane & ~distance];
  };
}

int main() {
  const std::array<std::pair<const char*, Kind>, 10> kinds = {{
      {"random", [](auto&, auto&, auto&) {}},
      {"random lanes out", [](auto& random, auto&, auto& active) { active = random(); }},
      {"neighbours share", partners_share(0, 32, 1)},
      {"second neighbours share", partners_share(0, 32, 2)},
      {"fourth neighbours share", partners_share(0, 32, 4)},
      {"half-warps share", partners_share(0, 32, 16)},
      {"neighbours of one half share", partners_share(0, 16, 1)},
      {"neighbours share, random lanes out",
       [](auto& random, auto& word, auto& active) {
         partners_share(0, 32, 1)(random, word, active);
         active = random();
       }},
      {"even lanes", [](auto&, auto&, auto& active) { active = 0x55555555U; }},
      {"few banks",
       [](auto& random, auto& word, auto&) {
         for (auto& index : word) index = index / 32 * 32 + random() % 3;
       }},
  }};
  const measure::DeviceBuffer result(32 * sizeof(unsigned));
  std::mt19937 random(20261120);
  for (const auto& [name, shape] : kinds) {
    for (const unsigned bytes : {1U, 2U, 4U, 8U, 16U}) {
      for (const bool store : {false, true}) {
        for (int i = 0; i < requests_per_kind; ++i) {
          std::uint32_t word[32];
          const std::uint32_t span = i % 2 == 0 ? shared_bytes / bytes : 1024 / bytes;
          for (auto& index : word) index = random() % span;
          WarpRequest request;
          request.word_bytes = bytes;
          request.active = ~0U;
          shape(random, word, request.active);
          for (unsigned lane = 0; lane < 32; ++lane) request.address[lane] = std::uint64_t{word[lane] % span} * bytes;

          const auto launch = [&](auto kernel) {
            kernel<<<1, 32, shared_bytes>>>(request, store, result.as<unsigned>());
          };
          if (bytes == 1) launch(access_pattern<unsigned char>);
          if (bytes == 2) launch(access_pattern<unsigned short>);
          if (bytes == 4) launch(access_pattern<unsigned>);
          if (bytes == 8) launch(access_pattern<uint2>);
          if (bytes == 16) launch(access_pattern<uint4>);
          measure::check(cudaDeviceSynchronize(), "run a pattern");
          std::printf("{\"kind\": \"%s\", \"op\": \"%s\", \"word_bytes\": %u, \"predicted\": %u}\n", name,
                      store ? "store" : "load", bytes,
                      access::shared_wavefronts(request, store ? Op::store : Op::load));
        }
      }
    }
  }
}
