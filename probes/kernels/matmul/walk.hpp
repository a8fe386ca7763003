#pragma once
// The walk of a launch's warps over a matrix: the elements of each request, and the requests that cost the same.

#include <cstdint>
#include <vector>

#include "engine/access/site.hpp"

namespace gpumem::kernels {

/// One direction of a matrix. Groups of lanes x step elements belong together: each lane has `step` of them side by
/// side, and requests go over these one at a time.
struct WalkedDirection {
  std::uint64_t extent = 1;
  unsigned lanes = 1;
  unsigned step = 1;

  /// Number of requests in which any lane has an element of the matrix.
  [[nodiscard]] std::uint64_t requests() const;
  [[nodiscard]] std::uint64_t element(std::uint64_t request, unsigned lane) const {
    return request / step * lanes * step + lane * step + request % step;
  }
  /// Requests told apart by where in a line they begin, if neighbouring elements are `stride_bytes` apart, and by
  /// whether the edge cuts them.
  [[nodiscard]] std::vector<access::RequestKind> kinds(std::uint64_t stride_bytes) const;
};

/// Every element of a matrix once: 32 lanes at a time, `columns.lanes` of them side by side, strip after strip along
/// the rows. Lanes beyond an edge are inactive. The order in which lanes have the elements makes no difference to
/// sectors.
struct MatrixWalk {
  WalkedDirection rows;
  WalkedDirection columns;  ///< in words
  unsigned word_bytes = 4;

  [[nodiscard]] std::uint64_t requests() const { return rows.requests() * columns.requests(); }
  [[nodiscard]] access::WarpRequest request(std::uint64_t k) const;
  [[nodiscard]] std::vector<access::RequestKind> kinds() const;
  [[nodiscard]] std::uint64_t bytes() const { return rows.extent * columns.extent * word_bytes; }
};

/// A site of global memory that goes over a matrix `passes` times.
[[nodiscard]] access::Site walking_site(const char* name, access::Op op, unsigned instructions, const MatrixWalk& walk,
                                        std::uint64_t passes);

/// A site at which all lanes of a warp want the same of `elements` words, one after another. Lanes share out
/// `consumers`, 32 to a warp, each warp going over all words.
[[nodiscard]] access::Site broadcast_site(const char* name, access::Space space, unsigned instructions,
                                          std::uint64_t elements, unsigned word_bytes, std::uint64_t consumers);

}  // namespace gpumem::kernels
