// Occupancy: how much of the memory's bandwidth so many resident warps reach, whatever keeps others out: blocks of one
// warp, registers, or shared memory.

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "probes/error.hpp"
#include "probes/kernels/occupancy_advice.hpp"
#include "probes/kernels/occupancy_kernel.cuh"
#include "probes/measure/cuda.hpp"
#include "probes/measure/experiment.hpp"
#include "probes/measure/kernel_name.hpp"
#include "probes/measure/session.hpp"
#include "probes/measure/verify.hpp"
#include "probes/model/occupancy.hpp"
#include "probes/model/profile.hpp"
#include "probes/probe.hpp"

namespace gpumem::kernels {

using Kernel = void (*)(const uint4*, std::uint32_t*, std::uint32_t);

/// A kernel that holds so many registers full, and those that a thread of it is then given.
struct Held {
  unsigned registers;
  unsigned held;
  Kernel kernel;
  std::string name;
};

template <unsigned held>
static Held held_kernel(unsigned registers) {
  return {registers, held, &read_holding_registers<held>, measure::kernel_name<&read_holding_registers<held>>()};
}

static const std::array<Held, 4>& held_kernels() {
  static const std::array<Held, 4> all = {held_kernel<1>(32), held_kernel<40>(64), held_kernel<100>(128),
                                          held_kernel<216>(256)};
  return all;
}

/// A case in numbers.
struct OccupancyCase {
  unsigned block_threads = occupancy_threads;
  unsigned shared_bytes = 0;
  const Held* held = &held_kernels().front();
  std::uint64_t blocks;

  /// Throws where the limit leaves no such number of warps.
  OccupancyCase(const Case& decided, const Device& device) {
    const auto warps = static_cast<unsigned>(decided.number("resident_warps"));
    const std::string& limit = decided.name("occupancy_limit");
    const unsigned wanted = warps * access::warp_lanes / occupancy_threads;  // blocks of a multiprocessor
    if (limit == "shared-memory") {
      shared_bytes = shared_for(wanted, device);
    } else if (limit == "registers") {
      const auto& all = held_kernels();
      const auto found = std::ranges::find(all, 65536 / (warps * access::warp_lanes), &Held::registers);
      if (found == all.end()) refuse(warps, "a thread has at most 255 registers");
      held = &*found;
    } else if (warps == 32) {
      block_threads = access::warp_lanes;  // and no more than 32 blocks are resident
    }
    Workload workload;
    workload.block_threads = block_threads;
    workload.shared_bytes_per_block = shared_bytes;
    workload.registers_per_thread = held->registers;
    const auto occupancy = model::occupancy_of(workload, device);
    if (occupancy.blocks * block_threads != warps * access::warp_lanes)
      refuse(warps, "by " + limit + " it is another number");
    const std::uint64_t bytes = std::min(16 * device.l2_bytes, device.memory_bytes / 8);
    blocks = std::max(bytes / block_bytes(), std::uint64_t{1});
  }

  [[nodiscard]] std::uint64_t block_bytes() const {
    return std::uint64_t{block_threads} * loads_of_thread * sizeof(uint4);
  }
  [[nodiscard]] std::uint64_t bytes() const { return blocks * block_bytes(); }
  [[nodiscard]] std::uint64_t threads() const { return blocks * block_threads; }

 private:
  [[noreturn]] static void refuse(unsigned warps, const std::string& why) {
    throw missing_capability_error(std::to_string(warps) + " resident warps cannot be had on this GPU: " + why);
  }

  /// So much that `wanted` blocks fit a multiprocessor and no more; nothing where that many are the most anyway.
  static unsigned shared_for(unsigned wanted, const Device& device) {
    constexpr unsigned reserved = 1024;
    constexpr unsigned unit = 128;
    if (wanted * occupancy_threads >= device.threads_per_multiprocessor) return 0;
    const std::uint64_t each = device.shared_bytes_per_multiprocessor / wanted / unit * unit - reserved;
    return static_cast<unsigned>(std::min(each, device.shared_bytes_per_block));
  }
};

static Workload describe_occupancy(const Case& decided, const Device& device) {
  const OccupancyCase one(decided, device);
  Workload workload;
  workload.kernel = one.held->name;
  workload.sites.push_back({.name = "words",
                            .op = access::Op::load,
                            .word_bytes = sizeof(uint4),
                            .instructions = loads_in_a_row,
                            .requests = one.bytes() / sizeof(uint4) / access::warp_lanes,
                            .extent_bytes = one.bytes(),
                            .request = [](std::uint64_t k) {
                              access::WarpRequest request{.active = ~std::uint32_t{0}, .word_bytes = sizeof(uint4)};
                              for (std::uint64_t lane = 0; lane < access::warp_lanes; ++lane) {
                                request.address[lane] = (k * access::warp_lanes + lane) * sizeof(uint4);
                              }
                              return request;
                            }});
  workload.useful_bytes_read = one.bytes();
  workload.allocated_bytes = one.bytes() + one.threads() * sizeof(std::uint32_t);
  workload.blocks = one.blocks;
  workload.block_threads = one.block_threads;
  workload.shared_bytes_per_block = one.shared_bytes;
  workload.registers_per_thread = one.held->registers;
  workload.waits = loads_of_thread / loads_in_a_row;
  return workload;
}

class OccupancyExperiment final : public measure::Experiment {
 public:
  OccupancyExperiment(const Case& decided, measure::Session& session)
      : case_(decided, session.device()),
        words_(session.random_source(case_.bytes() / sizeof(std::uint32_t))),
        sums_(case_.threads() * sizeof(std::uint32_t)),
        mismatches_(session) {
    measure::allow_all_shared_memory(reinterpret_cast<const void*>(case_.held->kernel));
  }

  void launch(cudaStream_t stream) override { launch(nullptr, stream); }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(sums_.as<std::uint32_t>(), stream);
    check_read<<<static_cast<unsigned>(case_.blocks), case_.block_threads, 0, stream>>>(
        sums_.as<std::uint32_t>(), case_.held->held, seed, mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

  /// As the driver works it out from the compiled kernel.
  std::vector<std::pair<std::string, double>> metrics(cudaStream_t /*stream*/, measure::Seconds /*once*/) override {
    int blocks = 0;
    measure::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                       &blocks, case_.held->kernel, static_cast<int>(case_.block_threads), case_.shared_bytes),
                   "ask how many blocks are resident");
    return {{"occupancy_warps", static_cast<double>(blocks) * case_.block_threads / access::warp_lanes}};
  }

 private:
  static constexpr std::uint32_t seed = measure::random_word(3);

  void launch(std::uint32_t* sums, cudaStream_t stream) {
    case_.held->kernel<<<static_cast<unsigned>(case_.blocks), case_.block_threads, case_.shared_bytes, stream>>>(
        reinterpret_cast<const uint4*>(words_), sums, seed);
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  OccupancyCase case_;
  const std::uint32_t* words_;
  measure::DeviceBuffer sums_;
  measure::MismatchCount mismatches_;
};

static Probe occupancy_probe() {
  Probe probe;
  probe.name = "occupancy";
  probe.purpose =
      "bandwidth over the warps that are resident: how many it takes, and whether it matters what limits them";
  probe.axes = {{.flag = "resident-warps",
                 .parameter = "resident_warps",
                 .unit = "warps",
                 .purpose = "of a multiprocessor, each with two loads of 16 bytes in flight a lane",
                 .defaults = "2..64*2",
                 .quick = "4,16,64",
                 .numbers = {2, 4, 8, 16, 32, 64}},
                {.flag = "occupancy-limit",
                 .parameter = "occupancy_limit",
                 .purpose = "what keeps other warps out",
                 .defaults = "shared-memory,registers,block-size",
                 .quick = "shared-memory",
                 .names = {"shared-memory", "registers", "block-size"},
                 .value_optional = true}};
  probe.compared = "occupancy_limit";
  probe.baseline = std::string("shared-memory");
  probe.metrics = {
      {.quantity = {"occupancy_warps", "resident at once by the driver's calculation, and predicted by gpumem's",
                    Better::neither},
       .predict = [](const Workload& workload, const model::Prediction&, const model::Profile& profile) {
         const auto occupancy = model::occupancy_of(workload, profile.device);
         return std::optional(static_cast<double>(occupancy.blocks) * workload.block_threads / access::warp_lanes);
       }}};
  probe.describe = describe_occupancy;
  probe.prepare = [](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    return std::make_unique<OccupancyExperiment>(decided, session);
  };
  probe.conclude = conclude_occupancy;
  return probe;
}

GPUMEM_PROBE(occupancy_probe);

}  // namespace gpumem::kernels
