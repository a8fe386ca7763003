#pragma once
// The spaces that a site may access and the operations that it may do there, one table row each. Code that depends on
// the space looks it up in the table.

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

/// The place where the bytes of a space are stored.
enum class Home {
  device_memory,  ///< behind L2
  host_memory,    ///< behind L2 and the link; device memory on a GPU that shares the host's
  on_chip,        ///< in multiprocessors: no sector leaves for it
  peer_memory     ///< behind the other GPU's L2, and what joins the two
};

/// The units in which requests are counted. If none is set, the arithmetic has no rule for these requests yet: nothing
/// is predicted for them, and a site need not say which addresses they have.
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
  /// The space that instructions name and that counters at L1 count. Host and peer memory are accessed as global: only
  /// the address tells them apart.
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

/// Returns the table row. Throws std::logic_error if there is none.
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
