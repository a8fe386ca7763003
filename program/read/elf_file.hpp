#pragma once
// A 64-bit ELF file: the sections, symbols and relocations that its line table needs. The bytes may be anything;
// nothing is read beyond their end.

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gpumem::program {

/// Reads bytes from the front. A value that is not complete reads as 0, and then nothing is left.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  template <class T>
  T read() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (left_.size() < sizeof(T)) {
      left_ = {};
    } else {
      std::memcpy(&value, left_.data(), sizeof(T));
      left_.remove_prefix(sizeof(T));
    }
    return value;
  }
  [[nodiscard]] std::string_view take(std::uint64_t bytes);
  [[nodiscard]] std::string_view text();  ///< up to a zero, which is passed over
  std::uint64_t unsigned_leb();
  std::int64_t signed_leb();
  [[nodiscard]] std::size_t left() const { return left_.size(); }

 private:
  std::string_view left_;
};

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::string_view content;
};

struct ElfSymbol {
  std::string_view name;    ///< of one that stands for a section of code, its function's
  std::uint64_t value = 0;  ///< from the beginning of its section
};

struct ElfRelocation {
  ElfSymbol symbol;
  std::uint64_t added = 0;  ///< beside the symbol's value
};

class ElfFile {
 public:
  /// Has no sections if the bytes are no such file.
  explicit ElfFile(std::string_view bytes);

  /// The section's content; empty if there is none.
  [[nodiscard]] std::string_view content(std::string_view section) const;
  /// The relocations of a section, by the place in it that they add to.
  [[nodiscard]] std::map<std::uint64_t, ElfRelocation> relocations(std::string_view section) const;

 private:
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

}  // namespace gpumem::program
