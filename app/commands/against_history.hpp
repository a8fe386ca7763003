#pragma once
// `gpumem check --against`: the history that a GPU is held to, and the run that is added to it.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/output/history_file.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

class AgainstHistory {
 public:
  /// Reads the history, before anything is measured. Without --against there is none. `inputs` are other files that are
  /// read. Throws a usage error for a history that cannot be used, or not be written later, and for options that
  /// measure nothing.
  AgainstHistory(const CheckArguments& arguments, std::span<const std::string> inputs, const Environment& environment);

  /// Adds a check for each case that the history has.
  void add_to(std::vector<report::CheckRecord>& checks, const report::Report& report) const;
  /// The same after some cases were measured again. `before` are all checks before that.
  void add_again(std::vector<report::CheckRecord>& checks, std::span<const report::CheckRecord> before,
                 const report::Report& report, unsigned attempt) const;

  /// Adds the run of each GPU to the history, if that is a file. Throws an OutputError.
  void remember(const report::Report& report) const;

 private:
  std::optional<std::string> path_;
  bool is_file_ = false;
  History history_;
};

}  // namespace gpumem::app
