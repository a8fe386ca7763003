#pragma once
// A pattern of a tile in shared memory that a user brings: from a case to the addresses of every request that a block
// makes. Nothing here needs a GPU.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access/request.hpp"
#include "engine/access/swizzle.hpp"
#include "engine/pattern/index_sequence.hpp"
#include "probes/probe.hpp"

namespace gpumem::shared_pattern {

/// Words are loaded, stored and copied from global memory lane by lane, matrices of 8 x 8 halves by a warp together.
/// With `own` each pattern begins with its operation, so that one table has several: "write: column * pitch + row".
enum class TileOp { read, write, load_matrices, load_transposed, store_matrices, store_transposed, copy, own };

namespace axis {
inline constexpr Text pattern{"pattern"};
inline constexpr Text active{"active"};
inline constexpr Text swizzle{"swizzle"};
inline constexpr Number rows{"rows"};
inline constexpr Number columns{"columns"};
inline constexpr Number pitch{"pitch_elements"};
inline constexpr Number pad{"pad_elements"};
inline constexpr Number<unsigned> word_bytes{"word_bytes", &word_phrase};
inline constexpr Number<unsigned> matrices{"matrices"};
inline constexpr Choice<TileOp> op{
    "op", {"read", "write", "ldmatrix", "ldmatrix-trans", "stmatrix", "stmatrix-trans", "cp-async", "own"}};
}  // namespace axis

constexpr unsigned row_bytes = 16;             ///< of a row of 8 halves: PTX ISA, "ldmatrix"
constexpr std::uint64_t free_accesses = 1024;  ///< of a block whose tile has no given number of rows
/// The shared memory that a block may have: CUDA C++ Programming Guide, Technical Specifications.
constexpr std::uint64_t most_block_bytes = 227 << 10U;
constexpr std::uint32_t no_access = ~std::uint32_t{0};

/// The values of a --swizzle: "none" and three numbers B,M,S each. Throws a usage error for what is neither, and for
/// bits that do not fit.
[[nodiscard]] std::vector<std::string> swizzle_values(std::string_view text);
/// The swizzle of one such value.
[[nodiscard]] access::Swizzle swizzle_of(std::string_view value);

/// A pattern as it is given, and its parts.
struct OwnOperation {
  std::string_view name;        ///< of the operation that it begins with; empty without one
  std::string_view expression;  ///< without it
};
[[nodiscard]] OwnOperation own_operation(std::string_view pattern);

/// The elements that the accesses of a block go to, one after another, as a user's index array has them.
struct ElementList {
  pattern::IndexSequence sequence;  ///< at least as long as the accesses
  std::uint64_t accesses = 0;
};

/// A case in numbers.
struct TileCase {
  std::string pattern = {};              ///< without an operation; with a list the value that names it
  std::optional<ElementList> list = {};  ///< in place of an expression
  std::string active = "1";
  TileOp op = TileOp::read;  ///< never `own`
  unsigned word_bytes = 4;
  unsigned matrices = 0;   ///< of one instruction; 0 for words
  std::uint64_t rows = 0;  ///< 0: the tile has no bounds but those of the block's shared memory
  std::uint64_t columns = 1;
  std::uint64_t pitch = 0;  ///< elements
  access::Swizzle swizzle = {};

  [[nodiscard]] bool stores() const {
    return op == TileOp::write || op == TileOp::store_matrices || op == TileOp::store_transposed || copies();
  }
  [[nodiscard]] bool copies() const { return op == TileOp::copy; }
  [[nodiscard]] bool transposed() const { return op == TileOp::load_transposed || op == TileOp::store_transposed; }
  /// Bytes that begin at the element of a lane.
  [[nodiscard]] unsigned access_bytes() const { return matrices > 0 ? row_bytes : word_bytes; }
  /// Lanes of a request whose elements count.
  [[nodiscard]] unsigned request_lanes() const {
    return matrices > 0 ? access::matrix_rows * matrices : access::warp_lanes;
  }
  /// Accesses of a block: those of the list, or the tile once, in accesses of that size.
  [[nodiscard]] std::uint64_t accesses() const {
    if (list) return list->accesses;
    return rows == 0 ? free_accesses : rows * columns * word_bytes / access_bytes();
  }
  /// True if no request is cut short. The instructions of matrices take an address from every lane of theirs, and one
  /// that is none is a fault of the GPU.
  [[nodiscard]] bool fills_requests() const { return accesses() % request_lanes() == 0; }
  [[nodiscard]] std::uint64_t tile_elements() const { return rows * std::max(pitch, columns); }
};

/// The case of the probe `shared-pattern`. Throws a usage error for values that do not go together.
[[nodiscard]] TileCase tile_of_expression(const Case& chosen);

/// Throws a usage error unless --matrices, --word-bytes and --active go together with the operation of the tile.
void require_options_of_operation(const TileCase& tile, unsigned matrices_asked);

/// Matrices that an instruction of the operation moves if --matrices has that value; 0 for words.
[[nodiscard]] unsigned matrices_of(TileOp op, unsigned asked);

/// The requests of a block, each once.
struct TileRequests {
  /// Addresses from the beginning of the tile, `warp_lanes` a request. An inactive lane has `no_access`.
  std::vector<std::uint32_t> bytes = {};
  std::uint32_t tile_bytes = 0;  ///< that the block needs, a multiple of 16
  std::uint64_t accesses = 0;    ///< of active lanes
  std::uint64_t wavefronts = 0;  ///< of all requests
  double cycles = 0;             ///< for which all requests keep shared memory busy
  std::uint64_t least = 0;       ///< the same without conflicts: distinct bytes, 128 a wavefront
  unsigned access_bytes = 4;

  [[nodiscard]] std::uint64_t count() const { return bytes.size() / access::warp_lanes; }
  [[nodiscard]] access::WarpRequest request(std::uint64_t k) const;
  [[nodiscard]] double wavefronts_per_request() const { return per_request(wavefronts); }
  [[nodiscard]] double least_per_request() const { return per_request(least); }
  [[nodiscard]] bool conflicts() const { return wavefronts > least; }

 private:
  [[nodiscard]] double per_request(std::uint64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(count());
  }
};

/// The lanes of a request of the tile that are served together.
[[nodiscard]] unsigned lanes_together(const access::WarpRequest& request, const TileCase& tile);
/// The wavefronts of one request of the tile.
[[nodiscard]] unsigned wavefronts_of(const access::WarpRequest& request, const TileCase& tile);
/// The cycles for which one request of the tile keeps shared memory busy (docs/patterns.md).
[[nodiscard]] double cycles_of(const access::WarpRequest& request, const TileCase& tile);

/// Evaluates the pattern for a block that may have `most_bytes` of shared memory. Throws a usage error for an element
/// outside the tile or the memory, for an address that is no multiple of the access, for a division by zero, and if no
/// access takes part.
[[nodiscard]] TileRequests requests_of(const TileCase& tile, std::uint64_t most_bytes);

}  // namespace gpumem::shared_pattern
