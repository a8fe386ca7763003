// The table is a program (DWARF Debugging Information Format, versions 2 to 4, section 6.2): it moves through the code
// and tells the line at each step. Where a function lies says a relocation of the table.

#include "app/program/source_lines.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "app/program/elf_file.hpp"

namespace gpumem::app {

namespace {

constexpr std::string_view lines_section = ".debug_line";

/// More than any kernel has: a damaged table ends.
constexpr std::size_t most_rows = std::size_t{1} << 22U;
constexpr std::size_t most_files = std::size_t{1} << 14U;
constexpr std::size_t most_path = 4096;

}  // namespace

/// One unit of the table.
class LineProgram {
 public:
  /// `unit` begins behind its length, `place` bytes from the beginning of the section.
  LineProgram(std::string_view unit, std::uint64_t place, const std::map<std::uint64_t, ElfRelocation>& functions,
              SourceLines& lines)
      : reader_(unit), end_(place + unit.size()), functions_(functions), lines_(lines) {}

  void run() {
    if (!read_header()) return;
    while (reader_.left() > 0 && rows_ < most_rows) step();
  }

 private:
  bool read_header() {
    const auto version = reader_.read<std::uint16_t>();
    if (version < 2 || version > 4) return false;
    const auto header_bytes = reader_.read<std::uint32_t>();
    ByteReader header(reader_.take(header_bytes));
    instruction_bytes_ = header.read<std::uint8_t>();
    if (version == 4) static_cast<void>(header.read<std::uint8_t>());  // operations of an instruction
    static_cast<void>(header.read<std::uint8_t>());                    // whether a row begins a statement
    line_base_ = header.read<std::int8_t>();
    line_range_ = header.read<std::uint8_t>();
    opcode_base_ = header.read<std::uint8_t>();
    for (unsigned opcode = 1; opcode < opcode_base_; ++opcode) operands_.push_back(header.read<std::uint8_t>());
    folders_ = {""};
    while (header.left() > 0) {
      const std::string_view folder = header.text();
      if (folder.empty()) break;
      folders_.emplace_back(folder.substr(0, most_path));
    }
    while (header.left() > 0 && add_file(header)) {
    }
    return line_range_ > 0 && opcode_base_ > 0;
  }

  bool add_file(ByteReader& reader) {
    const std::string_view path = reader.text();
    if (path.empty() || lines_.files_.size() >= most_files || path.size() > most_path) return false;
    const std::uint64_t folder = reader.unsigned_leb();
    reader.unsigned_leb();  // when it was changed
    reader.unsigned_leb();  // how long it is
    const std::size_t slash = path.rfind('/');
    SourceLine file{.folder = folder < folders_.size() ? folders_[folder] : "",
                    .file = std::string(path.substr(slash == std::string_view::npos ? 0 : slash + 1))};
    if (slash != std::string_view::npos) {
      const std::string_view own = path.substr(0, slash);
      file.folder =
          path.front() == '/' || file.folder.empty() ? std::string(own) : file.folder + "/" + std::string(own);
    }
    files_.push_back(static_cast<std::uint32_t>(lines_.files_.size()));
    lines_.files_.push_back(std::move(file));
    return true;
  }

  void step() {
    enum : std::uint8_t {
      extended,
      copy,
      advance_pc,
      advance_line,
      set_file,
      column,
      statement,
      block,
      add_pc,
      fixed_pc
    };
    const auto opcode = reader_.read<std::uint8_t>();
    if (opcode >= opcode_base_) {
      const unsigned special = opcode - opcode_base_;
      advance(special / line_range_);
      line_ += static_cast<std::uint64_t>(std::int64_t{line_base_} + special % line_range_);
      add_row();
      return;
    }
    switch (opcode) {
      case extended:
        return step_extended();
      case copy:
        return add_row();
      case advance_pc:
        return advance(reader_.unsigned_leb());
      case advance_line:
        line_ += static_cast<std::uint64_t>(reader_.signed_leb());
        return;
      case set_file:
        file_ = reader_.unsigned_leb();
        return;
      case add_pc:
        return advance((255U - opcode_base_) / line_range_);
      case fixed_pc:
        address_ += reader_.read<std::uint16_t>();
        return;
      case column:
      case statement:
      case block:
      default:
        for (unsigned i = 0; i < operands_[opcode - 1U]; ++i) reader_.unsigned_leb();
    }
  }

  void step_extended() {
    enum : std::uint8_t { end_sequence = 1, set_address = 2, define_file = 3 };
    const std::uint64_t bytes = reader_.unsigned_leb();
    const std::uint64_t place = end_ - reader_.left() + 1;  // behind the opcode
    ByteReader operands(reader_.take(bytes));
    switch (operands.read<std::uint8_t>()) {
      case end_sequence:
        line_ = 0;  // what follows is another's
        add_row();
        address_ = 0;
        function_.clear();
        file_ = 1;
        line_ = 1;
        return;
      case set_address: {
        address_ = operands.read<std::uint64_t>();
        const auto function = functions_.find(place);
        if (function == functions_.end()) return;
        function_ = function->second.symbol.name;
        begin_ = function->second.symbol.value;
        address_ += begin_ + function->second.added;
        return;
      }
      case define_file:
        add_file(operands);
        return;
      default:  // inlined calls among them: the rows that follow are of the function inlined
        return;
    }
  }

  void advance(std::uint64_t operations) { address_ += operations * instruction_bytes_; }

  void add_row() {
    ++rows_;
    if (function_.empty()) return;
    const bool known = file_ >= 1 && file_ <= files_.size();
    lines_.rows_[function_].push_back({address_ - begin_, known ? files_[file_ - 1] : 0, known ? line_ : 0});
  }

  ByteReader reader_;
  std::uint64_t end_;
  const std::map<std::uint64_t, ElfRelocation>& functions_;
  SourceLines& lines_;
  unsigned instruction_bytes_ = 1;
  std::int8_t line_base_ = 0;
  unsigned line_range_ = 1;
  unsigned opcode_base_ = 1;
  std::vector<std::uint8_t> operands_;
  std::vector<std::string> folders_;
  std::vector<std::uint32_t> files_;  ///< indices into those of the image
  std::string function_;              ///< empty: not known
  std::uint64_t begin_ = 0;           ///< of the function
  std::uint64_t address_ = 0;
  std::uint64_t file_ = 1;
  std::uint64_t line_ = 1;
  std::size_t rows_ = 0;
};

SourceLines::SourceLines(std::string_view elf) {
  const ElfFile file(elf);
  const std::string_view table = file.content(lines_section);
  const auto functions = file.relocations(lines_section);
  ByteReader units(table);
  while (units.left() > 0) {
    const auto bytes = units.read<std::uint32_t>();
    const std::uint64_t place = table.size() - units.left();
    LineProgram(units.take(bytes), place, functions, *this).run();
  }
  for (auto& [function, rows] : rows_) std::ranges::stable_sort(rows, {}, &Row::offset);
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

}  // namespace gpumem::app
