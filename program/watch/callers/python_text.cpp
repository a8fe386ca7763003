#include "program/watch/callers/python_text.hpp"

#include <algorithm>

#include "program/watch/callers/safe_memory.hpp"
#include "program/watch/utf8.hpp"

namespace gpumem::inject {

namespace {

/// Bits of PyASCIIObject::state.
struct TextState {
  unsigned character_bytes;
  bool compact;
  bool ascii;

  TextState(std::uint32_t state, unsigned interned_bits)
      : character_bytes(state >> interned_bits & 7U),
        compact((state >> (interned_bits + 3) & 1U) != 0),
        ascii((state >> (interned_bits + 4) & 1U) != 0) {}

  [[nodiscard]] bool is_possible() const {
    return compact && (character_bytes == 1 || (!ascii && (character_bytes == 2 || character_bytes == 4)));
  }
};

/// In which the first field, whether it is interned, has 2 bits; builds without the lock and 3.14 have it longer.
std::optional<TextState> state_of(std::uint32_t state) {
  for (const unsigned interned_bits : {2U, 8U, 16U}) {
    if (const TextState read(state, interned_bits); read.is_possible()) return read;
  }
  return std::nullopt;
}

}  // namespace

bool has_type(std::uintptr_t object, std::uintptr_t type) {
  return type != 0 && read_safely<std::uintptr_t>(object + object_type) == type;
}

std::optional<std::string> python_text(std::uintptr_t object, const PythonTypes& types, const PythonLayout& layout,
                                       std::size_t most) {
  if (!has_type(object, types.text)) return std::nullopt;
  const auto length = read_safely<std::int64_t>(object + text_length);
  const auto bits = read_safely<std::uint32_t>(object + text_state);
  if (!length || *length < 0 || !bits) return std::nullopt;
  const auto state = state_of(*bits);
  if (!state) return std::nullopt;
  const std::size_t count = std::min(static_cast<std::size_t>(*length), most);
  std::vector<std::uint8_t> characters(count * state->character_bytes);
  const std::uintptr_t begin = object + (state->ascii ? layout.ascii_bytes : layout.compact_bytes);
  if (!characters.empty() && !read_safely(begin, characters.data(), characters.size())) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < characters.size(); i += state->character_bytes) {
    char32_t code = 0;
    for (unsigned byte = 0; byte < state->character_bytes; ++byte) {
      code |= static_cast<char32_t>(characters[i + byte]) << (8 * byte);
    }
    append_utf8(text, code);
  }
  return text;
}

std::optional<std::vector<std::uint8_t>> python_bytes(std::uintptr_t object, const PythonTypes& types,
                                                      std::size_t most) {
  if (!has_type(object, types.bytes)) return std::nullopt;
  const auto length = read_safely<std::int64_t>(object + object_bytes);
  if (!length || *length < 0 || static_cast<std::size_t>(*length) > most) return std::nullopt;
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(*length));
  if (!bytes.empty() && !read_safely(object + bytes_content, bytes.data(), bytes.size())) return std::nullopt;
  return bytes;
}

// PyDictKeysObject (Objects/dict-common.h, since 3.11 Include/internal/pycore_dict.h): a head, a table of indices, and
// the entries in the order in which they came.
std::uintptr_t python_entry(std::uintptr_t dictionary, const char* key, const PythonTypes& types,
                            const PythonLayout& layout) {
  constexpr std::int64_t looked_at = 16;  // a module's name is the first of its names
  constexpr std::size_t longest = 32;
  constexpr std::uint64_t pointer = 8;
  if (!has_type(dictionary, types.dictionary)) return 0;
  const auto keys = read_safely<std::uintptr_t>(dictionary + dict_keys);
  if (!keys) return 0;
  std::int64_t count = 0;
  std::uintptr_t entries = 0;
  bool has_hash = true;
  if (layout.minor <= 10) {
    struct {
      std::int64_t references, size, look_up, usable, count;
    } head{};
    if (!read_safely(*keys, &head, sizeof(head)) || head.size <= 0 || head.size > INT32_MAX) return 0;
    const std::int64_t index_bytes = head.size <= 0xff ? 1 : head.size <= 0xffff ? 2 : 4;
    count = head.count;
    entries = *keys + sizeof(head) + static_cast<std::uintptr_t>(head.size * index_bytes);
  } else {
    struct {
      std::int64_t references;
      std::uint8_t log2_size, log2_index_bytes, kind;
      std::uint32_t version;
      std::int64_t usable, count;
    } head{};
    constexpr std::uint8_t general = 0;
    constexpr std::uint8_t of_text = 1;
    constexpr std::uint8_t most_log2 = 40;
    if (!read_safely(*keys, &head, sizeof(head)) || head.log2_index_bytes > most_log2 || head.kind > of_text) return 0;
    has_hash = head.kind == general;
    count = head.count;
    entries = *keys + sizeof(head) + (std::uintptr_t{1} << head.log2_index_bytes);
  }
  const std::uintptr_t entry_bytes = has_hash ? 3 * pointer : 2 * pointer;
  for (std::int64_t i = 0; i < std::min(count, looked_at); ++i, entries += entry_bytes) {
    const std::uintptr_t entry = entries + (has_hash ? pointer : 0);
    const auto name = read_safely<std::uintptr_t>(entry);
    if (!name) return 0;
    if (python_text(*name, types, layout, longest) != key) continue;
    return read_safely<std::uintptr_t>(entry + pointer).value_or(0);
  }
  return 0;
}

}  // namespace gpumem::inject
