#pragma once
// CUDA graphs. A patch has no effect on a graph that was instantiated before it, and two events measure a graph as a
// whole. So the first replays of a graph are launched node by node, in the stream of the graph: its kernels are then
// sampled and timed like any others. Later replays run as the program wants them.

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "program/watch/driver_calls.hpp"
#include "program/watch/sites/graph_nodes.hpp"
#include "program/watch/sites/observed_launch.hpp"

namespace gpumem::inject {

/// Calls that make, change and destroy graphs that can be launched.
[[nodiscard]] std::span<const CallId> graph_calls();
[[nodiscard]] bool is_graph_call(CallId id);
/// Returns true if the call destroys a graph. The destruction has to be noted when the call begins, not when it ends.
[[nodiscard]] bool ends_graph(CallId id);

/// A graph that can be launched.
struct Graph {
  CUcontext context = nullptr;
  std::uint32_t device = 0;
  GraphNodes nodes;
  std::map<Slot*, std::uint32_t> kernels;  ///< launches of each in a replay
  Slot* slot = nullptr;                    ///< of the graph as a whole; null: nothing was launched of it
  std::uint64_t by_node = 0;               ///< replays
};

/// A call that launches a graph, from its beginning to its end.
struct GraphReplay {
  Graph* graph = nullptr;
  ObservedLaunch whole;
  bool is_known = true;  ///< it tells nothing that replays before it did not
  CUresult result = CUDA_SUCCESS;
};

/// The graphs that can be launched.
class Graphs {
 public:
  explicit Graphs(LaunchObserver& observer) : observer_(observer) {}

  // With the lock of `watch()` held, in relaxed capture mode:

  /// Comes after a call of `graph_calls` that ends no graph and has returned without an error.
  void note_call(CallId id, CUcontext context, const void* parameters);
  /// Comes when a call that ends a graph begins.
  void note_end(const void* parameters);

  /// Comes before a call that launches a graph. `parameters` are the call's, and may be changed so that the driver
  /// launches an empty graph.
  [[nodiscard]] GraphReplay enter_launch(CallId id, CUcontext context, const void* parameters);
  /// Comes after the call, without the lock. Returns the result that the call has to return.
  CUresult exit_launch(GraphReplay& replay, CUresult result);

  /// Drops what is kept of a context that has ended.
  void forget(CUcontext context);

  /// Notes that kernels of this graph launch graphs: it then runs as a whole. Any thread, with or without locks.
  void note_launching(CUgraphExec graph);

 private:
  [[nodiscard]] CUgraphExec empty_graph(CUcontext context);
  [[nodiscard]] bool launches_graphs(CUgraphExec graph);
  void keep(CUgraphExec handle, CUgraph like, CUcontext context);
  void change_node(CallId id, const void* parameters);
  [[nodiscard]] CUresult launch_kernel(const GraphNode& node, CUcontext context, CUstream stream);
  [[nodiscard]] CUresult launch_by_node(Graph& graph, CUstream stream);
  void count_whole(GraphReplay& replay, CUcontext context, CUstream stream);

  LaunchObserver& observer_;
  std::unordered_map<CUgraphExec, Graph> graphs_;
  std::unordered_map<CUcontext, CUgraphExec> empty_graphs_;

  std::mutex marking_;  ///< of `launching_`; never held while anything else is called
  std::unordered_set<CUgraphExec> launching_;
};

}  // namespace gpumem::inject
