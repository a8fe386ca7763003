#pragma once
// The limit of a kernel of a user's program, according to the time that its stages take.

#include <string>
#include <string_view>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

struct KernelVerdict {
  std::string_view name;       ///< as in reports: "too_little_in_flight"; empty if unknown
  std::string_view cure = {};  ///< stable name of the cure: "share_out_work"; may be empty
  bool is_fine = false;        ///< reaches most of what limits it
  bool is_settled = false;     ///< a library's, whose caller can change nothing
  std::string brief = {};      ///< for a table's cell
  std::string full = {};       ///< a sentence: what, by which figures, and what would change it
};

/// Returns the verdict on a kernel's time, leaving wasteful accesses aside. It has no name if no time is predicted.
[[nodiscard]] KernelVerdict kernel_verdict(const Record& record);

/// Returns true if waiting for loads, one after another, takes far longer than all else.
[[nodiscard]] bool waits_for_loads(const std::vector<StageRecord>& stages);

/// Returns how many neighbouring elements a thread could take at once as a word of 16 bytes, given the bytes of its
/// widest access. Returns 1 if that gains nothing: from 4 bytes on, unless launching the blocks takes most of the time.
[[nodiscard]] unsigned elements_of_word(unsigned widest_bytes, const std::vector<StageRecord>& stages);

/// Verdicts on wasteful kernels, by their most wasteful site.
inline constexpr std::string_view wasteful_accesses_verdict = "wasteful_accesses";
inline constexpr std::string_view atomics_verdict = "atomics";
inline constexpr std::string_view local_memory_verdict = "local_memory";
inline constexpr std::string_view spilled_registers_verdict = "spilled_registers";
/// The verdict on a kernel without such a site whose threads take too little each.
inline constexpr std::string_view narrow_words_verdict = "narrow_words";

}  // namespace gpumem::report
