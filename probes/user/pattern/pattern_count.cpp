#include "probes/user/pattern/pattern_count.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <vector>

#include "engine/access/footprint_bitmap.hpp"
#include "engine/base/error.hpp"
#include "engine/machine/compute_capability.hpp"
#include "engine/measure/cuda.hpp"
#include "engine/measure/nvrtc.hpp"
#include "engine/pattern/expression_bounds.hpp"
#include "probes/user/pattern/count_requests.cuh"
#include "probes/user/pattern/pattern_kernel.hpp"

namespace gpumem::global {

namespace {

constexpr unsigned block_threads = 256;
constexpr unsigned blocks_per_multiprocessor = 8;
constexpr std::uint64_t most_map_bytes = std::uint64_t{1} << 30U;

/// A launch of the kernel that counts.
class Counting {
 public:
  Counting(const measure::Module& kernel, const Launch& launch, const Device& device)
      : kernel_(kernel),
        launch_(launch),
        blocks_(device.multiprocessors * blocks_per_multiprocessor),
        found_(blocks_ * (block_threads / access::warp_lanes)),
        on_device_(found_.size() * sizeof(CountedRequests)) {}

  /// Marks what is touched in `marked`, unless that is empty.
  CountedRequests run(const measure::DeviceBuffer& marked = {}) {
    auto* marks = marked.as<std::uint32_t>();
    Tile tile = launch_.tile;
    std::uint64_t count = launch_.count;
    std::uint64_t requests = launch_.requests();
    std::uint32_t word_bytes = launch_.word_bytes;
    auto* found = on_device_.as<CountedRequests>();
    char pattern = 0;  // a functor without members
    std::array<void*, 7> arguments{&tile, &count, &requests, &word_bytes, &marks, &found, &pattern};
    kernel_.launch(0, blocks_, block_threads, stream_.get(), arguments);
    stream_.synchronize();
    measure::check(cudaMemcpy(found_.data(), found, on_device_.bytes(), cudaMemcpyDeviceToHost), "copy counts");
    CountedRequests sum;
    for (const CountedRequests& counted : found_) add(sum, counted);
    return sum;
  }

  /// The footprint as well.
  CountedRequests run(access::FootprintBitmap& map) {
    const std::uint64_t bytes = map.window().map_bytes();
    const measure::DeviceBuffer marks(bytes);
    measure::check(cudaMemsetAsync(marks.data(), 0, bytes, stream_.get()), "clear the marks");
    const CountedRequests counted = run(marks);
    measure::check(cudaMemcpy(map.bits(), marks.data(), bytes, cudaMemcpyDeviceToHost), "copy the marks");
    return counted;
  }

 private:
  static void add(CountedRequests& sum, const CountedRequests& counted) {
    sum.requests += counted.requests;
    sum.sectors += counted.sectors;
    sum.lines += counted.lines;
    sum.addresses += counted.addresses;
    sum.accesses += counted.accesses;
    sum.negative += counted.negative;
    if (counted.extent <= sum.extent) return;
    sum.extent = counted.extent;
    sum.highest_access = counted.highest_access;
  }

  const measure::Module& kernel_;
  const Launch& launch_;
  unsigned blocks_;
  measure::Stream stream_;
  std::vector<CountedRequests> found_;
  measure::DeviceBuffer on_device_;
};

/// A bit for each element.
access::Window window_of(std::uint64_t elements, std::uint32_t word_bytes) {
  const std::uint64_t whole = access::window_bytes;
  return {0, (elements * word_bytes + whole - 1) / whole * whole, word_bytes};
}

KnownPattern known_by(const CountedRequests& found, const access::FootprintBitmap& map, const Launch& launch) {
  const access::Counts counts = {
      .requests = found.requests, .sectors = found.sectors, .lines = found.lines, .addresses = found.addresses};
  // Loads and stores of device memory cost the same.
  const access::SiteCost cost = access::average(
      counts, launch.requests(), access::costed(access::Space::global, access::Op::load), launch.word_bytes);
  const unsigned all_cores = 0;
  const access::Window touched = window_of(found.extent, launch.word_bytes);
  return {
      .facts = {.accesses = found.accesses, .extent_elements = found.extent, .highest_access = found.highest_access},
      .exact = access::ExactSummary{counts, {cost, access::count_all({&map, 1}, touched, all_cores).footprint()}}};
}

}  // namespace

const measure::Module& PatternCounter::kernel(const UserPattern& pattern, const Launch& launch, const Device& device) {
  const measure::KernelSource source = counting_source(launch, pattern);
  std::unique_ptr<const measure::Module>& loaded = modules_[source.text];
  if (!loaded) {
    loaded = std::make_unique<measure::Module>(measure::compile(source, compute_capability_number(device)));
  }
  return *loaded;
}

std::optional<KnownPattern> PatternCounter::count(const UserPattern& pattern, const Launch& launch,
                                                  std::uint64_t bound_elements, const Device& device) {
  const auto n = static_cast<std::int64_t>(launch.count);
  if (!device.uuid || launch.count < fewest_accesses) return std::nullopt;
  if (may_divide_by_zero(pattern.element, n) || may_divide_by_zero(pattern.active, n)) return std::nullopt;
  const auto fits = [](std::uint64_t elements) { return elements / 8 < most_map_bytes; };
  try {
    Counting counting(kernel(pattern, launch, device), launch, device);
    if (bound_elements == 0 || !fits(bound_elements)) {
      const CountedRequests found = counting.run();
      if (found.negative > 0 || found.accesses == 0 || !fits(found.extent)) return std::nullopt;
      bound_elements = found.extent;
    }
    access::FootprintBitmap map(window_of(bound_elements, launch.word_bytes));
    const CountedRequests found = counting.run(map);
    if (found.negative > 0 || found.accesses == 0) return std::nullopt;
    return known_by(found, map, launch);
  } catch (const Error&) {
    return std::nullopt;  // the host can as well, and what is wrong comes up when the pattern is to run
  }
}

}  // namespace gpumem::global
