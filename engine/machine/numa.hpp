#pragma once
// The NUMA node whose host memory a run uses. On a machine with several nodes, memory far from the GPU makes its link
// look slow. Host memory and the thread that fills, stages and packs it are therefore bound to the GPU's node unless
// the user asks for something else.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem::measure {

/// The binding asked for: to the GPU's node, to a node by its number, or none.
struct NumaRequest {
  enum class Kind { gpu, off, node };
  Kind kind = Kind::gpu;
  unsigned node = 0;  ///< with Kind::node

  /// "gpu", "off" or a number. Throws a usage error that begins with "--numa: ".
  [[nodiscard]] static NumaRequest parse(std::string_view text);
  [[nodiscard]] std::string text() const;
};

/// The binding that was made.
struct NumaBinding {
  std::optional<unsigned> node;  ///< host memory and this thread are bound to it; absent: left alone
  std::string how;               ///< in words, for a report: "bound to the GPU's node", "one node only", "off",
                                 ///< "not bound: set_mempolicy is not permitted"
};

/// The folder in which the kernel lists the nodes.
inline constexpr const char* numa_nodes = "/sys/devices/system/node";

/// Binds this thread, its processors and the memory it touches from now on, as asked; threads and processes it starts
/// later inherit it. `gpu_node` is the node nearest to the GPU, if known. A machine with one node is left alone; so is
/// one that refuses, and the binding says why. Only a node that was asked for and does not exist is a usage error.
///
/// Memory is bound strictly (MPOL_BIND). Preferring the node would be kinder when it is full, but the kernel then
/// takes memory of other nodes before it gives up this one's page cache, and a slow link would be reported as the
/// GPU's without a word. available_host_bytes() (engine/base/available_memory.hpp) keeps requests below what the node
/// has.
[[nodiscard]] NumaBinding bind_host_memory(const NumaRequest& request, std::optional<unsigned> gpu_node,
                                           const std::string& nodes = numa_nodes);

// The pure parts of the above.

/// A list as the kernel prints processors and nodes, "0-3,8\n", in ascending order. Empty for what is not one.
[[nodiscard]] std::vector<unsigned> parse_list(std::string_view text);

/// The nodes that have memory, from such a folder; only node 0 where the kernel does not tell.
[[nodiscard]] std::vector<unsigned> memory_nodes(const std::string& nodes = numa_nodes);

/// The node to bind to, and what to call that; or no node, and why. Throws a usage error that names the nodes.
[[nodiscard]] NumaBinding choose_node(const NumaRequest& request, std::optional<unsigned> gpu_node,
                                      std::span<const unsigned> nodes);

}  // namespace gpumem::measure
