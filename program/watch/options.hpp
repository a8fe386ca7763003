#pragma once
// The options of `gpumem run`, handed over in environment variables (environment.hpp).

#include <regex.h>

#include <cstdint>
#include <string>

#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

struct Options {
  std::string folder;  ///< empty: nobody asked
  EngineKind engine{};
  std::string sanitizer;  ///< where its library is; empty: not found
  std::string cupti;      ///< likewise
  bool replay = false;    ///< kernels are run again for what does not fit into one pass
  std::uint64_t launches = 1;
  bool each_shape = false;  ///< of each kernel, grid and block; else of a few of a kernel, the others being like these
  std::uint64_t skip_first = 0;
  std::string device;
  double max_overhead = 0.2;
  bool stays = false;  ///< all launches are counted
  bool has_kernel = false;
  regex_t kernel{};

  /// Returns true if a kernel of this demangled name is to be looked at closely.
  [[nodiscard]] bool wants_kernel(const char* name) const;
};

[[nodiscard]] Options read_options();

}  // namespace gpumem::inject
