#pragma once
// A case of the probe `peer` in numbers, its workload (bytes from one GPU of the machine to another), and the
// conclusions from all pairs of a machine.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/machine/device.hpp"
#include "probes/probe.hpp"

namespace gpumem::peer {

/// The copy engine or the kernel that moves the bytes.
enum class Via {
  copy_engine,       ///< of the source, which pushes
  copy_engine_read,  ///< of the target, which pulls
  kernel_read,       ///< on the target, which loads from the source's memory
  kernel_write,      ///< on the source, which stores to the target's memory
  staged             ///< both GPUs' copy engines, through pinned memory of the host
};

/// The most GPUs of one machine.
inline constexpr std::uint64_t most_gpus = 64;

/// Chunks that have a place in the host's memory at a time. Staged bytes are cut into chunks, so that one is on its way
/// out of that memory while the next comes in.
inline constexpr unsigned chunks_at_once = 2;

namespace axis {
inline constexpr Number source{"source"};
inline constexpr Number target{"target"};
inline constexpr Choice<Via> via{"via", {"copy-engine", "copy-engine-read", "kernel-read", "kernel-write", "staged"}};
inline constexpr Choice<bool> both{"direction", {{"one-way", false}, {"both", true}}};
inline constexpr Choice<bool> at_once{"at_once", {{"no", false}, {"yes", true}}};
inline constexpr Size size_bytes{"size_bytes"};
}  // namespace axis

/// The GPUs that bytes go from and to, by their indices.
struct Pair {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  bool operator==(const Pair&) const = default;
};

struct PeerCase {
  Pair pair;
  Via via;
  bool both;            ///< as many bytes the other way at the same time
  bool at_once;         ///< all disjoint pairs of the machine at the same time
  std::uint64_t bytes;  ///< of a copy, each way

  explicit PeerCase(const Case& chosen);

  /// The GPU that moves the bytes, and times them.
  [[nodiscard]] std::uint64_t mover() const { return pulls() ? pair.target : pair.source; }
  [[nodiscard]] std::uint64_t other() const { return pulls() ? pair.source : pair.target; }
  /// Copies of a run, one after another: enough that the time before and after them does not show. A staged copy has
  /// many chunks and needs no others.
  [[nodiscard]] unsigned copies() const;
  [[nodiscard]] std::uint64_t words() const { return bytes / sizeof(std::uint32_t); }
  /// Bytes of a chunk of a staged copy. Chunks are so large that the fixed costs of copies do not show, and so few that
  /// a stream's queue holds them.
  [[nodiscard]] std::uint64_t chunk_bytes() const;
  [[nodiscard]] std::uint64_t chunks() const { return (bytes + chunk_bytes() - 1) / chunk_bytes(); }

 private:
  [[nodiscard]] bool pulls() const {
    return via == Via::copy_engine_read || via == Via::kernel_read || via == Via::staged;
  }
};

/// `gpu` is the one that moves the bytes. Throws a missing-capability error where the machine has no such pair, or one
/// GPU cannot reach the other's memory, with the cause as far as the driver tells it.
[[nodiscard]] Workload describe(const Case& decided, const Device& gpu);

/// True if the machine has the pair. With `both`, two GPUs are one pair, from the lower index to the higher.
[[nodiscard]] bool fits(const Case& chosen, const Device& gpu);

/// The indices of all GPUs of the machine.
[[nodiscard]] std::vector<Value> all_gpus(const Device& gpu);

/// The pair and as many others as there can be, each GPU in one of them at most: the round of a round-robin tournament
/// (circle method) that the pair meets in. All go from the lower index to the higher, or all the other way, as the pair
/// does; the pair comes first. Both are below `gpus`, and not the same.
[[nodiscard]] std::vector<Pair> disjoint_pairs(const Pair& pair, std::uint64_t gpus);

[[nodiscard]] std::vector<Quantity> concluded_of_peers();

/// Concludes which method of copying is fastest; for which pairs copying through the host is faster than direct copies,
/// and the usual causes of that; the islands that the GPUs form; and what pairs lose when they copy at once.
[[nodiscard]] Conclusion conclude_peers(std::span<const Outcome> outcomes);

}  // namespace gpumem::peer
