#pragma once
// The messages between a process and the copy that works for it: one JSON object a line.
//
// Requests say what to do, and how: {"do": "open" | "trial" | "run" | "count", "device": ..., "numa": ..., "counting":
// ..., "ci_width": ..., "time_budget_s": ..., "own_profiles": ..., "gpu": ...}, "gpu" only if somebody chose it. A
// trial or run adds {"probe": ..., "parameters": {...}} of its case; a count adds {"cases": [...], "records": [...]},
// where each case is {"probe": ..., "parameters": {...}}. A run with {"together": true} stops when the case is ready to
// be timed, and sends {"ready": true, "uses_host": ..., "numa_node": ...}; "numa_node" only if its host memory is bound
// to a node. It goes on when {"time_budget_s": ...} comes, with that much time. {"do": "wake"} alone starts CUDA, so
// that a later request finds it started; its answer is empty.
//
// An answer is a report of what is known of the GPU, with the records asked for. It also has {"goodness": x} for a
// trial, {"problem": text} if counting failed, and {"free_memory_bytes": n}, which a report does not have. Other
// answers are {"error": text, "kind": ...} and {"interrupted": true}. Every answer has "context_lost": true if the CUDA
// context is lost.

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/run/backend.hpp"
#include "engine/base/error.hpp"

namespace gpumem::app::messages {

using Json = nlohmann::ordered_json;

// In the order of the enumerators.
inline constexpr std::array<std::string_view, 4> error_kinds = {"usage", "no_gpu", "probe_failed",
                                                                "missing_capability"};
inline constexpr std::array<std::string_view, 3> countings = {"off", "if_possible", "required"};

template <std::size_t count, class Enumeration>
[[nodiscard]] std::string_view name_of(const std::array<std::string_view, count>& names, Enumeration enumerator) {
  return names.at(static_cast<std::size_t>(enumerator));
}

/// Returns the enumerator of a name, or `otherwise` if the name is not among them.
template <std::size_t count, class Enumeration>
[[nodiscard]] Enumeration of_name(const std::array<std::string_view, count>& names, std::string_view name,
                                  Enumeration otherwise) {
  for (std::size_t i = 0; i < count; ++i) {
    if (names.at(i) == name) return static_cast<Enumeration>(i);
  }
  return otherwise;
}

}  // namespace gpumem::app::messages
