#include "probes/kernels/matmul/walk.hpp"

#include <algorithm>
#include <numeric>

#include "probes/requests.hpp"

namespace gpumem::kernels {

std::uint64_t WalkedDirection::requests() const {
  const std::uint64_t group = std::uint64_t{lanes} * step;
  return extent / group * step + std::min<std::uint64_t>(step, extent % group);
}

std::vector<access::RequestKind> WalkedDirection::kinds(std::uint64_t stride_bytes) const {
  const std::uint64_t group = std::uint64_t{lanes} * step;
  const std::uint64_t whole = extent / group;
  // Groups after which lines are cut at the same places again.
  const std::uint64_t period = access::line_bytes / std::gcd(group * stride_bytes, std::uint64_t{access::line_bytes});
  std::vector<access::RequestKind> kinds;
  for (std::uint64_t first = 0; first < std::min(period, whole); ++first) {
    const std::uint64_t alike = (whole - first - 1) / period + 1;
    for (std::uint64_t i = 0; i < step; ++i) kinds.push_back({first * step + i, alike});
  }
  for (std::uint64_t k = whole * step; k < requests(); ++k) kinds.push_back({k, 1});
  return kinds;
}

access::WarpRequest MatrixWalk::request(std::uint64_t k) const {
  const std::uint64_t along = columns.requests();
  access::WarpRequest request;
  request.word_bytes = word_bytes;
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    const std::uint64_t row = rows.element(k / along, lane / columns.lanes);
    const std::uint64_t column = columns.element(k % along, lane % columns.lanes);
    if (row >= rows.extent || column >= columns.extent) continue;
    request.active |= std::uint32_t{1} << lane;
    request.address[lane] = (row * columns.extent + column) * word_bytes;
  }
  return request;
}

std::vector<access::RequestKind> MatrixWalk::kinds() const {
  const std::vector<access::RequestKind> by_row = rows.kinds(columns.extent * word_bytes);
  const std::vector<access::RequestKind> by_column = columns.kinds(word_bytes);
  std::vector<access::RequestKind> kinds;
  kinds.reserve(by_row.size() * by_column.size());
  for (const access::RequestKind& row : by_row) {
    for (const access::RequestKind& column : by_column) {
      kinds.push_back({row.request * columns.requests() + column.request, row.count * column.count});
    }
  }
  return kinds;
}

access::Site walking_site(const char* name, access::Op op, unsigned instructions, const MatrixWalk& walk,
                          std::uint64_t passes) {
  const std::uint64_t once = walk.requests();
  access::Site site{.name = name,
                    .op = op,
                    .word_bytes = walk.word_bytes,
                    .instructions = instructions,
                    .requests = once * passes,
                    .passes = passes,
                    .extent_bytes = walk.bytes(),
                    .request = [=](std::uint64_t k) { return walk.request(k % once); },
                    .kinds = walk.kinds()};
  for (access::RequestKind& kind : site.kinds) kind.count *= passes;
  return site;
}

access::Site broadcast_site(const char* name, access::Space space, unsigned instructions, std::uint64_t elements,
                            unsigned word_bytes, std::uint64_t consumers) {
  const std::uint64_t whole = consumers / access::warp_lanes;
  const std::uint64_t warps = whole + (consumers % access::warp_lanes == 0 ? 0 : 1);
  access::Site site{.name = name,
                    .space = space,
                    .word_bytes = word_bytes,
                    .instructions = instructions,
                    .requests = elements * warps,
                    .passes = warps,
                    .extent_bytes = elements * word_bytes,
                    .request =
                        [=](std::uint64_t k) {
                          const std::uint64_t before = k / elements % warps * access::warp_lanes;
                          const auto address = [&](unsigned) { return k % elements * word_bytes; };
                          return warp_request(word_bytes, address, consumers - before);
                        },
                    .kinds = {}};
  if (whole > 0) site.kinds.push_back({0, elements * whole});
  if (warps > whole) site.kinds.push_back({elements * whole, elements});
  return site;
}

}  // namespace gpumem::kernels
