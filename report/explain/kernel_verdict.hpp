#pragma once
// What limits a kernel of a user's program, by what its stages take of its time.

#include <string>
#include <string_view>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

struct KernelVerdict {
  std::string_view name;       ///< as reports have it: "too_little_in_flight"; empty where nothing is known
  std::string_view cure = {};  ///< a name that stays of what would change it: "share_out_work"; may be empty
  bool is_fine = false;        ///< reaches most of what limits it
  bool is_settled = false;     ///< a library's, whose caller can change nothing
  std::string brief = {};      ///< for a table's cell
  std::string full = {};       ///< a sentence: what, by which figures, and what would change it
};

/// Of its time, wasteful accesses apart. Nothing where no time is predicted.
[[nodiscard]] KernelVerdict kernel_verdict(const Record& record);

/// Whether waiting for loads, one after another, takes far longer than all else.
[[nodiscard]] bool waits_for_loads(const std::vector<StageRecord>& stages);

/// Neighbouring elements that a thread could take at once as a word of 16 bytes, if its widest access is of so many. 1
/// where that gains nothing: from 4 bytes on, unless launching so many blocks is what takes most of the time.
[[nodiscard]] unsigned elements_of_word(unsigned widest_bytes, const std::vector<StageRecord>& stages);

/// Verdicts on kernels that waste something, by which of their sites saves most.
inline constexpr std::string_view wasteful_accesses_verdict = "wasteful_accesses";
inline constexpr std::string_view atomics_verdict = "atomics";
inline constexpr std::string_view local_memory_verdict = "local_memory";
inline constexpr std::string_view spilled_registers_verdict = "spilled_registers";
/// On one whose threads take too little each, which has no such site.
inline constexpr std::string_view narrow_words_verdict = "narrow_words";

}  // namespace gpumem::report
