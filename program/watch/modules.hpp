#pragma once
// Machine code of modules, kept from when a module is loaded for when a kernel of it is seen.

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/watch/code_traits.hpp"
#include "program/watch/output.hpp"

namespace gpumem::inject {

/// The modules that are loaded. Any thread may call its functions.
class Modules {
 public:
  explicit Modules(Output& output) : output_(output) {}

  /// Keeps the module's code. Called with the driver's locks held: calls nothing of the driver's.
  void keep(CUmodule module, const char* cubin, std::size_t bytes);
  /// Forgets the module. As keep().
  void drop(CUmodule module);

  /// The number of the module's image in the files, which it is written to when it is first asked for; 0 where there is
  /// none that knows source lines.
  [[nodiscard]] std::uint32_t image_of(CUmodule module);
  /// Writes the code of a kernel of the module, by its name as the linker knows it, if it is there.
  void write_code(std::uint32_t kernel, CUmodule module, const std::string& name);
  [[nodiscard]] CodeTraits traits_of(CUmodule module, const std::string& name);

 private:
  struct Image {
    std::vector<char> code;
    std::uint32_t number = 0;  ///< once it is written

    [[nodiscard]] std::string_view text() const { return {code.data(), code.size()}; }
  };

  Output& output_;
  std::mutex mutex_;  ///< of all that follows; while it is held, nothing is called but the writing of events
  std::unordered_map<CUmodule, Image> images_;
  std::size_t kept_bytes_ = 0;
  std::uint32_t written_ = 0;
};

}  // namespace gpumem::inject
