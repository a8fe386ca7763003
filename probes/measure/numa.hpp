#pragma once
// Which node of the host's memory a run uses. On a machine with several, memory far from the GPU makes its link look
// slow, so host memory and the thread that fills, stages and packs it are bound to the GPU's node unless told
// otherwise.

#include <optional>
#include <string>
#include <string_view>

namespace gpumem::measure {

/// What was asked for: the GPU's node, no binding, or a node.
struct NumaRequest {
  enum class Kind { gpu, off, node };
  Kind kind = Kind::gpu;
  unsigned node = 0;  ///< with Kind::node

  /// "gpu", "off" or a number. Throws a usage error that begins with "--numa: ".
  [[nodiscard]] static NumaRequest parse(std::string_view text);
  [[nodiscard]] std::string text() const;
};

/// What became of it.
struct NumaBinding {
  std::optional<unsigned> node;  ///< host memory and this thread are bound to it; absent: left alone
  std::string how;               ///< in words, for a report: "bound to the GPU's node", "one node only", "off",
                                 ///< "not bound: set_mempolicy is not permitted"
};

/// Binds this thread, its processors and the memory it touches from now on, as asked. `gpu_node` is the node nearest
/// to the GPU, if known. A machine with one node is left alone; so is one that refuses, and the binding says why. Only
/// a node that was asked for and does not exist is a usage error.
[[nodiscard]] NumaBinding bind_host_memory(const NumaRequest& request, std::optional<unsigned> gpu_node);

}  // namespace gpumem::measure
