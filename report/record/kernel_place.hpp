#pragma once
// Which of a program's kernels a record is, as briefly as it can be told from the others.

#include <map>
#include <set>
#include <string>

#include "report/record/cases.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// One of a kernel's parameters, on one line; empty where the record does not have it.
[[nodiscard]] std::string text_of(const Record& kernel, const char* parameter);

/// In what the launches of one kernel differ. Looked up once for all: programs may have thousands.
class KernelLaunches {
 public:
  explicit KernelLaunches(const Cases& kernels);

  /// Which of them it is, where a kernel has several: " <<<4096, 256>>>", as a program says it, and " on GPU 1". Else
  /// empty.
  [[nodiscard]] std::string words(const Record& kernel) const;

 private:
  struct Several {
    std::set<std::string> shapes;
    std::set<std::string> devices;
  };
  std::map<std::string, Several> by_name_;
};

class KernelPlaces {
 public:
  explicit KernelPlaces(const Cases& kernels, std::size_t longest_name = 48);

  /// "transpose_tile<0> <<<256x256, 256>>>" of one of them: its name shortened as far as it differs from the others'.
  [[nodiscard]] std::string words(const Record& kernel) const;

 private:
  KernelLaunches launches_;
  std::map<std::string, std::string> short_names_;
};

}  // namespace gpumem::report
