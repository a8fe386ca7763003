#pragma once
// The kernels of a program in groups that are shown differently, and sentences on those without a row.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/cases.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// The sum of a metric over the cases that have it.
[[nodiscard]] double sum_of(const Cases& cases, const char* metric);

class ProgramKernels {
 public:
  /// Groups the kernels of a program's report, which has to outlive this. At most `most_rows` kernels have a row.
  ProgramKernels(const Report& report, std::size_t most_rows);

  Cases rows;     ///< those with advice, most saved first; then those that take time and have no known saving
  Cases fine;     ///< nothing is worth saving, and there is nothing else to say
  Cases settled;  ///< of libraries, whose caller can change nothing
  Cases beyond;   ///< with advice, after the last row
  Cases fused;    ///< improved by the same change as a kernel with advice, which names them
  Cases alike;    ///< grids that were not looked at, of kernels of which another grid has advice
  Cases others;   ///< looked at, without a known saving and without a row
  Cases unseen;   ///< not looked at, and without a row

  [[nodiscard]] const std::vector<AdviceRecord>& advice() const { return advice_; }
  /// The advice on a kernel; null if there is none.
  [[nodiscard]] const AdviceRecord* advice_on(const Record& kernel) const;
  /// A kernel's advice, why it was not seen, or its limit.
  [[nodiscard]] std::string reason(const Record& kernel) const;
  /// The text of a kernel's cell: its reason, then its caller.
  [[nodiscard]] std::string why(const Record& kernel) const;
  /// Sentences on the launches that were not seen and why, and the notes of the run. Leaves out what `rows` tell.
  [[nodiscard]] std::vector<std::string> not_seen() const;
  /// "2 kernels are fine: 29 % of the GPU time."; a sentence for each of the groups without anything to do beyond the
  /// advice.
  [[nodiscard]] std::vector<std::string> nothing_to_do() const;

 private:
  const Report& report_;
  std::vector<AdviceRecord> advice_;
  std::vector<const AdviceRecord*> by_result_;
};

/// "1 launch", "60 launches".
[[nodiscard]] std::string launches_words(std::uint64_t count);
/// "5 kernels", or "5 kernels in 7 launch configurations".
[[nodiscard]] std::string kernel_words(const Cases& cases, std::string_view more = "");
/// The way in which launches were looked at: "seen access by access".
[[nodiscard]] std::string looked_words(const ProgramRecord& program);
/// The command as a shell takes it, cut at so many columns.
[[nodiscard]] std::string command_words(const ProgramRecord& program, std::size_t width);
/// Explains two columns in a table of these kernels: the whole that shares refer to, and the source of the savings.
[[nodiscard]] std::string program_legend(const Report& report, const Cases& rows);

}  // namespace gpumem::report
