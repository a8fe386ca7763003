#include "engine/pattern/index_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "engine/base/documents.hpp"
#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "engine/pattern/index_file_text.hpp"
#include "engine/pattern/matrix_market.hpp"
#include "engine/pattern/npy.hpp"

namespace gpumem::pattern {

namespace {

struct Extensions {
  std::string_view names;
  IndexFormat format;
};

constexpr Extensions extensions[] = {
    {".npy", IndexFormat::npy},         {".mtx", IndexFormat::mtx},
    {".u32 .uint32", IndexFormat::u32}, {".u64 .uint64", IndexFormat::u64},
    {".i32 .int32", IndexFormat::i32},  {".i64 .int64", IndexFormat::i64},
    {".json", IndexFormat::spatter},    {".txt .csv .tsv .dat", IndexFormat::text},
};

IndexSequence words_of(const ByteSource& source, IndexFormat format) {
  const unsigned word_bytes = format == IndexFormat::u32 || format == IndexFormat::i32 ? 4 : 8;
  WordBuffer words = read_words(source, std::numeric_limits<std::uint64_t>::max());
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
  IndexSequence indices(std::move(words), word_bytes);
  require_indices(indices, format == IndexFormat::i32 || format == IndexFormat::i64, source.name);
  return indices;
}

bool are_words(IndexFormat format) { return format >= IndexFormat::u32 && format <= IndexFormat::i64; }

/// The content of the file, unpacked. Bytes that are said to be words may look like anything, so they are unpacked only
/// if the name says that they are packed.
ByteSource content_of(ByteSource source, std::optional<IndexFormat> format) {
  if (format && are_words(*format) && without_packing(source.name) == source.name) return source;
  bool packed = false;
  source.read = unpacked(std::move(source.read), source.name, packed);
  if (packed) source.bytes.reset();
  return source;
}

/// Throws a usage error for what is no text of ours, by its first bytes: compressed, or in UTF-16.
void refuse_foreign_text(std::string_view begin, const std::string& source) {
  const std::string foreign = foreign_text(begin, source);
  if (!foreign.empty()) throw usage_error(fmt::format("{}: is {}", source, foreign));
}

[[noreturn]] void refuse_without_format(const std::string& source) {
  throw usage_error(
      fmt::format("{}: is no text, no .npy file and no Matrix Market file; if it has nothing but words, pass "
                  "--index-format u32|u64|i32|i64, else save its indices with NumPy: numpy.save('a.npy', indices)",
                  source));
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
  const std::string extension = lower(std::filesystem::path(without_packing(path)).extension().string());
  for (const auto& [names, format] : extensions) {
    if (is_among(extension, names)) return format;
  }
  return std::nullopt;
}

std::optional<IndexFormat> index_format_of_begin(std::string_view begin) {
  if (begin.starts_with(npy_magic)) return IndexFormat::npy;
  if (begin.starts_with(matrix_market_begin)) return IndexFormat::mtx;
  const auto is_no_text = [](unsigned char c) { return (c < ' ' && !(c >= '\t' && c <= '\r')) || c == 0x7f; };
  if (std::ranges::any_of(begin, is_no_text)) return std::nullopt;
  const auto first = begin.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && (begin[first] == '[' || begin[first] == '{');
  return is_json ? IndexFormat::spatter : IndexFormat::text;
}

namespace {

IndexSequence read_as(IndexFormat format, const ByteSource& source, const std::optional<std::string>& column) {
  if (column && format != IndexFormat::text) {
    throw usage_error(fmt::format("{}: has no columns, for it was read as {}; leave --index-column out", source.name,
                                  to_string(format)));
  }
  switch (format) {
    case IndexFormat::npy:
      return read_npy(source);
    case IndexFormat::text:
      return column ? read_index_column(source, *column) : read_index_text(source);
    case IndexFormat::mtx:
      return read_matrix_market(source);
    case IndexFormat::spatter:
      throw usage_error(
          fmt::format("{}: holds configurations of Spatter, where a list of indices is expected", source.name));
    default:
      return words_of(source, format);
  }
}

/// Reads a file in the format that `options` names, else in that of `hint`, which the file's name gives, else in the
/// one that its content shows.
IndexFile read(const ByteSource& packed, const IndexOptions& options, std::optional<IndexFormat> hint) {
  ByteSource source = content_of(packed, options.format);
  if (options.format) return {read_as(*options.format, source, options.column), *options.format};
  std::string begin = take_begin(source.read, begin_bytes);
  const auto format = hint ? hint : index_format_of_begin(begin);
  if (!format || *format == IndexFormat::text) refuse_foreign_text(begin, source.name);
  if (!format) refuse_without_format(source.name);
  source.read = with_begin(std::move(source.read), std::move(begin));
  return {read_as(*format, source, options.column), *format};
}

}  // namespace

IndexFile read_indices(const ByteSource& source, const IndexOptions& options) {
  return read(source, options, std::nullopt);
}

IndexFile read_index_file(const std::string& path, const IndexOptions& options) {
  const ByteSource source = open_bytes(path);
  return read(source, options, index_format_of_path(path));
}

bool is_spatter_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  if (const auto format = index_format_of_path(path)) return *format == IndexFormat::spatter;
  const ByteSource content = content_of(open_bytes(path), std::nullopt);
  return index_format_of_begin(take_begin(content.read, begin_bytes)) == IndexFormat::spatter;
}

}  // namespace gpumem::pattern
