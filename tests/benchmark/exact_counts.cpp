// Times exact counts of launches whose every request is evaluated, with patterns that are hard to count. Usage:
// `gpumem_exact_counts [LOG2_ACCESSES [THREADS]]`, by default 28 and one thread for each processor.
//
// `gpumem_exact_counts` on two cores of an EPYC (model 17), -O3, the better of two runs beside other work: affine 0.26
// s, transpose 1.12 s, permutation 1.96 s, stride 3 0.66 s, bytes 1.95 s, 16 GiB 4.35 s, shared 2.65 s, no extent 2.50
// s.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include "engine/access/exact.hpp"

using namespace gpumem::access;

namespace {

unsigned threads = 0;

/// Elements i < accesses at pattern(i), in warps of 32.
template <class Pattern>
Requests launch_of(std::string name, std::uint64_t accesses, unsigned word_bytes, std::uint64_t extent_words,
                   const Pattern& pattern) {
  return {.name = std::move(name),
          .word_bytes = word_bytes,
          .count = accesses / warp_lanes,
          .extent_bytes = extent_words * word_bytes,
          .fill = [=](std::uint64_t first, std::span<WarpRequest> requests) {
            for (std::size_t r = 0; r < requests.size(); ++r) {
              requests[r].active = 0xffff'ffff;
              const std::uint64_t base = (first + r) * warp_lanes;
              for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                requests[r].address[lane] = pattern(base + lane) * word_bytes;
              }
            }
          }};
}

using Clock = std::chrono::steady_clock;

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void time(const Requests& launch) {
  const auto start = Clock::now();
  const double used = processor_seconds();
  const ExactSummary exact = summarise_exactly(launch, {.threads = threads});
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto& [cost, footprint] = exact.summary;
  std::printf("%-12s %6.2f s %6.2f s %12.3f %12.0f %12.0f %12ld\n", launch.name.c_str(), seconds,
              processor_seconds() - used, cost.sectors_per_request, footprint.sectors, footprint.partial_sectors,
              usage.ru_maxrss / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned log2 = argc > 1 ? static_cast<unsigned>(std::clamp(std::atoi(argv[1]), 10, 36)) : 28;
  threads = argc > 2 ? static_cast<unsigned>(std::max(0, std::atoi(argv[2]))) : 0;
  const std::uint64_t n = std::uint64_t{1} << log2;
  const std::uint64_t mask = n - 1;
  const unsigned half = log2 / 2;
  const std::uint64_t columns = std::uint64_t{1} << half;
  // Every step can be undone modulo a power of two, so that it is a permutation.
  const auto hash = [=](std::uint64_t i) {
    i = (i * 0x9e37'79b9'7f4a'7c15) & mask;
    i ^= i >> half;
    i = (i * 0xd6e8'feb8'6659'fd93) & mask;
    return i ^ (i >> half);
  };
  std::printf("%-12s %8s %8s %12s %12s %12s %12s\n", "pattern", "time", "of cores", "per request", "sectors", "partial",
              "MiB so far");
  time(launch_of("affine", n, 4, n, [](std::uint64_t i) { return i; }));
  time(launch_of("transpose", n, 4, n,
                 [=](std::uint64_t i) { return (i & (columns - 1)) * (n / columns) + (i >> half); }));
  time(launch_of("permutation", n, 4, n, hash));
  time(launch_of("stride 3", n, 8, 3 * n, [](std::uint64_t i) { return 3 * i; }));
  time(launch_of("bytes", n, 1, n, hash));
  time(launch_of("16 GiB", n, 4, 16 * n, [=](std::uint64_t i) { return hash(i) * 16 + hash(i) % 13; }));
  Requests shared = launch_of("shared", n, 4, 8192, [=](std::uint64_t i) { return hash(i) % 8192; });
  shared.space = Space::shared;
  time(shared);
  Requests unknown = launch_of("no extent", n, 4, n, hash);
  unknown.extent_bytes = 0;
  time(unknown);
}
