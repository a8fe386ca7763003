#pragma once
// The code that the two probes of clusters share on the host, and the cases of `cluster` in numbers.

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

/// The blocks that pull in a case, the blocks they pull from, and how often: for about a quarter of a millisecond.
[[nodiscard]] ClusterPull pull_of(const Case& decided);

/// Throws a usage error where more blocks are to pull than the cluster has.
void validate_pull(const Case& chosen);

/// Gives the workload as many clusters as the GPU holds at once, each block alone on its multiprocessor. Throws a
/// missing-capability error if the GPU has no clusters, or no room for one of so many blocks.
void fill_with_clusters(Workload& workload, unsigned cluster_blocks, unsigned least_shared_bytes, const Device& device);

/// Bytes that a multiprocessor moves per cycle, by its own clock: every run samples them.
[[nodiscard]] Headline cluster_headline(std::string purpose,
                                        std::function<std::optional<double>(const Workload&, const Device&)> peak = {});

/// The metric of bytes read from L2 for each byte that arrives in a block: predicted, and counted as l2_read_sectors.
[[nodiscard]] Metric l2_reads();

/// Concludes the bandwidth of another block's shared memory compared with a block's own, the cost of larger clusters,
/// and the cost of all blocks asking one.
[[nodiscard]] Conclusion conclude_cluster(std::span<const Outcome> outcomes);
/// Concludes what one fetch for all blocks gains, at the largest cluster that gains nearly the most.
[[nodiscard]] Conclusion conclude_multicast(std::span<const Outcome> outcomes);

}  // namespace gpumem::shared
