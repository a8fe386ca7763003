// The lanes of a watched program's kernel work out the same costs as the access arithmetic on the host.

#include <algorithm>
#include <random>
#include <vector>

#include "engine/access/request.hpp"
#include "engine/measure/cuda.hpp"
#include "engine/measure/session.hpp"
#include "program/watch/sites/warp_cost.cuh"
#include "tests/catch.hpp"

using namespace gpumem;

namespace {

struct Costs {
  unsigned addresses;
  unsigned sectors;
  unsigned lines;
  unsigned loads;   ///< shared wavefronts
  unsigned stores;  ///< the same
  unsigned least;   ///< of stores
  unsigned sum;     ///< of lane % 8
};

__device__ void cost(const access::WarpRequest& request, Costs& costs) {
  const unsigned lane = threadIdx.x;
  if (!request.lane_active(lane)) return;
  const unsigned mask = request.active;
  const std::uint64_t address = request.address[lane];
  const auto log2_bytes = static_cast<unsigned>(31 - __clz(static_cast<int>(request.word_bytes)));
  const unsigned same = inject::lanes_alike(mask, address);
  const inject::SharedLine line = inject::line_of(mask, address);
  const auto offset = static_cast<unsigned>(address);  // of shared memory
  const Costs found{inject::count_groups(mask, lane, same),
                    inject::count_sectors(mask, lane, line),
                    inject::count_groups(mask, lane, line.group),
                    inject::wavefronts(mask, lane, offset, same, log2_bytes, true).all,
                    inject::wavefronts(mask, lane, offset, same, log2_bytes, false).all,
                    inject::wavefronts(mask, lane, offset, same, log2_bytes, false).least,
                    inject::sum_of_few(mask, lane % 8)};
  if (inject::leads(mask, lane)) costs = found;
}

__global__ void cost_all(const access::WarpRequest* requests, Costs* costs) {
  cost(requests[blockIdx.x], costs[blockIdx.x]);
}

/// Returns the least wavefronts of a store: one for each group of lanes that is served at a time and has an active
/// lane.
unsigned served_groups(const access::WarpRequest& request) {
  const unsigned width = access::warp_lanes * 4 / std::max(request.word_bytes, 4U);
  unsigned groups = 0;
  for (unsigned first = 0; first < access::warp_lanes; first += width) {
    bool active = false;
    for (unsigned lane = first; lane < first + width; ++lane) active = active || request.lane_active(lane);
    groups += active ? 1 : 0;
  }
  return groups;
}

/// Random ones of every size of words, mask, spread and amount of repetition.
std::vector<access::WarpRequest> random_requests(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<access::WarpRequest> requests(count);
  for (access::WarpRequest& request : requests) {
    request.word_bytes = 1U << (random() % 5);
    request.active = random() % 3 == 0 ? ~0U : static_cast<std::uint32_t>(random());
    if (random() % 8 == 0) request.active = 1U << (random() % 32);
    request.active = std::max(request.active, 1U);
    const std::uint64_t words = 1 + random() % (std::uint64_t{1} << (random() % 20));
    const std::uint64_t stride = random() % 40;
    const unsigned kind = random() % 4;
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      const std::uint64_t word = kind == 0   ? random() % words
                                 : kind == 1 ? lane * stride
                                 : kind == 2 ? lane / 2 * stride
                                             : (lane ^ 2) / 4 * stride + random() % 2;
      request.address[lane] = (std::uint64_t{1} << 40) + word * request.word_bytes;
    }
  }
  return requests;
}

}  // namespace

TEST_CASE("the lanes of a warp cost their request as the access arithmetic does") {
  const measure::Session session(0);
  const std::vector<access::WarpRequest> requests = random_requests(20000);
  measure::DeviceBuffer on_device(requests.size() * sizeof(access::WarpRequest));
  measure::DeviceBuffer costs_on_device(requests.size() * sizeof(Costs));
  std::vector<Costs> costs(requests.size());
  measure::check(cudaMemcpy(on_device.data(), requests.data(), on_device.bytes(), cudaMemcpyHostToDevice), "copy");
  cost_all<<<static_cast<unsigned>(requests.size()), access::warp_lanes, 0, session.stream().get()>>>(
      static_cast<const access::WarpRequest*>(on_device.data()), static_cast<Costs*>(costs_on_device.data()));
  session.stream().synchronize();
  measure::check(cudaMemcpy(costs.data(), costs_on_device.data(), costs_on_device.bytes(), cudaMemcpyDeviceToHost),
                 "copy");

  for (std::size_t i = 0; i < requests.size(); ++i) {
    const access::WarpRequest& request = requests[i];
    unsigned sum = 0;
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) sum += request.lane_active(lane) ? lane % 8 : 0;
    CAPTURE(i, request.active, request.word_bytes);
    REQUIRE(costs[i].addresses == access::addresses_per_request(request));
    REQUIRE(costs[i].sectors == access::sectors_per_request(request));
    REQUIRE(costs[i].lines == access::lines_per_request(request));
    REQUIRE(costs[i].loads == access::shared_wavefronts(request, access::Op::load));
    REQUIRE(costs[i].stores == access::shared_wavefronts(request, access::Op::store));
    REQUIRE(costs[i].least == served_groups(request));
    REQUIRE(costs[i].sum == sum);
  }
}
