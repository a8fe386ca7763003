// A program of somebody else's that launches one kernel once, or twice: which one is its argument. Prints a sum of what
// it computed, and the last element, which tell how often the kernel has run.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr std::size_t count = std::size_t{1} << 24U;
constexpr unsigned block = 256;
constexpr unsigned grid = count / block;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(status));
  std::exit(5);
}

__device__ unsigned place() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void copy(unsigned* to, const unsigned* from) { to[place()] = from[place()] + 1; }

/// Each warp takes lanes in turns, so that some requests have few lanes.
__global__ void copy_in_parts(unsigned* to, const unsigned* from) {
  const unsigned i = place();
  if (i % 3 == 0) {
    to[i] = from[i] + 1;
  } else if (i % 3 == 1) {
    to[i] = from[count - 1 - i] + 1;
  } else {
    to[i] = 1;
  }
}

__global__ void reverse_tiles(unsigned* to, const unsigned* from) {
  __shared__ unsigned tile[block];
  tile[threadIdx.x] = from[place()];
  atomicAdd(&tile[threadIdx.x], 1U);
  __syncthreads();
  to[place()] = tile[block - 1 - threadIdx.x];
}

/// Loads in a loop of long rounds.
__device__ void compute_long(unsigned* to, const unsigned* from) {
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned round = 0; round < 64; ++round) {
    unsigned value = from[(place() + round * 4096) % count];
#pragma unroll 1
    for (unsigned step = 0; step < 4096; ++step) value = value * 1664525U + 1013904223U;
    sum += value;
  }
  to[place()] = sum;
}

/// Its first block is not looked at, because it has loops.
__global__ void loop(unsigned* to, const unsigned* from) { compute_long(to, from); }

/// Its first block counts that it has run, which no other block does.
__global__ void loop_and_count(unsigned* to, const unsigned* from) {
  if (place() == 0) to[count - 1] += 1;
  compute_long(to, from);
}

__global__ void increment(unsigned* data) { data[place()] += 1; }

/// All loads lie between stores.
__global__ void add_neighbour(unsigned* data) { data[2 * place()] += data[2 * place() + 1] + 1; }

/// Stores between loads, without loading what it stores to.
__global__ void take_neighbour(unsigned* data) { data[2 * place()] = data[2 * place() + 1] + 1; }

__global__ void add_up(unsigned* counter) { atomicAdd(counter, 1U); }

__global__ void print(unsigned* to) {
  if (place() == 0) std::printf("printed\n");
  to[place()] = 1;
}

__global__ void raise_flag(unsigned* to) {
  volatile unsigned* flags = to;
  flags[place()] = 1;
}

__global__ void store_behind_fence(unsigned* to) {
  to[2 * place()] = 1;
  __threadfence();
  to[2 * place() + 1] = 1;
}

unsigned* zeros() {
  unsigned* data = nullptr;
  check(cudaMalloc(&data, count * sizeof(unsigned)));
  check(cudaMemset(data, 0, count * sizeof(unsigned)));
  return data;
}

std::vector<unsigned> fetched(const unsigned* data) {
  std::vector<unsigned> all(count);
  check(cudaMemcpy(all.data(), data, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  return all;
}

/// Memory of the host that the kernel stores to.
unsigned* mapped() {
  unsigned* data = nullptr;
  check(cudaHostAlloc(&data, count * sizeof(unsigned), cudaHostAllocMapped));
  for (std::size_t i = 0; i < count; ++i) data[i] = 0;
  return data;
}

unsigned* managed() {
  unsigned* data = nullptr;
  check(cudaMallocManaged(&data, count * sizeof(unsigned)));
  for (std::size_t i = 0; i < count; ++i) data[i] = 0;
  return data;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "copy";
  unsigned* from = zeros();
  unsigned* to = mode == "mapped" ? mapped() : mode == "managed" ? managed() : zeros();
  const std::map<std::string, void (*)(unsigned*, unsigned*)> modes = {
      {"copy", [](unsigned* there, unsigned* here) { copy<<<grid, block>>>(there, here); }},
      {"copy-twice",
       [](unsigned* there, unsigned* here) {
         for (unsigned i = 0; i < 2; ++i) copy<<<grid, block>>>(there, here);
       }},
      {"copy-in-parts", [](unsigned* there, unsigned* here) { copy_in_parts<<<grid, block>>>(there, here); }},
      {"reverse-tiles", [](unsigned* there, unsigned* here) { reverse_tiles<<<grid, block>>>(there, here); }},
      {"mapped", [](unsigned* there, unsigned* here) { copy<<<grid, block>>>(there, here); }},
      {"managed", [](unsigned* there, unsigned* here) { copy<<<grid, block>>>(there, here); }},
      {"loop", [](unsigned* there, unsigned* here) { loop<<<1024, block>>>(there, here); }},
      {"loop-twice",
       [](unsigned* there, unsigned* here) {
         for (unsigned i = 0; i < 2; ++i) loop<<<1024, block>>>(there, here);
       }},
      {"loop-and-count", [](unsigned* there, unsigned* here) { loop_and_count<<<1024, block>>>(there, here); }},
      {"increment", [](unsigned* there, unsigned*) { increment<<<grid, block>>>(there); }},
      {"add-neighbour", [](unsigned* there, unsigned*) { add_neighbour<<<grid / 2, block>>>(there); }},
      {"take-neighbour", [](unsigned* there, unsigned*) { take_neighbour<<<grid / 2, block>>>(there); }},
      {"add-up", [](unsigned* there, unsigned*) { add_up<<<grid, block>>>(there); }},
      {"print", [](unsigned* there, unsigned*) { print<<<grid, block>>>(there); }},
      {"raise-flag", [](unsigned* there, unsigned*) { raise_flag<<<grid, block>>>(there); }},
      {"store-behind-fence", [](unsigned* there, unsigned*) { store_behind_fence<<<grid / 2, block>>>(there); }},
  };
  modes.at(mode)(to, from);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  const std::vector<unsigned> all = fetched(to);
  unsigned long long sum = 0;
  for (const unsigned value : all) sum += value;
  std::printf("%s %llu, %u at last\n", mode.c_str(), sum, all.back());
  return 0;
}
