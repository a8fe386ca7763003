#include "program/read/source_lines.hpp"

#include <algorithm>
#include <utility>

#include "program/read/elf_file.hpp"

namespace gpumem::program {

namespace {

constexpr std::string_view lines_section = ".debug_line";

}  // namespace

/// Rows by function: where in it they begin says a relocation of the table.
class SourceLines::OfFunctions : public LineRows {
 public:
  OfFunctions(const ElfFile& file, SourceLines& lines) : functions_(file.relocations(lines_section)), lines_(lines) {}

  std::uint32_t file(SourceLine file) override {
    lines_.files_.push_back(std::move(file));
    return static_cast<std::uint32_t>(lines_.files_.size() - 1);
  }
  void begin(std::uint64_t place, std::uint64_t address) override {
    const auto function = functions_.find(place);
    rows_ = nullptr;
    if (function == functions_.end()) return;
    rows_ = &lines_.rows_[std::string(function->second.symbol.name)];
    begin_ = address + function->second.added;
  }
  void row(std::uint64_t offset, std::uint32_t file, std::uint64_t line) override {
    if (rows_ != nullptr) rows_->push_back({begin_ + offset, file, line});
  }
  void end(std::uint64_t offset) override {
    row(offset, 0, 0);  // what follows is another's
    rows_ = nullptr;
  }

 private:
  std::map<std::uint64_t, ElfRelocation> functions_;
  SourceLines& lines_;
  std::vector<Row>* rows_ = nullptr;  ///< of the function; null: not known
  std::uint64_t begin_ = 0;           ///< within the function
};

SourceLines::SourceLines(std::string_view elf) {
  const ElfFile file(elf);
  OfFunctions rows(file, *this);
  read_line_table(file.content(lines_section),
                  {.strings = file.content(".debug_str"), .line_strings = file.content(".debug_line_str")}, rows);
  for (auto& [function, of_function] : rows_) std::ranges::stable_sort(of_function, {}, &Row::offset);
}

std::optional<SourceLine> SourceLines::find(const std::string& function, std::uint64_t offset) const {
  const auto rows = rows_.find(function);
  if (rows == rows_.end()) return std::nullopt;
  const auto after = std::ranges::upper_bound(rows->second, offset, {}, &Row::offset);
  if (after == rows->second.begin()) return std::nullopt;
  const Row& row = *std::prev(after);
  if (row.line == 0) return std::nullopt;
  SourceLine line = files_[row.file];
  line.line = row.line;
  return line;
}

}  // namespace gpumem::program
