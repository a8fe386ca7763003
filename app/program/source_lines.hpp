#pragma once
// Which line of the source an instruction of a kernel came from: the line table of machine code compiled with
// -lineinfo.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/program/line_program.hpp"

namespace gpumem::app {

/// Of one image. Of inlined code, the line of the function that was inlined.
class SourceLines {
 public:
  SourceLines() = default;
  /// `elf` may be anything: what is no such table, or a damaged one, knows fewer lines.
  explicit SourceLines(std::string_view elf);

  /// The line of the instruction that lies so many bytes behind the beginning of the function. The function's name is
  /// as the linker knows it.
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

}  // namespace gpumem::app
