// Formats: Objects/lnotab_notes.txt of CPython 3.9 and 3.10, Objects/locations.md of 3.11.

#include "program/watch/callers/python_lines.hpp"

namespace gpumem::inject {

namespace {

using Table = std::span<const std::uint8_t>;

std::uint32_t possible_line(std::int64_t line) {
  return line > 0 && line <= INT32_MAX ? static_cast<std::uint32_t>(line) : 0;
}

/// Pairs: so many bytes further, so many lines further.
std::uint32_t line_by_increments(Table table, std::int64_t line, std::uint64_t instruction) {
  std::uint64_t address = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    address += table[i];
    if (address > instruction) break;
    line += static_cast<std::int8_t>(table[i + 1]);
  }
  return possible_line(line);
}

/// Pairs: a range of so many bytes is so many lines further, or has none.
std::uint32_t line_by_ranges(Table table, std::int64_t line, std::uint64_t instruction) {
  constexpr std::int8_t no_line = -128;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    end += table[i];
    const auto further = static_cast<std::int8_t>(table[i + 1]);
    if (further != no_line) line += further;
    if (instruction < end) return further == no_line ? 0 : possible_line(line);
  }
  return 0;
}

/// Numbers of 6 bits a byte, the low ones first.
class Varints {
 public:
  explicit Varints(Table bytes) : left_(bytes) {}

  [[nodiscard]] bool empty() const { return left_.empty(); }
  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !left_.empty(); shift += 6) {
      const std::uint8_t part = byte();
      if (shift < 60) value |= std::uint64_t{part & 0x3fU} << shift;
      if ((part & 0x40U) == 0) break;
    }
    return value;
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    const auto amount = static_cast<std::int64_t>(value >> 1U);
    return (value & 1U) != 0 ? -amount : amount;
  }

 private:
  Table left_;
};

std::uint32_t line_by_locations(Table table, std::int64_t line, std::uint64_t instruction) {
  enum : unsigned { first_with_line = 10, last_with_line = 12, line_alone = 13, all = 14, nothing = 15 };
  constexpr unsigned instruction_bytes = 2;
  Varints entries(table);
  for (std::uint64_t end = 0; !entries.empty();) {
    const std::uint8_t first = entries.byte();
    if ((first & 0x80U) == 0) return 0;  // what begins an entry has this bit
    const unsigned kind = first >> 3U & 15U;
    end += instruction_bytes * ((first & 7U) + 1);
    if (kind < first_with_line) {
      entries.byte();  // columns
    } else if (kind <= last_with_line) {
      line += kind - first_with_line;
      entries.byte();
      entries.byte();
    } else if (kind != nothing) {
      line += entries.signed_number();
      if (kind == all) {
        entries.number();  // lines to the end, columns
        entries.number();
        entries.number();
      }
    }
    if (line < INT32_MIN || line > INT32_MAX) return 0;
    if (instruction < end) return kind == nothing ? 0 : possible_line(line);
  }
  return 0;
}

}  // namespace

std::uint32_t python_line(PythonLines kind, Table table, std::uint32_t first_line, std::uint64_t instruction) {
  switch (kind) {
    case PythonLines::increments:
      return line_by_increments(table, first_line, instruction);
    case PythonLines::ranges:
      return line_by_ranges(table, first_line, instruction);
    case PythonLines::locations:
      return line_by_locations(table, first_line, instruction);
  }
  return 0;
}

}  // namespace gpumem::inject
