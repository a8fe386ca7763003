// Launches an empty kernel for so many seconds: empty_launches SECONDS. Prints for each window of half a second how
// long it was, in seconds, and how many launches it had. watched_loops.py runs it alone and watched.

#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void nothing() {}

int main(int argc, char** argv) {
  using Seconds = std::chrono::duration<double>;
  using Clock = std::chrono::steady_clock;
  constexpr unsigned batch = 500;  // so that the queue of launches never fills
  constexpr Seconds width{0.5};
  const Seconds lasts{argc > 1 ? std::atof(argv[1]) : 6};
  cudaFree(nullptr);
  const auto began = Clock::now();
  auto window = began;
  for (unsigned long launches = 0;;) {
    for (unsigned i = 0; i < batch; ++i) nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    launches += batch;
    const auto now = Clock::now();
    if (now - window < width) continue;
    std::printf("%.6f %lu\n", Seconds(now - window).count(), launches);
    launches = 0;
    window = now;
    if (now - began >= lasts) return 0;
  }
}
