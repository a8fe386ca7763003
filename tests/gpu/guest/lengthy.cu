// A program of somebody else's whose kernels take long to look at: which one is its argument. Prints what it computed.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr unsigned block = 256;
constexpr std::size_t count = std::size_t{1} << 26U;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(status));
  std::exit(5);
}

/// Loads from places that depend on nothing but the thread and the round.
__global__ void gather(float* data, unsigned rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned place = thread * 2654435761U;
  float sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    place = place * 1664525U + 1013904223U;
    sum += data[count / 2 + (place & (count / 2 - 1))];
  }
  data[thread] += sum + 1;
}

/// Each block waits for the one before it.
__global__ void in_turn(float* data, unsigned* done, unsigned rounds) {
  __shared__ unsigned before;
  if (threadIdx.x == 0) {
    volatile unsigned* flags = done;
    before = 0;
    while (blockIdx.x > 0 && before == 0) before = flags[blockIdx.x - 1];
    flags[blockIdx.x] = before + 1;
  }
  __syncthreads();
  float sum = 0;
  for (unsigned round = 0; round < rounds; ++round) sum += data[count / 2 + (threadIdx.x + round * 977) % (count / 2)];
  data[blockIdx.x * block + threadIdx.x] += sum + static_cast<float>(before);
}

__global__ void add(float* data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

/// Each round of a launch of so many blocks.
void launch_gathers(float* data, unsigned blocks, unsigned rounds) { gather<<<blocks, block>>>(data, rounds); }

void in_many_grids(float* data) {
  for (unsigned round = 0; round < 100; ++round) {
    for (unsigned blocks = 1; blocks <= 512; ++blocks) add<<<blocks, block>>>(data);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "gather";
  float* data = nullptr;
  unsigned* done = nullptr;
  check(cudaMalloc(&data, count * sizeof(float)));
  check(cudaMalloc(&done, count / block * sizeof(unsigned)));
  check(cudaMemset(data, 0, count * sizeof(float)));
  check(cudaMemset(done, 0, count / block * sizeof(unsigned)));
  const std::map<std::string, void (*)(float*, unsigned*)> modes = {
      {"gather", [](float* all, unsigned*) { launch_gathers(all, 100'000, 20); }},
      {"second-of-gathers", [](float* all, unsigned*) { launch_gathers(all, 100'000, 1400); }},
      {"second-in-one-wave", [](float* all, unsigned*) { launch_gathers(all, 1056, 130'000); }},
      {"in-turn", [](float* all, unsigned* flags) { in_turn<<<100'000, block>>>(all, flags, 2000); }},
      {"grids", [](float* all, unsigned*) { in_many_grids(all); }},
  };
  modes.at(mode)(data, done);
  std::vector<float> result(count / 2);
  check(cudaMemcpy(result.data(), data, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (std::size_t i = 0; i < result.size(); ++i) sum += static_cast<double>(result[i]) * static_cast<double>(i % 977);
  std::printf("%s %.17g\n", mode.c_str(), sum);
  return 0;
}
