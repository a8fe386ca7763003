#pragma once
// CUDA graphs. A patch has no effect on a graph that was instantiated before it, and two events measure a graph as a
// whole. So the first replays of a graph are launched node by node, in the stream of the graph: its kernels are then
// sampled and timed like any others. Later replays run as the program wants them.

#include <cuda.h>

#include <span>

#include "program/watch/driver_calls.hpp"

namespace gpumem::inject {

/// Calls that make, change and destroy graphs that can be launched.
[[nodiscard]] std::span<const CallId> graph_calls();
[[nodiscard]] bool is_graph_call(CallId id);
/// Returns true if the call destroys a graph. The destruction has to be noted when the call begins, not when it ends.
[[nodiscard]] bool ends_graph(CallId id);

// With the lock of `watch()` held, in relaxed capture mode:

/// Comes after a call of `graph_calls` that ends no graph and has returned without an error.
void note_graph_call(CallId id, CUcontext context, const void* parameters);
/// Comes when a call that ends a graph begins.
void note_graph_end(const void* parameters);
/// Notes that kernels of this graph launch graphs: it then runs as a whole.
void note_launching_graph(CUgraphExec graph);

/// Comes before a call that launches a graph. `parameters` are the call's, and may be changed so that the driver
/// launches an empty graph.
void enter_graph_launch(CallId id, CUcontext context, const void* parameters);
/// Comes after the call, without the lock. Returns the result that the call has to return.
CUresult exit_graph_launch(CUresult result);

/// Drops what is kept of a context that has ended.
void forget_graphs(CUcontext context);

}  // namespace gpumem::inject
