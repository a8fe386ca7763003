#pragma once
// The functions and lines of host code, from the files of the program and its libraries.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/read/line_program.hpp"

namespace gpumem::program {

struct HostPlace {
  std::string function;            ///< as the linker knows it; empty: not known
  std::optional<SourceLine> line;  ///< nothing where it was not compiled with -g
};

/// The functions and lines of one file. Compressed tables and tables in files of their own are not read.
class HostCode {
 public:
  HostCode() = default;
  /// `elf` may be anything, and is not kept.
  explicit HostCode(std::string_view elf);

  /// Returns the place of an instruction by its address, as the file counts.
  [[nodiscard]] HostPlace find(std::uint64_t address) const;

 private:
  class AllRows;
  struct Row {
    std::uint64_t address = 0;  ///< from here on
    std::uint32_t file = 0;     ///< index into `files_`
    std::uint32_t line = 0;     ///< 0: none
  };
  struct Function {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::string name;
  };

  void add_functions(std::string_view symbols, std::string_view names);

  std::vector<SourceLine> files_;
  std::vector<Row> rows_;            ///< by address
  std::vector<Function> functions_;  ///< by address
};

/// Reads each file once, when it is first asked for.
class HostCodes {
 public:
  /// Empty if the file is gone, or has changed since it had the mark (inject::mark_of).
  [[nodiscard]] HostPlace find(const std::string& file, std::uint32_t mark, std::uint64_t address);

 private:
  std::map<std::pair<std::string, std::uint32_t>, HostCode> codes_;
};

}  // namespace gpumem::program
