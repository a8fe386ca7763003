#pragma once
// Names that tell a program's kernels apart, as short as possible.

#include <map>
#include <set>
#include <string>

#include "report/record/cases.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// The value of a kernel's parameter, on one line; empty if the record does not have it.
[[nodiscard]] std::string text_of(const Record& kernel, const char* parameter);

/// Tells kernels of one name apart by their launches. Built once for all, because a program may have thousands.
class KernelLaunches {
 public:
  explicit KernelLaunches(const Cases& kernels);

  /// Returns the launch, as " <<<4096, 256>>>", if kernels of this name have several grids or blocks, and " on GPU 1"
  /// if they ran on several GPUs; else empty.
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

  /// "transpose_tile<0> <<<256x256, 256>>>": the kernel's name, as short as it can be and still differ from the others,
  /// and its launch.
  [[nodiscard]] std::string words(const Record& kernel) const;

 private:
  KernelLaunches launches_;
  std::map<std::string, std::string> short_names_;
};

}  // namespace gpumem::report
