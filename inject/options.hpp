#pragma once
// What `gpumem run` asked for, by the environment (environment.hpp).

#include <regex.h>

#include <cstdint>
#include <string>

namespace gpumem::inject {

struct Options {
  std::string folder;  ///< empty: nobody asked
  std::string sanitizer;
  std::uint64_t launches = 1;
  std::uint64_t skip_first = 0;
  std::string device;
  double max_overhead = 0.2;
  bool has_kernel = false;
  regex_t kernel{};

  /// Whether a kernel of this demangled name is to be seen access by access.
  [[nodiscard]] bool wants_kernel(const char* name) const;
};

[[nodiscard]] Options read_options();

}  // namespace gpumem::inject
