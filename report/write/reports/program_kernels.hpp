#pragma once
// The kernels of a program in groups that are said differently, and what is said of those without a row of their own.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/cases.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// A metric, as far as it is finite.
[[nodiscard]] std::optional<double> finite_value(const Record& record, const char* metric);
/// Of all that have it.
[[nodiscard]] double sum_of(const Cases& cases, const char* metric);

class ProgramKernels {
 public:
  /// Of a report of a program, which has to outlive this. At most `most_rows` have a row.
  ProgramKernels(const Report& report, std::size_t most_rows);

  Cases rows;     ///< those of the advice, most saved first; then those that take time and of which no saving is known
  Cases fine;     ///< with nothing worth saving, and nothing else to say
  Cases settled;  ///< of libraries, whose caller can change nothing
  Cases beyond;   ///< the first rows: with advice
  Cases others;   ///< looked at, without a saving that is known and without a row
  Cases unseen;   ///< without a row either

  [[nodiscard]] const std::vector<AdviceRecord>& advice() const { return advice_; }
  /// On a kernel; null where there is none.
  [[nodiscard]] const AdviceRecord* advice_on(const Record& kernel) const;
  /// What there is to say of a kernel in a cell: its advice, why it was not seen, or what limits it, and who asked for
  /// it.
  [[nodiscard]] std::string why(const Record& kernel) const;
  /// What was not seen and why, and the notes of the run: a sentence each. What `rows` tell is left out.
  [[nodiscard]] std::vector<std::string> not_seen() const;
  /// "2 kernels are fine: 29 % of the GPU time."; a sentence for each of the groups without anything to do.
  [[nodiscard]] std::vector<std::string> nothing_to_do() const;

 private:
  [[nodiscard]] std::string reason(const Record& kernel) const;

  const Report& report_;
  std::vector<AdviceRecord> advice_;
  std::vector<const AdviceRecord*> by_result_;
};

/// "1 launch", "60 launches".
[[nodiscard]] std::string launches_words(std::uint64_t count);
/// "5 kernels", or how many pairs of grid and block of them.
[[nodiscard]] std::string kernel_words(const Cases& cases, std::string_view more = "");
/// How launches were looked at: "seen access by access".
[[nodiscard]] std::string looked_words(const ProgramRecord& program);
/// The command as a shell takes it, cut at so many columns.
[[nodiscard]] std::string command_words(const ProgramRecord& program, std::size_t width);
/// What the columns of a table of these kernels are shares of, and where their savings come from.
[[nodiscard]] std::string program_legend(const Report& report, const Cases& rows);

}  // namespace gpumem::report
