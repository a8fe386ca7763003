#include "probes/hierarchy/hierarchy/level_figures.hpp"

#include <unistd.h>

#include <vector>

#include "engine/access/request.hpp"
#include "engine/statistics/statistics.hpp"
#include "probes/hierarchy/memory_chase.hpp"
#include "probes/probe.hpp"

namespace gpumem::hierarchy {

namespace {

/// Cycles per step once the launches before have settled the clock.
double cycles_of(measure::Experiment& chase, cudaStream_t stream) {
  std::vector<double> cycles;
  for (int i = 0; i < 5; ++i) {
    chase.launch(stream);
    measure::check(cudaStreamSynchronize(stream), "run a chase");
    cycles.push_back(chase.sample());
  }
  return measure::estimate_median(cycles).median;
}

/// The most that is chased with hardly a miss, to 4 KiB, with all of the multiprocessor's memory left to L1.
double l1_bytes(measure::Session& session) {
  constexpr std::uint64_t precision = std::uint64_t{4} << 10U;
  constexpr double missed = 1.2;  // a miss takes several times as long as a hit: one in 40 is as much
  const auto cycles_at = [&](std::uint64_t footprint) {
    DeviceChase chase(MemoryWalk(footprint, footprint, access::line_bytes, timed_steps), session);
    return cycles_of(chase, session.stream().get());
  };
  std::uint64_t fits = precision;
  std::uint64_t too_much = std::uint64_t{1} << 20U;
  const double hit = cycles_at(fits);
  while (too_much - fits > precision) {
    const std::uint64_t tried = (fits + too_much) / 2 / precision * precision;
    (cycles_at(tried) < missed * hit ? fits : too_much) = tried;
  }
  return static_cast<double>(fits);
}

double register_bytes() {
  int device = 0;
  int registers = 0;
  measure::check(cudaGetDevice(&device), "ask which GPU is used");
  measure::check(cudaDeviceGetAttribute(&registers, cudaDevAttrMaxRegistersPerMultiprocessor, device),
                 "ask for the number of registers");
  return static_cast<double>(registers) * sizeof(std::uint32_t);
}

}  // namespace

double capacity_bytes(const std::string& level, measure::Session& session) {
  const Device& device = session.device();
  if (level == "register") return register_bytes();
  if (level == "shared") return static_cast<double>(device.shared_bytes_per_multiprocessor);
  if (level == "l1") return l1_bytes(session);
  if (level == "l2" || level == "l2-shared") return static_cast<double>(device.l2_bytes);
  if (level == "memory") return static_cast<double>(device.memory_bytes);
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::optional<double> latency_of(const std::string& level, measure::Session& session) {
  const Probe& latency = *find_probe("latency");
  const Case tested{.probe = &latency,
                    .parameters = {{axis::level.name, level == "l2-shared" ? "l2" : level},
                                   {axis::page_bytes.name, std::string("random")}}};
  const auto chase = latency.prepare(tested, session);
  const cudaStream_t stream = session.stream().get();
  if (chase->verify(stream).mismatches > 0) return std::nullopt;
  return cycles_of(*chase, stream);
}

}  // namespace gpumem::hierarchy
