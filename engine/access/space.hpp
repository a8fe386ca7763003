#pragma once
// The spaces that a site may lie in and what it may do there, a row each: what else depends on the space asks the
// table.

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "engine/access/request.hpp"

namespace gpumem::access {

enum class Space {
  global,
  shared,
  host,      ///< memory of the host that the kernel addresses itself, over the link (mapped, zero-copy)
  local,     ///< of one thread alone: its indexed arrays, and registers spilled
  constant,  ///< `__constant__` variables, and parameters of the kernel when they are indexed
  texture,   ///< textures and surfaces: what passes the texture unit
  cluster,   ///< shared memory of another block of the cluster (distributed shared memory)
  peer       ///< memory of another GPU that the kernel addresses itself
};

/// Where the bytes of a space lie.
enum class Home {
  device_memory,  ///< behind L2
  host_memory,    ///< behind L2 and the link; device memory on a GPU that shares the host's
  on_chip,        ///< in multiprocessors: no sector leaves for it
  peer_memory     ///< behind the other GPU's L2, and what joins the two
};

/// What requests are counted in. Nothing: the arithmetic has no rule for them yet, so nothing is predicted of them, and
/// a site needs not say which addresses they have.
struct Costed {
  bool sectors = false;
  bool wavefronts = false;
  bool addresses = false;

  [[nodiscard]] constexpr bool any() const { return sectors || wavefronts || addresses; }
};

struct SpaceRow {
  Space space;
  std::string_view name;  ///< in reports
  Home home;
  /// What an instruction calls it, and counters at L1 count it as: of host memory only the address tells.
  Space instructions_name;
  Costed loads_and_stores;
  Costed atomics;
};

inline constexpr Costed no_rule{};
inline constexpr SpaceRow spaces[] = {
    {Space::global, "global", Home::device_memory, Space::global, {.sectors = true}, no_rule},
    {Space::shared, "shared", Home::on_chip, Space::shared, {.wavefronts = true}, no_rule},
    {Space::host, "host", Home::host_memory, Space::global, {.sectors = true}, no_rule},
    {Space::local, "local", Home::device_memory, Space::local, {.sectors = true}, no_rule},
    {Space::constant, "constant", Home::device_memory, Space::constant, {.addresses = true}, no_rule},
    {Space::texture, "texture", Home::device_memory, Space::texture, no_rule, no_rule},
    {Space::cluster, "cluster", Home::on_chip, Space::cluster, no_rule, no_rule},
    {Space::peer, "peer", Home::peer_memory, Space::global, {.sectors = true}, no_rule},
};

static_assert(std::size(spaces) == static_cast<std::size_t>(Space::peer) + 1, "a row per space");

struct OpRow {
  Op op;
  std::string_view name;  ///< in reports
};

inline constexpr OpRow ops[] = {
    {Op::load, "load"},
    {Op::store, "store"},
    {Op::atomic, "atomic"},
};

static_assert(std::size(ops) == static_cast<std::size_t>(Op::atomic) + 1, "a row per op");

/// Throws std::logic_error for what has no row.
[[nodiscard]] constexpr const SpaceRow& row_of(Space space) {
  for (const SpaceRow& row : spaces) {
    if (row.space == space) return row;
  }
  throw std::logic_error("a space without a row");
}
[[nodiscard]] constexpr const OpRow& row_of(Op op) {
  for (const OpRow& row : ops) {
    if (row.op == op) return row;
  }
  throw std::logic_error("an op without a row");
}

[[nodiscard]] constexpr std::string_view to_string(Space space) { return row_of(space).name; }
[[nodiscard]] constexpr std::string_view to_string(Op op) { return row_of(op).name; }
[[nodiscard]] constexpr Costed costed(Space space, Op op) {
  return op == Op::atomic ? row_of(space).atomics : row_of(space).loads_and_stores;
}

}  // namespace gpumem::access
