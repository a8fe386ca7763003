#pragma once
// What a process and the copy that works for it say to each other, a JSON object a line.
//
// Requests say what to do, and how: {"do": "open" | "trial" | "run" | "count", "device": ..., "numa": ...,
// "counting": ..., "ci_width": ..., "time_budget_s": ..., "own_profiles": ..., "gpu": ...}, the last if somebody chose
// it, with {"probe": ..., "parameters": {...}} of a case or, to count, {"cases": [...], "records": [...]}, where each
// case is {"probe": ..., "parameters": {...}}. To run a case "together" is: {"ready": true, "uses_host": ...,
// "numa_node": ...} comes back when it could be timed, the last if its host memory is bound to a node.
// {"time_budget_s": ...} lets it go on, with so much time.
//
// Answers are a report of what is known of the GPU, with the records asked for; beside that {"goodness": x} of a trial,
// {"problem": text} of counting, and {"free_memory_bytes": n}, which a report does not say; or {"error": text, "kind":
// ...}; or {"interrupted": true}. All say whether the "context_lost" is.

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

/// The enumerator of a name; `otherwise` where it is none.
template <std::size_t count, class Enumeration>
[[nodiscard]] Enumeration of_name(const std::array<std::string_view, count>& names, std::string_view name,
                                  Enumeration otherwise) {
  for (std::size_t i = 0; i < count; ++i) {
    if (names.at(i) == name) return static_cast<Enumeration>(i);
  }
  return otherwise;
}

}  // namespace gpumem::app::messages
