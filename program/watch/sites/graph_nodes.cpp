#include "program/watch/sites/graph_nodes.hpp"

#include <algorithm>
#include <unordered_map>

#include "program/watch/driver.hpp"

namespace gpumem::inject {

namespace {

constexpr const char* unreadable = "the driver does not tell what its nodes do";

/// The graph's nodes, each behind those that it depends on. Empty where the driver does not tell.
std::vector<CUgraphNode> ordered_nodes(CUgraph graph) {
  const Driver& calls = driver();
  std::size_t count = 0;
  std::size_t edges = 0;
  if (calls.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) return {};
  std::vector<CUgraphNode> nodes(count);
  if (calls.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS ||
      calls.cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &edges) != CUDA_SUCCESS) {
    return {};
  }
  std::vector<CUgraphNode> from(edges);
  std::vector<CUgraphNode> to(edges);
  std::vector<CUgraphEdgeData> data(edges);
  if (edges > 0 && calls.cuGraphGetEdges_v2(graph, from.data(), to.data(), data.data(), &edges) != CUDA_SUCCESS) {
    return {};
  }
  std::unordered_map<CUgraphNode, std::vector<CUgraphNode>> followers;
  std::unordered_map<CUgraphNode, std::size_t> waits_for;
  for (std::size_t i = 0; i < edges; ++i) {
    followers[from[i]].push_back(to[i]);
    ++waits_for[to[i]];
  }
  std::vector<CUgraphNode> ordered;
  std::ranges::copy_if(nodes, std::back_inserter(ordered), [&](CUgraphNode node) { return waits_for[node] == 0; });
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (CUgraphNode follower : followers[ordered[i]]) {
      if (--waits_for[follower] == 0) ordered.push_back(follower);
    }
  }
  return ordered;
}

/// The node's attributes that a launch of its kernel has to pass too. Sets `cooperative` for a cooperative launch.
std::vector<CUlaunchAttribute> attributes_of(CUgraphNode node, bool& cooperative) {
  constexpr CUlaunchAttributeID wanted[] = {CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                            CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE};
  std::vector<CUlaunchAttribute> attributes;
  for (const CUlaunchAttributeID id : wanted) {
    CUlaunchAttribute attribute{};
    attribute.id = id;
    if (driver().cuGraphKernelNodeGetAttribute(node, id, &attribute.value) != CUDA_SUCCESS) continue;
    const bool is_cluster = id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    const bool is_set = is_cluster ? attribute.value.clusterDim.x > 0 : attribute.value.cooperative != 0;
    if (!is_set) continue;
    cooperative = cooperative || id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes.push_back(attribute);
  }
  return attributes;
}

class Copy {
 public:
  GraphNodes nodes(CUgraph graph) {
    add(graph);
    return std::move(copy_);
  }

 private:
  void add(CUgraph graph) {
    const std::vector<CUgraphNode> nodes = ordered_nodes(graph);
    for (CUgraphNode node : nodes) add(node);
  }

  void add(CUgraphNode node) {
    const Driver& calls = driver();
    CUgraphNodeType type{};
    if (!fine(calls.cuGraphNodeGetType(node, &type))) return;
    switch (type) {
      case CU_GRAPH_NODE_TYPE_KERNEL:
        return add_kernel(node);
      case CU_GRAPH_NODE_TYPE_MEMCPY:
        return add(node, calls.cuGraphMemcpyNodeGetParams);
      case CU_GRAPH_NODE_TYPE_MEMSET:
        return add(node, calls.cuGraphMemsetNodeGetParams);
      case CU_GRAPH_NODE_TYPE_HOST:
        return add(node, calls.cuGraphHostNodeGetParams);
      case CU_GRAPH_NODE_TYPE_GRAPH: {
        CUgraph child = nullptr;
        if (fine(calls.cuGraphChildGraphNodeGetGraph(node, &child))) add(child);
        return;
      }
      case CU_GRAPH_NODE_TYPE_EMPTY:
        return;
      case CU_GRAPH_NODE_TYPE_WAIT_EVENT: {
        EventWaitNode wait;
        if (fine(calls.cuGraphEventWaitNodeGetEvent(node, &wait.event))) copy_.nodes.push_back({node, true, wait});
        return;
      }
      case CU_GRAPH_NODE_TYPE_EVENT_RECORD: {
        EventRecordNode record;
        if (fine(calls.cuGraphEventRecordNodeGetEvent(node, &record.event))) {
          copy_.nodes.push_back({node, true, record});
        }
        return;
      }
      case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      case CU_GRAPH_NODE_TYPE_MEM_FREE:
        copy_.obstacle = "it allocates memory";
        return;
      case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        copy_.obstacle = "it has conditional nodes";
        return;
      default:
        copy_.obstacle = "it has nodes that wait for other programs";
    }
  }

  bool fine(CUresult result) {
    if (result != CUDA_SUCCESS && copy_.obstacle == nullptr) copy_.obstacle = unreadable;
    return result == CUDA_SUCCESS;
  }

  template <class Parameters>
  void add(CUgraphNode node, CUresult (*get)(CUgraphNode, Parameters*)) {
    Parameters parameters{};
    if (fine(get(node, &parameters))) copy_.nodes.push_back({node, true, parameters});
  }

  void add_kernel(CUgraphNode node) {
    CUDA_KERNEL_NODE_PARAMS parameters{};
    KernelNode kernel;
    if (!fine(driver().cuGraphKernelNodeGetParams_v2(node, &parameters))) return;
    kernel.attributes = attributes_of(node, kernel.cooperative);
    if (!set_kernel(kernel, parameters)) copy_.obstacle = unreadable;
    copy_.nodes.push_back({node, true, std::move(kernel)});
  }

  GraphNodes copy_;
};

CUresult launch(const KernelNode& kernel, CUstream stream) {
  CUlaunchConfig config{};
  config.gridDimX = kernel.shape.grid[0];
  config.gridDimY = kernel.shape.grid[1];
  config.gridDimZ = kernel.shape.grid[2];
  config.blockDimX = kernel.shape.block[0];
  config.blockDimY = kernel.shape.block[1];
  config.blockDimZ = kernel.shape.block[2];
  config.sharedMemBytes = kernel.shape.dynamic_shared_bytes;
  config.hStream = stream;
  config.attrs = const_cast<CUlaunchAttribute*>(kernel.attributes.data());
  config.numAttrs = static_cast<unsigned>(kernel.attributes.size());
  std::size_t bytes = kernel.parameters.size();
  ParameterBuffer buffer = buffer_of(kernel.parameters, bytes);
  return driver().cuLaunchKernelEx(&config, kernel.function, nullptr, bytes == 0 ? nullptr : buffer.data());
}

CUresult launch(const CUDA_MEMCPY3D& copy, CUstream stream) {
  // A copy from pageable memory reads the host's side at once, so all that comes before it must be over.
  if (const CUresult over = driver().cuStreamSynchronize(stream); over != CUDA_SUCCESS) return over;
  return driver().cuMemcpy3DAsync_v2(&copy, stream);
}

CUresult launch(const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream) {
  const Driver& calls = driver();
  switch (set.elementSize) {
    case 1:
      return calls.cuMemsetD2D8Async(set.dst, set.pitch, static_cast<unsigned char>(set.value), set.width, set.height,
                                     stream);
    case 2:
      return calls.cuMemsetD2D16Async(set.dst, set.pitch, static_cast<unsigned short>(set.value), set.width, set.height,
                                      stream);
    default:
      return calls.cuMemsetD2D32Async(set.dst, set.pitch, set.value, set.width, set.height, stream);
  }
}

CUresult launch(const CUDA_HOST_NODE_PARAMS& call, CUstream stream) {
  return driver().cuLaunchHostFunc(stream, call.fn, call.userData);
}
CUresult launch(const EventRecordNode& record, CUstream stream) { return driver().cuEventRecord(record.event, stream); }
CUresult launch(const EventWaitNode& wait, CUstream stream) {
  return driver().cuStreamWaitEvent(stream, wait.event, 0);
}
CUresult launch(std::monostate, CUstream) { return CUDA_SUCCESS; }

}  // namespace

ParameterBuffer buffer_of(const std::vector<std::byte>& parameters, std::size_t& bytes) {
  return {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<std::byte*>(parameters.data()), CU_LAUNCH_PARAM_BUFFER_SIZE,
          &bytes, CU_LAUNCH_PARAM_END};
}

GraphNodes nodes_of(CUgraph graph) {
  if (!driver().has_graphs()) return {.nodes = {}, .obstacle = unreadable};
  return Copy().nodes(graph);
}

bool set_kernel(KernelNode& node, const CUDA_KERNEL_NODE_PARAMS& parameters) {
  node.function = parameters.func;
  node.context = parameters.ctx;
  if (node.function == nullptr && (driver().cuKernelGetFunction == nullptr ||
                                   driver().cuKernelGetFunction(&node.function, parameters.kern) != CUDA_SUCCESS)) {
    return false;
  }
  node.shape = {.grid = {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ},
                .block = {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ},
                .dynamic_shared_bytes = parameters.sharedMemBytes};
  Launch launch;
  launch.parameters = parameters.kernelParams;
  launch.extra = parameters.extra;
  const auto bytes = parameters_if_known(node.function, launch);
  if (bytes) node.parameters = *bytes;
  return bytes.has_value();
}

CUresult launch_node(const GraphNode& node, CUstream stream) {
  return std::visit([&](const auto& action) { return launch(action, stream); }, node.action);
}

}  // namespace gpumem::inject
