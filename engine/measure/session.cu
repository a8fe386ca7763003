#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/machine/devices.hpp"
#include "engine/measure/content.hpp"
#include "engine/measure/session.hpp"

namespace gpumem::measure {

namespace {

__global__ void fill_random(std::uint32_t* words, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    words[i] = random_word(i);
  }
}

/// Makes the device current and its context, so that members can be created in it.
int activate(int device_index) {
  const cudaError_t status = cudaSetDevice(device_index);
  if (status != cudaSuccess) {
    throw no_gpu_error("cannot use GPU " + std::to_string(device_index) + ": " + cudaGetErrorString(status));
  }
  return device_index;
}

}  // namespace

Session::Session(int device_index, const NumaRequest& numa)
    : device_index_(device_index),
      first_(this),
      numa_(bind_host_memory(numa, host_numa_node(device_index))),
      device_(query_device(activate(device_index), FreeMemory::query)),
      scratch_(scratch_bytes) {}

/// The host's memory stays where the first session has it.
Session::Session(int device_index, Session& first)
    : device_index_(device_index),
      first_(&first),
      numa_(first.numa_),
      device_(query_device(activate(device_index), FreeMemory::query)),
      scratch_(scratch_bytes) {}

Session& Session::peer(int device_index) {
  if (device_index == device_index_) return *this;
  if (device_index == first_->device_index_) return *first_;
  std::unique_ptr<Session>& known = first_->peers_[device_index];
  if (!known) {
    const CurrentDevice back_to_the_one_before(device_index_);
    known.reset(new Session(device_index, *first_));
  }
  return *known;
}

const std::uint32_t* Session::random_source(std::uint64_t words) {
  const CurrentDevice own(device_index_);
  if (words * sizeof(std::uint32_t) > source_.bytes()) {
    reserve(source_, words * sizeof(std::uint32_t));
    const std::uint64_t all = source_.bytes() / sizeof(std::uint32_t);
    fill_random<<<device_.multiprocessors * 8, 512, 0, stream_.get()>>>(source_.as<std::uint32_t>(), all);
    check(cudaGetLastError(), "launch the fill of the source");
    stream_.synchronize();
  }
  return source_.as<std::uint32_t>();
}

std::uint32_t* Session::target(std::uint64_t words) {
  const CurrentDevice own(device_index_);
  if (words * sizeof(std::uint32_t) > target_.bytes()) reserve(target_, words * sizeof(std::uint32_t));
  return target_.as<std::uint32_t>();
}

void Session::make_room(std::uint64_t bytes) {
  const CurrentDevice own(device_index_);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "query free device memory");
  // A case like the one before finds its buffers as they are.
  const bool alike = bytes == std::exchange(room_made_for_, bytes);
  if (alike || bytes <= free_bytes) return;
  source_ = {};
  target_ = {};
  ++first_->generation_;
}

void Session::reserve(DeviceBuffer& buffer, std::uint64_t bytes) {
  // Sweeps grow their cases; growing by halves instead of case by case keeps allocation out of most of them.
  const std::uint64_t roomy = buffer.bytes() + buffer.bytes() / 2;
  buffer = {};
  ++first_->generation_;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "query free device memory");
  buffer = DeviceBuffer(roomy < free_bytes / 2 ? std::max(bytes, roomy) : bytes);
}

}  // namespace gpumem::measure
