#pragma once
// What the two probes of clusters have in common on the host, and the cases of `cluster` in numbers.

#include <cstdint>
#include <functional>
#include <span>

#include "engine/model/workload.hpp"
#include "probes/probe.hpp"
#include "probes/shared/cluster/cluster_pull.hpp"

namespace gpumem::shared {

namespace axis {
inline constexpr Number<unsigned> cluster_blocks{"cluster_blocks"};
inline constexpr Choice<PullFrom> pull_from{"pull_from", {"ring", "first"}};
inline constexpr Choice<access::Op> pull_op{
    "op", {{"read", access::Op::load}, {"write", access::Op::store}, {"atomic", access::Op::atomic}}};
inline constexpr Number<unsigned> pulling_blocks{"pulling_blocks"};
inline constexpr Number<std::uint32_t> remote_stride_words{"remote_stride_words"};
inline constexpr Choice<bool> by_multicast{"fetched_by", {{"each", false}, {"multicast", true}}};
inline constexpr Number<unsigned> tile_bytes{"tile_bytes"};
}  // namespace axis

/// Who pulls from whom, and how often: about a quarter of a millisecond.
[[nodiscard]] ClusterPull pull_of(const Case& decided);

/// Throws a usage error where more blocks are to pull than the cluster has.
void validate_pull(const Case& chosen);

/// Shared memory that leaves no room for a second block on the multiprocessor, and is at least so much.
[[nodiscard]] unsigned lone_block_bytes(const Device& device, unsigned least_bytes);

/// Gives the workload as many clusters as the GPU holds at once, each block alone on its multiprocessor. Throws a
/// missing-capability error if the GPU has no clusters, or no room for one of so many blocks.
void fill_with_clusters(Workload& workload, unsigned cluster_blocks, unsigned least_shared_bytes, const Device& device);

/// Bytes that a multiprocessor moves per cycle, by its own clock: every run samples them.
[[nodiscard]] Headline cluster_headline(std::string purpose,
                                        std::function<std::optional<double>(const Workload&, const Device&)> peak = {});

/// The metric of bytes read from L2 for each byte that arrives in a block: predicted, and counted as l2_read_sectors.
[[nodiscard]] Metric l2_reads();

/// What another block's shared memory gives, compared with one's own; what many blocks cost; what asking one costs.
[[nodiscard]] Conclusion conclude_cluster(std::span<const Outcome> outcomes);
/// What one fetch for all gains, by the size of clusters.
[[nodiscard]] Conclusion conclude_multicast(std::span<const Outcome> outcomes);

}  // namespace gpumem::shared
