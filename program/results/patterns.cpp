#include "program/results/patterns.hpp"

#include <algorithm>
#include <vector>

#include "engine/access/describe.hpp"
#include "engine/base/words.hpp"
#include "program/read/raw_words.hpp"
#include "report/advise/site_cures.hpp"

namespace gpumem::program {

namespace {

constexpr std::uint64_t base_bytes = 256;  // what allocations are aligned to, or a part of it

std::vector<access::WarpRequest> shown_requests(std::span<const inject::Site* const> sites) {
  std::vector<access::WarpRequest> requests;
  for (const inject::Site* site : sites) {
    for (std::uint32_t i = 0; i < site->shown; ++i) requests.push_back(request_of(*site, site->request[i]));
  }
  return requests;
}

/// Addresses count from the lowest's base: that the others lie anywhere says nothing.
void count_from_lowest(std::vector<access::WarpRequest>& requests) {
  std::uint64_t lowest = ~std::uint64_t{0};
  const auto each = [&](auto visit) {
    for (access::WarpRequest& request : requests) {
      for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
        if (request.lane_active(lane)) visit(request.address[lane]);
      }
    }
  };
  each([&](std::uint64_t& address) { lowest = std::min(lowest, address); });
  each([&](std::uint64_t& address) { address -= lowest / base_bytes * base_bytes; });
}

/// "blocks of 8 KiB".
std::string blocks_words(std::span<const inject::Site* const> sites) {
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;
  for (const inject::Site* site : sites) {
    bytes += site->useful_bytes;
    requests += site->requests;
  }
  const bool assumed = (sites.front()->flags & inject::raw_assumed) != 0;
  return "blocks of " + size_text(bytes / std::max(requests, std::uint64_t{1})) +
         (assumed ? ", by the tensor's map; taken to be stored once" : "");
}

}  // namespace

std::string pattern_of(std::span<const inject::Site* const> sites) {
  if (is_spill(*sites.front())) return std::string(report::spilled_pattern);
  if ((sites.front()->flags & inject::raw_bulk_copy) != 0) return blocks_words(sites);
  std::vector<access::WarpRequest> requests = shown_requests(sites);
  std::erase_if(requests, [](const access::WarpRequest& request) { return request.active == 0; });
  if (requests.empty()) return "";
  count_from_lowest(requests);
  access::Requests launch;
  launch.space = space_of(*sites.front());
  launch.op = op_of(*sites.front());
  launch.word_bytes = requests.front().word_bytes;
  launch.count = requests.size();
  launch.fill = [&](std::uint64_t first, std::span<access::WarpRequest> some) {
    std::copy_n(requests.begin() + static_cast<std::ptrdiff_t>(first), some.size(), some.begin());
  };
  const access::PatternWords words = words_of(access::pattern_shape(launch));
  return words.active.empty() ? words.lanes : words.lanes + "; " + words.active;
}

}  // namespace gpumem::program
