#pragma once
// Finds the source line of a kernel's instruction, in the line table of machine code compiled with -lineinfo.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/read/line_program.hpp"

namespace gpumem::program {

/// The source lines of one image. Inlined code has the line of the function that was inlined.
class SourceLines {
 public:
  SourceLines() = default;
  /// `elf` may be anything: without a line table, or with a damaged one, fewer lines are known.
  explicit SourceLines(std::string_view elf);

  /// Returns the line of the instruction `offset` bytes behind the beginning of the function, or nullopt if it is not
  /// known. `function` is the name that the linker knows.
  [[nodiscard]] std::optional<SourceLine> find(const std::string& function, std::uint64_t offset) const;

 private:
  struct Row {
    std::uint64_t offset = 0;  ///< from here on
    std::uint32_t file = 0;    ///< index into `files_`
    std::uint64_t line = 0;    ///< 0: none
  };

  class OfFunctions;
  std::vector<SourceLine> files_;
  std::map<std::string, std::vector<Row>, std::less<>> rows_;  ///< by function, in the order of their offsets
};

}  // namespace gpumem::program
