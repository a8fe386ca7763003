#include "engine/pattern/index_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <filesystem>
#include <limits>

#include "engine/base/error.hpp"
#include "engine/pattern/index_column.hpp"
#include "engine/pattern/index_file_text.hpp"
#include "engine/pattern/matrix_market.hpp"
#include "engine/pattern/npy.hpp"
#include "engine/pattern/npz.hpp"
#include "engine/pattern/zip_archive.hpp"

namespace gpumem::pattern {

namespace {

struct Extension {
  std::string_view name;
  IndexFormat format;
};

constexpr std::array<Extension, 16> extensions = {{
    {".npy", IndexFormat::npy},
    {".npz", IndexFormat::npz},
    {".mtx", IndexFormat::mtx},
    {".u32", IndexFormat::u32},
    {".uint32", IndexFormat::u32},
    {".u64", IndexFormat::u64},
    {".uint64", IndexFormat::u64},
    {".i32", IndexFormat::i32},
    {".int32", IndexFormat::i32},
    {".i64", IndexFormat::i64},
    {".int64", IndexFormat::i64},
    {".txt", IndexFormat::text},
    {".csv", IndexFormat::text},
    {".tsv", IndexFormat::text},
    {".dat", IndexFormat::text},
    {".json", IndexFormat::spatter},
}};

struct RawType {
  unsigned word_bytes = 0;
  bool is_signed = false;
  bool big_endian = false;
};

RawType raw_type(IndexFormat format) {
  const std::string_view name = to_string(format);  // "i64be"
  const char size = name.at(1);
  return {.word_bytes = size == '1'   ? 2U
                        : size == '3' ? 4U
                                      : 8U,
          .is_signed = name.front() == 'i',
          .big_endian = name.ends_with("be")};
}

IndexSequence sequence_of(const ByteSource& source, WordBuffer words, IndexFormat format) {
  const auto [word_bytes, is_signed, big_endian] = raw_type(format);
  if (words.bytes() == 0) {
    throw usage_error(
        fmt::format("{}: is empty; expected {} indices of {} bytes", source.name, to_string(format), word_bytes));
  }
  if (words.bytes() % word_bytes != 0) {
    throw usage_error(
        fmt::format("{}: is truncated, or of another type: its {} bytes are no multiple of {}, the size of {}; pass "
                    "what it is, --index-format {}",
                    source.name, words.bytes(), word_bytes, to_string(format), fmt::join(named_index_formats, "|")));
  }
  if (big_endian != (std::endian::native == std::endian::big)) swap_bytes(words, word_bytes);
  IndexSequence indices(std::move(words), word_bytes);
  require_indices(indices, is_signed, source.name);
  return indices;
}

bool are_words(IndexFormat format) { return format >= IndexFormat::u16 && format <= IndexFormat::i64be; }

/// The content of the file, unpacked. Bytes that are said to be words may look like anything, so they are unpacked only
/// if the name says that they are packed.
ByteSource content_of(ByteSource source, std::optional<IndexFormat> format) {
  if (format && are_words(*format) && without_packing(source.name) == source.name) return source;
  bool packed = false;
  source.read = unpacked(std::move(source.read), source.name, packed);
  if (packed) source.bytes.reset();
  return source;
}

IndexFile read_unnamed_words(const ByteSource& source) {
  WordBuffer words = read_words(source, std::numeric_limits<std::uint64_t>::max());
  if (words.bytes() % sizeof(std::uint32_t) != 0) {
    throw usage_error(
        fmt::format("{}: is neither text, nor an array of numpy.save, nor words of 4 or 8 bytes: it has {} bytes, and "
                    "control characters among them; pass what it is, --index-format {}",
                    source.name, words.bytes(), fmt::join(named_index_formats, "|")));
  }
  const IndexFormat format = format_of_words(words, source.name);
  return {sequence_of(source, std::move(words), format), format, true};
}

void refuse_foreign(std::string_view begin, const std::string& source) {
  if (const auto what = foreign_file(begin)) throw usage_error(source + ": " + *what);
}

constexpr std::size_t begin_bytes = 4096;  // of a file: enough to tell text from words

}  // namespace

std::string_view to_string(IndexFormat format) { return index_format_names.at(static_cast<std::size_t>(format)); }

std::optional<IndexFormat> index_format_of_name(std::string_view name) {
  const auto* const found = std::ranges::find(index_format_names, name);
  if (found == index_format_names.end()) return std::nullopt;
  return static_cast<IndexFormat>(found - index_format_names.begin());
}

std::optional<IndexFormat> index_format_of_path(const std::string& path) {
  std::string extension = std::filesystem::path(without_packing(path)).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const found = std::ranges::find(extensions, extension, &Extension::name);
  return found == extensions.end() ? std::nullopt : std::optional(found->format);
}

std::optional<IndexFormat> index_format_of_begin(std::string_view begin) {
  if (begin.starts_with(npy_magic)) return IndexFormat::npy;
  if (begin.starts_with(zip_begin)) return IndexFormat::npz;
  if (begin.starts_with(matrix_market_begin)) return IndexFormat::mtx;
  const auto is_no_text = [](unsigned char c) { return (c < ' ' && !(c >= '\t' && c <= '\r')) || c == 0x7f; };
  if (std::ranges::any_of(begin, is_no_text)) return std::nullopt;
  const auto first = begin.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && (begin[first] == '[' || begin[first] == '{');
  return is_json ? IndexFormat::spatter : IndexFormat::text;
}

namespace {

IndexSequence read_as(IndexFormat format, const ByteSource& source, const std::optional<std::string>& column) {
  if (column && format != IndexFormat::text && format != IndexFormat::npz) {
    throw usage_error(fmt::format("{}: has no columns, for it was read as {}; leave --index-column out", source.name,
                                  to_string(format)));
  }
  switch (format) {
    case IndexFormat::npy:
      return read_npy(source);
    case IndexFormat::text:
      return column ? read_index_column(source, *column) : read_index_text(source);
    case IndexFormat::npz:
      return read_npz(source, column);
    case IndexFormat::mtx:
      return read_matrix_market(source);
    case IndexFormat::spatter:
      throw usage_error(
          fmt::format("{}: holds configurations of Spatter, where a list of indices is expected", source.name));
    default:
      return sequence_of(source, read_words(source, std::numeric_limits<std::uint64_t>::max()), format);
  }
}

/// Reads a file in the format that `said` names, else in that of `hint`, which the file's name gives, else in the one
/// that its content shows.
IndexFile read(const ByteSource& packed, const SaidOfFile& said, std::optional<IndexFormat> hint) {
  ByteSource source = content_of(packed, said.format);
  if (said.format) return {read_as(*said.format, source, said.column), *said.format};
  std::string begin = take_begin(source.read, begin_bytes);
  refuse_foreign(begin, source.name);
  const auto format = hint ? hint : index_format_of_begin(begin);
  source.read = with_begin(std::move(source.read), std::move(begin));
  if (format) return {read_as(*format, source, said.column), *format};
  return read_unnamed_words(source);
}

}  // namespace

IndexFile read_indices(const ByteSource& source, const SaidOfFile& said) { return read(source, said, std::nullopt); }

IndexFile read_index_file(const std::string& path, const SaidOfFile& said) {
  const ByteSource source = open_bytes(path);
  return read(source, said, index_format_of_path(path));
}

bool is_spatter_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  if (const auto format = index_format_of_path(path)) return *format == IndexFormat::spatter;
  const ByteSource content = content_of(open_bytes(path), std::nullopt);
  return index_format_of_begin(take_begin(content.read, begin_bytes)) == IndexFormat::spatter;
}

}  // namespace gpumem::pattern
