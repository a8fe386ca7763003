#pragma once
// The order in which a pointer chase visits its nodes. Host and device evaluate the same functor: the device links all
// nodes by it at once, and the host knows from it where a chase is after any number of steps.

#include "engine/access/host_device.hpp"
#include "engine/access/request.hpp"
#include "engine/measure/content.hpp"

namespace gpumem::chase {

/// A bijection of [0, size): rounds of a multiplication by an odd number and an exclusive or with the upper half, each
/// of which is a bijection of the next power of two, repeated for as long as the result is outside (cycle walking:
/// Black and Rogaway, CT-RSA 2002).
class Permutation {
 public:
  explicit constexpr Permutation(std::uint64_t size) : size_(size) {
    while (((size - 1) >> bits_) != 0) ++bits_;
  }

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t x) const {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    const unsigned half = bits_ / 2 + 1;  // never 0, and small numbers have no upper half
    do {
      for (unsigned round = 1; round <= 4; ++round) {
        x = (x * odd + round) & mask;
        x ^= x >> half;
      }
    } while (x >= size_);
    return x;
  }

 private:
  std::uint64_t size_;
  unsigned bits_ = 0;  ///< that numbers below size have
};

/// The node visited k-th, k < nodes: each node once, after which the chase is where it began. One cycle by
/// construction, because node (*this)(k) points to node (*this)(k + 1).
class ChaseOrder {
 public:
  /// Random within runs of `page_nodes`, of which each is finished before the next begins; random over everything where
  /// a page holds all nodes. Both at least 1.
  constexpr ChaseOrder(std::uint64_t nodes, std::uint64_t page_nodes)
      : nodes_(nodes),
        page_nodes_(page_nodes < nodes ? page_nodes : nodes),
        in_page_(page_nodes_),
        in_last_(nodes - (nodes - 1) / page_nodes_ * page_nodes_) {}

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t nodes() const { return nodes_; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t k) const {
    const std::uint64_t begin = k / page_nodes_ * page_nodes_;
    return begin + (nodes_ - begin < page_nodes_ ? in_last_ : in_page_)(k - begin);
  }
  /// The node that follows the one visited k-th.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t next(std::uint64_t k) const {
    return (*this)(k + 1 == nodes_ ? 0 : k + 1);
  }

 private:
  std::uint64_t nodes_;
  std::uint64_t page_nodes_;
  Permutation in_page_;
  Permutation in_last_;  ///< of the last page, which may be shorter
};

/// The place of a node in bytes: the beginning of its step or, if scattered, of any sector of the step. Nodes at the
/// same place of every step would use only some of a cache's sets, and show the capacity of those sets instead of the
/// cache's.
struct NodePlace {
  std::uint64_t step_bytes = 0;  ///< a multiple of a sector
  bool scattered = true;

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t node) const {
    const std::uint64_t sectors = scattered ? step_bytes / access::sector_bytes : 1;
    return node * step_bytes + (measure::random_word(node) >> 8U) % sectors * access::sector_bytes;
  }
};

}  // namespace gpumem::chase
