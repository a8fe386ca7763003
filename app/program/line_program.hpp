#pragma once
// Line tables of DWARF: which line of the source each instruction came from.

#include <cstdint>
#include <string>
#include <string_view>

namespace gpumem::app {

/// A line of the source, or a file of it.
struct SourceLine {
  std::string folder;  ///< as the compiler knew it; may be empty
  std::string file;    ///< without folder
  std::uint64_t line = 0;
  bool operator==(const SourceLine&) const = default;
};

/// Takes what a table tells, in the order of the table.
class LineRows {
 public:
  virtual ~LineRows() = default;
  /// The number by which rows call the file.
  virtual std::uint32_t file(SourceLine file) = 0;
  /// Rows of other code follow. Where it begins: `address`, in the table `place` bytes from the beginning of the
  /// section.
  virtual void begin(std::uint64_t place, std::uint64_t address) = 0;
  /// From so many bytes behind the beginning on, code is of this line; of none (0), too.
  virtual void row(std::uint64_t offset, std::uint32_t file, std::uint64_t line) = 0;
  /// There the code ends.
  virtual void end(std::uint64_t offset) = 0;
};

/// Sections beside .debug_line that hold text of it; empty where there are none.
struct LineText {
  std::string_view strings;       ///< .debug_str
  std::string_view line_strings;  ///< .debug_line_str
};

/// Reads all units of a .debug_line section, versions 2 to 5. What is damaged tells less.
void read_line_table(std::string_view table, const LineText& text, LineRows& rows);

}  // namespace gpumem::app
