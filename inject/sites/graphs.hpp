#pragma once
// CUDA graphs. A patch has no effect on a graph that was instantiated before it, and two events measure a graph as a
// whole. So the first replays of a graph are launched node by node, in the stream of the graph: its kernels are then
// sampled and timed like any others. Later replays run as the program wants them.

#include <cuda.h>

#include <span>

#include "inject/driver_calls.hpp"

namespace gpumem::inject {

/// Calls that make, change and destroy graphs that can be launched.
[[nodiscard]] std::span<const CallId> graph_calls();
[[nodiscard]] bool is_graph_call(CallId id);
/// Whether the call destroys a graph: what matters is then its begin.
[[nodiscard]] bool ends_graph(CallId id);

// With the lock of `watch()` held, in relaxed capture mode:

/// A call of `graph_calls` that ends none has returned without an error.
void note_graph_call(CallId id, CUcontext context, const void* parameters);
/// A call that ends a graph begins.
void note_graph_end(const void* parameters);
/// Kernels of this graph launch graphs: it runs as a whole.
void note_launching_graph(CUgraphExec graph);

/// A call launches a graph. `parameters` are the call's, and may be changed: what the driver launches is then an empty
/// graph.
void enter_graph_launch(CallId id, CUcontext context, const void* parameters);
/// Behind the call, without the lock. What the call has to return.
CUresult exit_graph_launch(CUresult result);

/// Drops what is kept of a context that has ended.
void forget_graphs(CUcontext context);

}  // namespace gpumem::inject
