// The table is a program (DWARF Debugging Information Format, versions 2 to 5, section 6.2): it moves through the code
// and gives the line at each step.

#include "program/read/line_program.hpp"

#include <utility>
#include <vector>

#include "program/read/elf_file.hpp"

namespace gpumem::program {

namespace {

/// More rows than any unit has, so that a damaged table ends.
constexpr std::size_t most_rows = std::size_t{1} << 22U;
constexpr std::size_t most_files = std::size_t{1} << 14U;
constexpr std::size_t most_path = 4096;
/// The limit of all paths of a table together. In version 5 a path takes 4 bytes of the table, however long it is.
constexpr std::size_t most_path_bytes = std::size_t{1} << 26U;

std::string_view text_in(std::string_view strings, std::uint64_t place) {
  if (place >= strings.size()) return {};
  return ByteReader(strings.substr(place)).text();
}

/// One unit of the table.
class LineProgram {
 public:
  /// `unit` begins behind its length, and ends `end` bytes behind the beginning of the section.
  LineProgram(std::string_view unit, std::uint64_t end, const LineText& text, LineRows& rows, std::size_t& path_bytes)
      : reader_(unit), end_(end), text_(text), rows_(rows), path_bytes_(path_bytes) {}

  void run() {
    if (!read_header()) return;
    while (reader_.left() > 0 && count_ < most_rows) step();
  }

 private:
  bool read_header() {
    version_ = reader_.read<std::uint16_t>();
    if (version_ < 2 || version_ > 5) return false;
    if (version_ == 5) static_cast<void>(reader_.read<std::uint16_t>());  // bytes of an address, of a segment
    const auto header_bytes = reader_.read<std::uint32_t>();
    ByteReader header(reader_.take(header_bytes));
    instruction_bytes_ = header.read<std::uint8_t>();
    if (version_ >= 4) static_cast<void>(header.read<std::uint8_t>());  // operations of an instruction
    static_cast<void>(header.read<std::uint8_t>());                     // whether a row begins a statement
    line_base_ = header.read<std::int8_t>();
    line_range_ = header.read<std::uint8_t>();
    opcode_base_ = header.read<std::uint8_t>();
    for (unsigned opcode = 1; opcode < opcode_base_; ++opcode) operands_.push_back(header.read<std::uint8_t>());
    version_ == 5 ? read_described_files(header) : read_files(header);
    return line_range_ > 0 && opcode_base_ > 0;
  }

  void read_files(ByteReader& header) {
    folders_ = {""};
    while (header.left() > 0) {
      const std::string_view folder = header.text();
      if (folder.empty()) break;
      folders_.emplace_back(folder.substr(0, most_path));
    }
    files_.push_back(0);  // they count from 1 on
    known_from_ = 1;
    while (header.left() > 0 && add_file(header)) {
    }
  }

  bool add_file(ByteReader& reader) {
    const std::string_view path = reader.text();
    if (path.empty()) return false;
    const std::uint64_t folder = reader.unsigned_leb();
    reader.unsigned_leb();  // when it was changed
    reader.unsigned_leb();  // how long it is
    return add_file(path, folder);
  }

  bool add_file(std::string_view path, std::uint64_t folder) {
    if (files_.size() >= most_files || !has_room_for(path)) return false;
    const std::size_t slash = path.rfind('/');
    SourceLine file{.folder = folder < folders_.size() ? folders_[folder] : "",
                    .file = std::string(path.substr(slash == std::string_view::npos ? 0 : slash + 1))};
    if (slash != std::string_view::npos) {
      const std::string_view own = path.substr(0, slash);
      file.folder =
          path.front() == '/' || file.folder.empty() ? std::string(own) : file.folder + "/" + std::string(own);
    }
    files_.push_back(rows_.file(std::move(file)));
    return true;
  }

  /// In version 5 the header says how each entry is written.
  void read_described_files(ByteReader& header) {
    for (const bool are_files : {false, true}) {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> format;  // what, and how it is written
      const unsigned parts = header.read<std::uint8_t>();
      for (unsigned i = 0; i < parts; ++i) {
        const std::uint64_t what = header.unsigned_leb();
        format.emplace_back(what, header.unsigned_leb());
      }
      const std::uint64_t count = header.unsigned_leb();
      if (format.empty()) continue;
      for (std::uint64_t i = 0; i < count && header.left() > 0; ++i) {
        if (!add_described(header, format, are_files)) return;
      }
    }
  }

  bool add_described(ByteReader& header, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& format,
                     bool is_file) {
    enum : std::uint64_t { path_part = 1, folder_part = 2 };
    std::string_view path;
    std::uint64_t folder = 0;
    for (const auto& [what, form] : format) {
      std::string_view text;
      std::uint64_t number = 0;
      if (!read_form(header, form, text, number)) return false;
      if (what == path_part) path = text;
      if (what == folder_part) folder = number;
    }
    if (is_file) return add_file(path, folder);
    if (folders_.size() >= most_files || !has_room_for(path)) return false;
    const bool is_relative = !path.starts_with('/') && !folders_.empty();
    folders_.push_back((is_relative ? folders_.front() + "/" : "") + std::string(path));
    return true;
  }

  bool has_room_for(std::string_view path) {
    path_bytes_ += path.size();
    return path.size() <= most_path && path_bytes_ <= most_path_bytes;
  }

  /// Returns false for a form that no compiler uses there.
  bool read_form(ByteReader& header, std::uint64_t form, std::string_view& text, std::uint64_t& number) const {
    enum : std::uint64_t {
      data2 = 0x05,
      data4 = 0x06,
      data8 = 0x07,
      string = 0x08,
      block = 0x09,
      data1 = 0x0b,
      strp = 0x0e,
      udata = 0x0f,
      data16 = 0x1e,
      line_strp = 0x1f
    };
    switch (form) {
      case string:
        text = header.text();
        return true;
      case strp:
        text = text_in(text_.strings, header.read<std::uint32_t>());
        return true;
      case line_strp:
        text = text_in(text_.line_strings, header.read<std::uint32_t>());
        return true;
      case data1:
        number = header.read<std::uint8_t>();
        return true;
      case data2:
        number = header.read<std::uint16_t>();
        return true;
      case data4:
        number = header.read<std::uint32_t>();
        return true;
      case data8:
        number = header.read<std::uint64_t>();
        return true;
      case udata:
        number = header.unsigned_leb();
        return true;
      case data16:
        static_cast<void>(header.take(16));
        return true;
      case block:
        static_cast<void>(header.take(header.unsigned_leb()));
        return true;
      default:
        return false;
    }
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
        offset_ += reader_.read<std::uint16_t>();
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
        ++count_;
        rows_.end(offset_);
        offset_ = 0;
        file_ = 1;
        line_ = 1;
        return;
      case set_address:
        rows_.begin(place, operands.read<std::uint64_t>());
        offset_ = 0;
        return;
      case define_file:
        add_file(operands);
        return;
      default:  // inlined calls among them: the rows that follow are of the function inlined
        return;
    }
  }

  void advance(std::uint64_t operations) { offset_ += operations * instruction_bytes_; }

  void add_row() {
    ++count_;
    const bool known = file_ >= known_from_ && file_ < files_.size();
    rows_.row(offset_, known ? files_[file_] : 0, known ? line_ : 0);
  }

  ByteReader reader_;
  std::uint64_t end_;
  const LineText& text_;
  LineRows& rows_;
  std::size_t& path_bytes_;  ///< of the table so far
  unsigned version_ = 0;
  unsigned instruction_bytes_ = 1;
  std::int8_t line_base_ = 0;
  unsigned line_range_ = 1;
  unsigned opcode_base_ = 1;
  std::vector<std::uint8_t> operands_;
  std::vector<std::string> folders_;
  std::vector<std::uint32_t> files_;  ///< as the rows call them
  std::uint64_t known_from_ = 0;
  std::uint64_t offset_ = 0;  ///< from where the code begins
  std::uint64_t file_ = 1;
  std::uint64_t line_ = 1;
  std::size_t count_ = 0;
};

}  // namespace

void read_line_table(std::string_view table, const LineText& text, LineRows& rows) {
  ByteReader units(table);
  std::size_t path_bytes = 0;
  while (units.left() > 0) {
    const auto bytes = units.read<std::uint32_t>();
    const std::string_view unit = units.take(bytes);
    LineProgram(unit, table.size() - units.left(), text, rows, path_bytes).run();
  }
}

}  // namespace gpumem::program
