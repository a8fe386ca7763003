#include "program/watch/sites/graphs.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "program/watch/devices.hpp"
#include "program/watch/driver.hpp"
#include "program/watch/output.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

namespace {

/// A graph is launched node by node until each of its kernels has been sampled, and timed so many times.
constexpr std::uint64_t timed_replays = 3;
/// Replays of a graph that are launched node by node, at most.
constexpr std::uint64_t most_by_node = 16;

constexpr CallId instantiations[] = {
    driver_call::cuGraphInstantiate_v1,
    driver_call::cuGraphInstantiate_v2,
    driver_call::cuGraphInstantiateWithFlags,
    driver_call::cuGraphInstantiateWithParams,
    driver_call::cuGraphInstantiateWithParams_ptsz,
};
constexpr CallId updates[] = {
    driver_call::cuGraphExecUpdate_v1,
    driver_call::cuGraphExecUpdate_v2,
};
constexpr CallId changes_of_nodes[] = {
    driver_call::cuGraphExecKernelNodeSetParams_v1,  driver_call::cuGraphExecKernelNodeSetParams_v2,
    driver_call::cuGraphExecMemcpyNodeSetParams,     driver_call::cuGraphExecMemsetNodeSetParams,
    driver_call::cuGraphExecHostNodeSetParams,       driver_call::cuGraphExecChildGraphNodeSetParams,
    driver_call::cuGraphExecEventRecordNodeSetEvent, driver_call::cuGraphExecEventWaitNodeSetEvent,
    driver_call::cuGraphExecNodeSetParams,           driver_call::cuGraphNodeSetEnabled,
};
constexpr auto calls = [] {
  std::array<CallId, std::size(instantiations) + std::size(updates) + std::size(changes_of_nodes) + 1> all{};
  auto* end = std::ranges::copy(instantiations, all.begin()).out;
  end = std::ranges::copy(updates, end).out;
  end = std::ranges::copy(changes_of_nodes, end).out;
  *end = driver_call::cuGraphExecDestroy;
  return all;
}();

template <std::size_t count>
bool is_one_of(const CallId (&some)[count], CallId id) {
  return std::ranges::find(some, id) != std::end(some);
}

// Parameters of these calls, as callbacks have them.
struct Instantiate {
  CUgraphExec* made;
  CUgraph graph;
};
struct Update {
  CUgraphExec graph;
  CUgraph like;
};
struct SetNode {
  CUgraphExec graph;
  CUgraphNode node;
  union {
    const void* parameters;
    unsigned enabled;
  };
};
struct LaunchGraph {
  CUgraphExec graph;
  CUstream stream;
};

bool is_per_thread(CallId id) { return id == driver_call::cuGraphLaunch_ptsz; }

CUresult make_empty_graph(CUgraphExec& made) {
  CUgraph graph = nullptr;
  if (const CUresult result = driver().cuGraphCreate(&graph, 0); result != CUDA_SUCCESS) return result;
  const CUresult result = driver().cuGraphInstantiateWithFlags(&made, graph, 0);
  static_cast<void>(driver().cuGraphDestroy(graph));
  return result;
}

/// Finds the kernel and the slot of a launch of the node; nullopt if either is missing.
std::optional<WatchedLaunch> watched_node(const KernelNode& node, CUcontext context, CUstream stream) {
  Launch launch{.function = node.function,
                .shape = node.shape,
                .stream = stream,
                .cooperative = node.cooperative,
                .divisible = node.attributes.empty() && !node.cooperative};
  auto watched = watch().find_launch(launch, context, nullptr);
  if (watched && watched->slot == nullptr) watched.reset();
  return watched;
}

/// Names a graph after its kernels. Graphs that launch the same kernels have one name, and count as one.
std::string name_of_graph(const std::vector<std::string>& kernels) {
  constexpr std::size_t most_named = 3;
  if (kernels.empty()) return "CUDA graph";
  std::string name = "CUDA graph of " + std::to_string(kernels.size()) + (kernels.size() == 1 ? " kernel" : " kernels");
  std::vector<std::string> named;
  for (const std::string& kernel : kernels) {
    const std::string shown = short_name(kernel);
    if (named.size() < most_named && std::ranges::find(named, shown) == named.end()) named.push_back(shown);
  }
  for (std::size_t i = 0; i < named.size(); ++i) name += (i == 0 ? ": " : ", ") + named[i];
  return name;
}

void write_graph(const Graph& graph) {
  GraphEvent event{.slot = graph.slot->number,
                   .kernels = static_cast<std::uint32_t>(graph.kernels.size()),
                   .as_a_whole = graph.nodes.obstacle != nullptr ? 1U : 0U};
  std::vector<GraphKernel> kernels;
  for (const auto& [slot, launches] : graph.kernels) kernels.push_back({slot->number, launches});
  watch().output.write_event(EventKind::graph, {part_of(event), std::as_bytes(std::span(kernels))});
}

/// Finds the kernels that the graph launches.
void find_kernels(Graph& graph) {
  std::vector<std::string> names;
  graph.kernels.clear();
  for (const GraphNode& node : graph.nodes.nodes) {
    const auto* kernel = std::get_if<KernelNode>(&node.action);
    if (kernel == nullptr || !node.enabled) continue;
    const auto watched = watched_node(*kernel, graph.context, nullptr);
    if (!watched) continue;
    names.push_back(watched->kernel->name);
    if (kernel->context != nullptr && kernel->context != graph.context) {
      graph.nodes.obstacle = "it has kernels of several contexts";
    }
    if (watched->kernel->collective) graph.nodes.obstacle = "it waits for other GPUs";
    ++graph.kernels[watched->slot];
  }
  const Shape no_shape{.grid = {1, 1, 1}, .block = {1, 1, 1}};
  Slot* const before = graph.slot;
  graph.slot = watch().kernels.slot_of(watch().kernels.number_of(name_of_graph(names), 0, 0), no_shape, graph.device);
  if (graph.slot == nullptr) return;
  graph.slot->of_parts = graph.nodes.obstacle == nullptr;
  if (graph.slot == before) return;
  write_graph(graph);
  if (graph.nodes.obstacle != nullptr) {
    watch().output.write_problem(
        false, std::string("a CUDA graph was seen as a whole and not kernel by kernel: ") + graph.nodes.obstacle);
  }
}

/// The kernel's parameters, from those of one of the calls that set them.
std::optional<CUDA_KERNEL_NODE_PARAMS> kernel_parameters(CallId id, const void* given) {
  CUDA_KERNEL_NODE_PARAMS parameters{};
  if (id == driver_call::cuGraphExecKernelNodeSetParams_v1) {
    std::memcpy(&parameters, given, sizeof(CUDA_KERNEL_NODE_PARAMS_v1));  // the beginning of later versions
  } else if (id == driver_call::cuGraphExecKernelNodeSetParams_v2) {
    parameters = *static_cast<const CUDA_KERNEL_NODE_PARAMS*>(given);
  } else if (const auto& any = *static_cast<const CUgraphNodeParams*>(given);
             id == driver_call::cuGraphExecNodeSetParams && any.type == CU_GRAPH_NODE_TYPE_KERNEL) {
    const auto& kernel = any.kernel;
    parameters = {kernel.func,         kernel.gridDimX,  kernel.gridDimY,  kernel.gridDimZ,
                  kernel.blockDimX,    kernel.blockDimY, kernel.blockDimZ, kernel.sharedMemBytes,
                  kernel.kernelParams, kernel.extra,     kernel.kern,      kernel.ctx};
  } else {
    return std::nullopt;
  }
  return parameters;
}

bool change_kernel(GraphNode& node, CallId id, const void* given) {
  auto* const kernel = std::get_if<KernelNode>(&node.action);
  const auto parameters = kernel_parameters(id, given);
  return kernel != nullptr && parameters && set_kernel(*kernel, *parameters);
}

/// Returns true if launching the graph node by node would tell more about it.
bool is_to_be_seen(const Graph& graph, CUcontext context) {
  if (graph.context != context || graph.nodes.obstacle != nullptr || graph.by_node >= most_by_node ||
      graph.kernels.empty())
    return false;
  if (watch().overhead.left_ns() < 0) return false;
  return std::ranges::any_of(graph.kernels, [](const auto& kernel) {
    const Slot& slot = *kernel.first;
    return slot.counts->times < timed_replays || slot.samples < watch().options.launches;
  });
}

}  // namespace

std::span<const CallId> graph_calls() { return calls; }
bool is_graph_call(CallId id) { return std::ranges::find(calls, id) != calls.end(); }

bool ends_graph(CallId id) { return id == driver_call::cuGraphExecDestroy; }

CUgraphExec Graphs::empty_graph(CUcontext context) {
  CUgraphExec& graph = empty_graphs_[context];
  if (graph == nullptr && make_empty_graph(graph) != CUDA_SUCCESS) graph = nullptr;
  return graph;
}

bool Graphs::launches_graphs(CUgraphExec graph) {
  const std::lock_guard lock(marking_);
  return launching_.contains(graph);
}

void Graphs::keep(CUgraphExec handle, CUgraph like, CUcontext context) {
  Graph& graph = graphs_[handle];
  graph.context = context;
  graph.device = watch().devices.current();
  graph.nodes = nodes_of(like);
  if (launches_graphs(handle)) graph.nodes.obstacle = "its kernels launch graphs";
  find_kernels(graph);
}

void Graphs::change_node(CallId id, const void* parameters) {
  const auto& change = *static_cast<const SetNode*>(parameters);
  const auto found = graphs_.find(change.graph);
  if (found == graphs_.end()) return;
  Graph& graph = found->second;
  const auto node = std::ranges::find(graph.nodes.nodes, change.node, &GraphNode::handle);
  const bool is_known = node != graph.nodes.nodes.end();
  if (id == driver_call::cuGraphNodeSetEnabled && is_known) {
    node->enabled = change.enabled != 0;
  } else if (id == driver_call::cuGraphExecMemcpyNodeSetParams && is_known) {
    node->action = *static_cast<const CUDA_MEMCPY3D*>(change.parameters);
  } else if (id == driver_call::cuGraphExecMemsetNodeSetParams && is_known) {
    node->action = *static_cast<const CUDA_MEMSET_NODE_PARAMS*>(change.parameters);
  } else if (id == driver_call::cuGraphExecHostNodeSetParams && is_known) {
    node->action = *static_cast<const CUDA_HOST_NODE_PARAMS*>(change.parameters);
  } else if (!is_known || !change_kernel(*node, id, change.parameters)) {
    graph.nodes.obstacle = "it was changed after it was instantiated";
  }
  find_kernels(graph);
}

CUresult Graphs::launch_kernel(const GraphNode& node, CUcontext context, CUstream stream) {
  const auto& kernel = std::get<KernelNode>(node.action);
  auto watched = watched_node(kernel, context, stream);
  if (!watched) return launch_node(node, stream);
  std::size_t bytes = kernel.parameters.size();
  ParameterBuffer buffer = buffer_of(kernel.parameters, bytes);
  watched->launch.extra = buffer.data();
  ObservedLaunch observed = observer_.begin(*watched, context);
  const CUresult result = launch_node(node, stream);
  observer_.note_launched(observed);
  return observer_.end(observed, result, [&] { return launch_node(node, stream); });
}

CUresult Graphs::launch_by_node(Graph& graph, CUstream stream) {
  ++graph.by_node;
  for (const GraphNode& node : graph.nodes.nodes) {
    if (!node.enabled) continue;
    const bool is_kernel = std::holds_alternative<KernelNode>(node.action);
    const CUresult result = is_kernel ? launch_kernel(node, graph.context, stream) : launch_node(node, stream);
    if (result != CUDA_SUCCESS) return result;
  }
  // The program may launch the graph into another stream next, where it would wait for this replay.
  return driver().cuStreamSynchronize(stream);
}

void Graphs::count_whole(GraphReplay& replay, CUcontext context, CUstream stream) {
  Graph& graph = *replay.graph;
  if (graph.slot == nullptr) return;
  const std::uint64_t at_ns = tick_ns();
  for (const auto& [slot, launches] : graph.kernels) {
    if (graph.nodes.obstacle == nullptr) watch().count_launches(*slot, launches, at_ns);
  }
  replay.whole = observer_.begin_graph(*graph.slot, context, stream);
  replay.is_known = graph.slot->counts->launches > timed_replays;
  if (graph.nodes.obstacle != nullptr) count_unseen(*graph.slot, Unseen::captured);
}

void Graphs::note_call(CallId id, CUcontext context, const void* parameters) {
  if (is_one_of(updates, id)) {
    const auto& update = *static_cast<const Update*>(parameters);
    if (graphs_.contains(update.graph)) keep(update.graph, update.like, graphs_[update.graph].context);
  } else if (is_one_of(instantiations, id)) {
    const auto& made = *static_cast<const Instantiate*>(parameters);
    keep(*made.made, made.graph, context);
  } else if (is_one_of(changes_of_nodes, id)) {
    change_node(id, parameters);
  }
}

void Graphs::note_end(const void* parameters) {
  CUgraphExec graph = *static_cast<CUgraphExec const*>(parameters);
  graphs_.erase(graph);
  const std::lock_guard lock(marking_);
  launching_.erase(graph);
}

void Graphs::note_launching(CUgraphExec graph) {
  const std::lock_guard lock(marking_);
  launching_.insert(graph);
}

GraphReplay Graphs::enter_launch(CallId id, CUcontext context, const void* parameters) {
  GraphReplay replay;
  auto& launch = *static_cast<LaunchGraph*>(const_cast<void*>(parameters));
  CUstream stream = launch.stream;
  if (is_per_thread(id) && stream == nullptr) stream = CU_STREAM_PER_THREAD;
  if (watch().is_captured(stream)) return replay;  // it becomes a part of another graph
  const auto found = graphs_.find(launch.graph);
  if (found == graphs_.end()) {
    ++watch().output.totals().graph_launches;
    return replay;
  }
  replay.graph = &found->second;
  CUgraphExec in_its_place = is_to_be_seen(*replay.graph, context) ? empty_graph(context) : nullptr;
  if (in_its_place == nullptr) {
    count_whole(replay, context, stream);
    return replay;
  }
  if (replay.graph->slot != nullptr) ++replay.graph->slot->counts->launches;
  replay.is_known = false;
  replay.result = launch_by_node(*replay.graph, stream);
  launch.graph = in_its_place;
  return replay;
}

CUresult Graphs::exit_launch(GraphReplay& replay, CUresult result) {
  if (replay.graph == nullptr) return result;
  if (replay.whole.slot != nullptr) {
    observer_.note_launched(replay.whole);
    const std::lock_guard lock(watch().mutex);
    return observer_.end(replay.whole, result, {});
  }
  return replay.result == CUDA_SUCCESS ? result : replay.result;
}

void Graphs::forget(CUcontext context) {
  std::erase_if(graphs_, [&](const auto& graph) { return graph.second.context == context; });
  empty_graphs_.erase(context);
}

}  // namespace gpumem::inject
