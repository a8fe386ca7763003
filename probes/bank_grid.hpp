#pragma once
// A tile of shared memory as a picture: the bank of each element, and how the request with most wavefronts is served.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem {

/// The part of a tile that a picture shows: at most 128 x 128 elements. A row is that of the pattern, before a swizzle;
/// a bank is that of the element's place, after it.
struct BankGrid {
  static constexpr std::uint64_t most = 128;  ///< rows, and columns
  /// A digit for each bank, and for each wavefront of a request, of which there are at most 32.
  static constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuv";

  /// An active lane of the request with most wavefronts; of equal ones the first.
  struct Lane {
    unsigned lane = 0;
    std::uint64_t row = 0;     ///< in the tile, of the first element that the lane accesses
    std::uint64_t column = 0;  ///< likewise
    unsigned wavefront = 0;    ///< that serves it: access::lane_wavefronts()
  };

  std::uint64_t tile_rows = 0;     ///< of the whole tile
  std::uint64_t tile_columns = 0;  ///< elements
  std::uint64_t first_row = 0;     ///< of the part
  std::uint64_t first_column = 0;
  unsigned element_bytes = 4;
  unsigned elements = 1;               ///< of a row that each lane accesses, from its column on
  std::vector<std::string> banks;      ///< a row each, a digit an element: the bank of its first byte
  std::uint64_t requests = 0;          ///< of a block
  std::uint64_t wavefronts = 0;        ///< of the request with most
  std::uint64_t least_wavefronts = 0;  ///< of it, without conflicts
  std::vector<Lane> lanes;             ///< of it
  std::string text;                    ///< the request in words

  [[nodiscard]] std::uint64_t rows() const { return banks.size(); }
  [[nodiscard]] std::uint64_t columns() const { return banks.empty() ? 0 : banks.front().size(); }
};

}  // namespace gpumem
