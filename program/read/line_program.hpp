#pragma once
// Line tables of DWARF: the source line that each instruction came from.

#include <cstdint>
#include <string>
#include <string_view>

namespace gpumem::program {

/// A line of the source, or a file of it.
struct SourceLine {
  std::string folder;  ///< as the compiler knew it; may be empty
  std::string file;    ///< without folder
  std::uint64_t line = 0;
  bool operator==(const SourceLine&) const = default;
};

/// Takes the content of a table, in the table's order.
class LineRows {
 public:
  virtual ~LineRows() = default;
  /// Returns the number by which rows refer to the file.
  virtual std::uint32_t file(SourceLine file) = 0;
  /// The rows of other code follow, which begins at `address`. The table holds that address `place` bytes from the
  /// beginning of the section.
  virtual void begin(std::uint64_t place, std::uint64_t address) = 0;
  /// From `offset` bytes behind the beginning on, code is of this line; 0 stands for no line.
  virtual void row(std::uint64_t offset, std::uint32_t file, std::uint64_t line) = 0;
  /// The code ends `offset` bytes behind its beginning.
  virtual void end(std::uint64_t offset) = 0;
};

/// The sections beside .debug_line that hold its texts; empty if there are none.
struct LineText {
  std::string_view strings;       ///< .debug_str
  std::string_view line_strings;  ///< .debug_line_str
};

/// Reads all units of a .debug_line section, versions 2 to 5. A damaged table gives fewer rows.
void read_line_table(std::string_view table, const LineText& text, LineRows& rows);

}  // namespace gpumem::program
