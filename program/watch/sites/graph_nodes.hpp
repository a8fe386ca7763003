#pragma once
// The nodes of a CUDA graph. They are copied when the graph is instantiated, because the program may destroy the graph
// afterwards and keep only its executable form. The copies can be launched again, node by node.

#include <cuda.h>

#include <array>
#include <cstddef>
#include <variant>
#include <vector>

#include "program/watch/launches.hpp"

namespace gpumem::inject {

struct KernelNode {
  CUfunction function = nullptr;
  CUcontext context = nullptr;  ///< null: the stream's
  Shape shape;
  std::vector<std::byte> parameters;          ///< as the kernel reads them
  std::vector<CUlaunchAttribute> attributes;  ///< clusters and the like
  bool cooperative = false;
};
struct EventRecordNode {
  CUevent event = nullptr;
};
struct EventWaitNode {
  CUevent event = nullptr;
};
using GraphAction = std::variant<std::monostate, KernelNode, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS,
                                 CUDA_HOST_NODE_PARAMS, EventRecordNode, EventWaitNode>;

struct GraphNode {
  CUgraphNode handle = nullptr;  ///< as the program names it
  bool enabled = true;
  GraphAction action;  ///< nothing: a node that only orders others
};

struct GraphNodes {
  std::vector<GraphNode> nodes;    ///< each behind those that it depends on, those of child graphs in their place
  const char* obstacle = nullptr;  ///< why they cannot be launched one by one: "it allocates memory"; null: they can
};

/// The `extra` argument of a launch that passes all parameters in one buffer.
using ParameterBuffer = std::array<void*, 5>;
/// `parameters` and `bytes` must outlive the result.
[[nodiscard]] ParameterBuffer buffer_of(const std::vector<std::byte>& parameters, std::size_t& bytes);

// In relaxed capture mode:

[[nodiscard]] GraphNodes nodes_of(CUgraph graph);
/// Changes the kernel that a node launches. False where that cannot be followed.
[[nodiscard]] bool set_kernel(KernelNode& node, const CUDA_KERNEL_NODE_PARAMS& parameters);
/// Launches what the node does into the stream of the current context.
CUresult launch_node(const GraphNode& node, CUstream stream);

}  // namespace gpumem::inject
