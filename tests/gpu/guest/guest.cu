// A program of somebody else's, to be watched: what it does is its argument. Prints what it computed and ends with exit
// code 3 unless it is about another end.

#include <cooperative_groups.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t count = std::size_t{1} << 20U;
constexpr unsigned block = 256;
constexpr unsigned grid = count / block;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(status));
  std::exit(5);
}

__global__ void add(float* data, float value) { data[blockIdx.x * blockDim.x + threadIdx.x] += value; }

__global__ void together(float* data) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) data[i] += 1;
  cooperative_groups::this_grid().sync();
}

/// As many threads as a block may have: with what a patch takes they have to fit all the same.
__global__ void __launch_bounds__(1024) swap(float* data) {
  __shared__ float tile[1024];
  float* own = data + blockIdx.x * blockDim.x;
  tile[threadIdx.x] = own[threadIdx.x];
  __syncthreads();
  own[threadIdx.x] = tile[threadIdx.x ^ 1U];
}

__global__ void column(float* to, const float* from) {
  constexpr unsigned width = 1024;
  to[blockIdx.x * width + threadIdx.x] = from[threadIdx.x * width + blockIdx.x];
}

/// Adds to shared memory through a pointer that may as well lead to `data`.
__global__ void through_pointer(float* data, bool far) {
  __shared__ float near[block];
  near[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd((far ? data : near) + (threadIdx.x ^ 1U), 1.0F);
  __syncthreads();
  data[blockIdx.x * block + threadIdx.x] = near[threadIdx.x];
}

float* data_of_zeros() {
  float* data = nullptr;
  check(cudaMalloc(&data, count * sizeof(float)));
  check(cudaMemset(data, 0, count * sizeof(float)));
  return data;
}

void in_streams_of_threads(float*) {
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 8; ++k) {
    threads.emplace_back([k] {
      cudaStream_t stream = cudaStreamPerThread;
      if (k > 0) check(cudaStreamCreateWithFlags(&stream, k % 2 == 0 ? cudaStreamDefault : cudaStreamNonBlocking));
      float* own = data_of_zeros();
      for (unsigned i = 0; i < 100; ++i) {
        add<<<grid, block, 0, stream>>>(own, static_cast<float>(k));
        swap<<<64 + k, 1024, 0, stream>>>(own);
      }
      check(cudaStreamSynchronize(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void in_a_graph(float* data) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (unsigned i = 0; i < 10; ++i) add<<<grid, block, 0, stream>>>(data, 1);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  for (unsigned i = 0; i < 50; ++i) check(cudaGraphLaunch(executable, stream));
  check(cudaStreamSynchronize(stream));
}

cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

/// Nodes of all kinds that can be launched by themselves, in a graph that is changed between replays.
void in_a_graph_of_parts(float* data) {
  cudaStream_t stream = nullptr;
  cudaStream_t side = nullptr;
  cudaEvent_t begun = nullptr;
  cudaEvent_t done = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamCreate(&side));
  check(cudaEventCreate(&begun));
  check(cudaEventCreate(&done));
  float* other = data_of_zeros();
  static unsigned calls = 0;
  float ten = 10;  // pageable

  cudaGraph_t inner = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  swap<<<64, 1024, 0, stream>>>(data);
  swap<<<64, 1024, 0, stream>>>(data);
  check(cudaStreamEndCapture(stream, &inner));

  cudaGraph_t graph = nullptr;
  check(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first = nullptr;
  float one = 1;
  void* arguments[] = {&data, &one};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(grid);
  kernel.blockDim = dim3(block);
  kernel.kernelParams = arguments;
  check(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
  cudaGraphNode_t child = nullptr;
  check(cudaGraphAddChildGraphNode(&child, graph, &first, 1, inner));
  cudaGraphNode_t copy = nullptr;
  check(cudaGraphAddMemcpyNode1D(&copy, graph, &child, 1, other, &ten, sizeof(ten), cudaMemcpyHostToDevice));
  cudaGraphNode_t set = nullptr;
  cudaMemsetParams zeros{};
  zeros.dst = other + 1;
  zeros.elementSize = 4;
  zeros.width = 100;
  zeros.height = 1;
  check(cudaGraphAddMemsetNode(&set, graph, &copy, 1, &zeros));
  cudaGraphNode_t host = nullptr;
  cudaHostNodeParams call{[](void* count_of) { ++*static_cast<unsigned*>(count_of); }, &calls};
  check(cudaGraphAddHostNode(&host, graph, &set, 1, &call));
  cudaGraphNode_t record = nullptr;
  check(cudaGraphAddEventRecordNode(&record, graph, &host, 1, done));
  cudaGraphNode_t last = nullptr;
  void* of_other[] = {&other, &one};
  kernel.kernelParams = of_other;
  check(cudaGraphAddKernelNode(&last, graph, &record, 1, &kernel));

  cudaGraphExec_t executable = instantiated(graph);
  for (unsigned i = 0; i < 12; ++i) {
    one = static_cast<float>(i);
    kernel.kernelParams = arguments;
    check(cudaGraphExecKernelNodeSetParams(executable, first, &kernel));
    ten = static_cast<float>(10 * i);
    check(cudaGraphLaunch(executable, i % 2 == 0 ? stream : side));
    check(cudaDeviceSynchronize());
  }
  one = 100;
  check(cudaGraphKernelNodeSetParams(first, &kernel));
  cudaGraphExecUpdateResultInfo info{};
  check(cudaGraphExecUpdate(executable, graph, &info));
  check(cudaGraphDestroy(graph));
  for (unsigned i = 0; i < 12; ++i) check(cudaGraphLaunch(executable, stream));
  check(cudaStreamSynchronize(stream));
  float of_others = 0;
  check(cudaMemcpy(&of_others, other, sizeof(of_others), cudaMemcpyDeviceToHost));
  check(cudaGraphExecDestroy(executable));
  std::printf("%u calls, %g\n", calls, static_cast<double>(of_others));
}

__global__ void go_on(cudaGraphConditionalHandle handle, float* data) {
  data[0] += 1;
  cudaGraphSetConditional(handle, data[0] < 100 ? 1 : 0);
}

/// Graphs that run as a whole only: one allocates memory, one has a loop.
void in_whole_graphs(float* data) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  float* own = nullptr;
  check(cudaMallocAsync(reinterpret_cast<void**>(&own), count * sizeof(float), stream));
  add<<<grid, block, 0, stream>>>(own, 1);
  check(cudaFreeAsync(own, stream));
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = instantiated(graph);
  for (unsigned i = 0; i < 20; ++i) check(cudaGraphLaunch(executable, stream));

  cudaGraph_t loop = nullptr;
  check(cudaGraphCreate(&loop, 0));
  cudaGraphConditionalHandle handle = 0;
  check(cudaGraphConditionalHandleCreate(&handle, loop, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeWhile;
  parameters.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
  check(cudaGraphAddNode(&node, loop, nullptr, nullptr, 0, &parameters));
#else
  check(cudaGraphAddNode(&node, loop, nullptr, 0, &parameters));
#endif
  cudaGraph_t body = parameters.conditional.phGraph_out[0];
  cudaGraphNode_t step = nullptr;
  void* arguments[] = {&handle, &data};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(go_on);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  check(cudaGraphAddKernelNode(&step, body, nullptr, 0, &kernel));
  cudaGraphExec_t looping = instantiated(loop);
  for (unsigned i = 0; i < 20; ++i) check(cudaGraphLaunch(looping, stream));
  check(cudaStreamSynchronize(stream));
}

void cooperatively(float* data) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, together, block, 0));
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  void* arguments[] = {&data};
  const auto all = static_cast<unsigned>(blocks * multiprocessors);
  for (unsigned i = 0; i < 20; ++i) {
    check(
        cudaLaunchCooperativeKernel(reinterpret_cast<void*>(together), dim3(all), dim3(block), arguments, 0, nullptr));
  }
}

void some_launches(float* data) {
  for (unsigned i = 0; i < 50; ++i) add<<<grid, block>>>(data, 1);
  check(cudaDeviceSynchronize());
}

void by_columns(float* data) {
  float* to = data_of_zeros();
  for (unsigned i = 0; i < 20; ++i) column<<<1024, 1024>>>(to, data);
}

/// Each round has a context of its own.
void with_resets(float*) {
  float sum = 0;
  for (unsigned round = 0; round < 3; ++round) {
    float* data = data_of_zeros();
    for (unsigned i = 0; i < 5; ++i) add<<<grid, block>>>(data, 1);
    check(cudaDeviceSynchronize());
    float first = 0;
    check(cudaMemcpy(&first, data, sizeof(first), cudaMemcpyDeviceToHost));
    sum += first;
    check(cudaDeviceReset());
  }
  std::printf("reset %g\n", static_cast<double>(sum));
  std::exit(3);
}

/// Kernels that were not loaded before find 2 MiB of the GPU's memory.
void with_little_memory(float* data) {
  constexpr std::size_t left = std::size_t{2} << 20U;
  std::size_t available = 0;
  std::size_t all = 0;
  for (std::size_t step = std::size_t{1} << 30U; step >= left / 2;) {
    void* taken = nullptr;
    check(cudaMemGetInfo(&available, &all));
    if (available < left + step || cudaMalloc(&taken, step) != cudaSuccess) step /= 2;
  }
  static_cast<void>(cudaGetLastError());
  for (unsigned i = 0; i < 5; ++i) {
    add<<<grid, block>>>(data, 1);
    check(cudaGetLastError());
    swap<<<64, 1024>>>(data);
    check(cudaGetLastError());
  }
}

__global__ void spin(long long cycles) {
  for (const long long begin = clock64(); clock64() - begin < cycles;) {
  }
}

/// Kernels whose time does not depend on what ran before, each with a grid of its own: by a host that is ahead of the
/// GPU, then by one that is behind it, now and then after a copy.
void of_known_lengths(float* data) {
  for (unsigned round = 0; round < 120; ++round) {
    for (unsigned length = 0; length < 5; ++length) {
      spin<<<1 + length, 32>>>(length == 0 ? 0 : 1000LL << (2 * length));
      if (round >= 60) check(cudaDeviceSynchronize());
    }
    float first = 0;
    if (round % 4 == 3) check(cudaMemcpy(&first, data, sizeof(first), cudaMemcpyDeviceToHost));
  }
}

/// Calls `launch` for four seconds. Prints how often it was called after so many seconds.
template <class Launch>
void launch_for_long(const Launch& launch) {
  using Seconds = std::chrono::duration<double>;
  constexpr double lasts_s = 4;
  constexpr double print_each_s = 0.05;
  const auto began = std::chrono::steady_clock::now();
  double print_at_s = 0;
  for (unsigned launched = 0;;) {
    const double since_s = Seconds(std::chrono::steady_clock::now() - began).count();
    if (since_s >= print_at_s || since_s >= lasts_s) {
      std::printf("after %.6f %u\n", since_s, launched);
      print_at_s = since_s + print_each_s;
    }
    if (since_s >= lasts_s) break;
    for (const unsigned end = launched + 10; launched < end; ++launched) launch();
    check(cudaDeviceSynchronize());
  }
}

/// Two kernels in turns, and at the end one of them with a grid that is new.
void in_a_long_loop(float* data) {
  launch_for_long([&] {
    add<<<1, block>>>(data, 1);
    swap<<<1, 1024>>>(data);
  });
  add<<<grid, block>>>(data, 1);
}

void in_a_long_loop_of_graphs(float* data) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, block, 0, stream>>>(data, 1);
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = instantiated(graph);
  launch_for_long([&] { check(cudaGraphLaunch(executable, stream)); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "launches";
  if (mode == "child") {
    if (fork() == 0) execl(argv[0], argv[0], "launches", nullptr);
    int status = 0;
    wait(&status);
  }
  float* data = data_of_zeros();
  const std::map<std::string, void (*)(float*)> modes = {
      {"threads", in_streams_of_threads},
      {"graph", in_a_graph},
      {"graph-parts", in_a_graph_of_parts},
      {"graph-whole", in_whole_graphs},
      {"cooperative", cooperatively},
      {"columns", by_columns},
      {"pointer", [](float* all) { through_pointer<<<grid, block>>>(all, false); }},
      {"child", some_launches},
      {"reset", with_resets},
      {"little-memory", with_little_memory},
      {"lengths", of_known_lengths},
      {"long-loop", in_a_long_loop},
      {"long-graphs", in_a_long_loop_of_graphs},
      {"launches", some_launches},
      {"kill",
       [](float* all) {
         some_launches(all);
         kill(getpid(), SIGKILL);
       }},
      {"abort",
       [](float* all) {
         some_launches(all);
         std::abort();
       }},
      {"fault", [](float*) { add<<<grid, block>>>(reinterpret_cast<float*>(1024), 1); }},
  };
  modes.at(mode)(data);
  check(cudaDeviceSynchronize());
  float first = 0;
  check(cudaMemcpy(&first, data, sizeof(first), cudaMemcpyDeviceToHost));
  std::printf("%s %g\n", mode.c_str(), static_cast<double>(first));
  return 3;
}
