#pragma once
// The command that measures one kernel of a program again, after it was changed.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// Regular expressions that tell a program's kernels apart, as `gpumem run --kernel` takes them.
class KernelExpressions {
 public:
  explicit KernelExpressions(std::span<const Record> kernels);

  /// "^void tile<", "^void reduce<.*MinOps": matches the name, and of the program's other kernels none, unless they
  /// differ in nothing but characters that an expression cannot name. As short as that leaves it.
  [[nodiscard]] std::string of(std::string_view name) const;

 private:
  /// Names that begin so; none where it is this name alone.
  [[nodiscard]] std::span<const std::string> others_with(std::string_view beginning, std::string_view name) const;

  std::vector<std::string> names_;  // sorted, each once
};

/// "gpumem run --kernel '^void tile<' --output after.json -- python3 train.py", quoted for a shell.
[[nodiscard]] std::string measure_again_command(const std::string& expression, std::span<const std::string> command);

}  // namespace gpumem::report
