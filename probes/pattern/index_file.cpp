#include "probes/pattern/index_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "probes/error.hpp"
#include "probes/pattern/index_file_text.hpp"
#include "probes/pattern/npy.hpp"

namespace gpumem::pattern {

namespace {

struct Extension {
  std::string_view name;
  IndexFormat format;
};

constexpr std::array<Extension, 14> extensions = {{
    {".npy", IndexFormat::npy},
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
};

RawType raw_type(IndexFormat format) {
  return {.word_bytes = format == IndexFormat::u32 || format == IndexFormat::i32 ? 4U : 8U,
          .is_signed = format == IndexFormat::i32 || format == IndexFormat::i64};
}

IndexSequence sequence_of(const ByteSource& source, WordBuffer words, IndexFormat format) {
  const auto [word_bytes, is_signed] = raw_type(format);
  if (words.bytes() == 0) {
    throw usage_error(
        fmt::format("{}: is empty; expected {} indices of {} bytes", source.name, to_string(format), word_bytes));
  }
  if (words.bytes() % word_bytes != 0) {
    throw usage_error(
        fmt::format("{}: is truncated, or of another type: its {} bytes are no multiple of {}, the size of {}; "
                    "--index-format says the type",
                    source.name, words.bytes(), word_bytes, to_string(format)));
  }
  if constexpr (std::endian::native == std::endian::big) swap_bytes(words, word_bytes);
  IndexSequence indices(std::move(words), word_bytes);
  require_indices(indices, is_signed, source.name);
  return indices;
}

/// Small indices in 64 bits have a half that is 0: an array of 32-bit ones has no reason to have that all through.
bool looks_wide(const WordBuffer& words) {
  constexpr std::size_t fewest = 4;
  const std::span<const std::uint32_t> halves = words.as<std::uint32_t>();
  if (words.bytes() % sizeof(std::uint64_t) != 0 || halves.size() < fewest) return false;
  for (std::size_t i = 1; i < halves.size(); i += 2) {
    if (halves[i] != 0) return false;
  }
  return true;
}

IndexSequence read_unnamed_words(const ByteSource& source) {
  WordBuffer words = read_words(source, std::numeric_limits<std::uint64_t>::max());
  if (words.bytes() % sizeof(std::uint32_t) != 0) {
    throw usage_error(
        fmt::format("{}: is neither text, nor an array of numpy.save, nor words of 4 or 8 bytes: it has {} bytes, and "
                    "control characters among them; --index-format {} says what it is",
                    source.name, words.bytes(), fmt::join(index_format_names, "|")));
  }
  const IndexFormat format = looks_wide(words) ? IndexFormat::u64 : IndexFormat::u32;
  return sequence_of(source, std::move(words), format);
}

/// A compressed file would pass for words.
void refuse_compressed(std::string_view begin, const std::string& source) {
  const bool is_archive = begin.starts_with("PK\x03\x04");
  if (!is_archive && !begin.starts_with("\x1f\x8b")) return;
  throw usage_error(fmt::format("{}: is compressed; unpack it with {}", source, is_archive ? "unzip" : "gunzip"));
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
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".npz") {
    throw usage_error(fmt::format("{}: is an archive of arrays: save one of them with numpy.save", path));
  }
  const auto* const found = std::ranges::find(extensions, extension, &Extension::name);
  return found == extensions.end() ? std::nullopt : std::optional(found->format);
}

std::optional<IndexFormat> index_format_of_begin(std::string_view begin) {
  if (begin.starts_with(npy_magic)) return IndexFormat::npy;
  const auto is_no_text = [](unsigned char c) { return (c < ' ' && !(c >= '\t' && c <= '\r')) || c == 0x7f; };
  if (std::ranges::any_of(begin, is_no_text)) return std::nullopt;
  const auto first = begin.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && (begin[first] == '[' || begin[first] == '{');
  return is_json ? IndexFormat::spatter : IndexFormat::text;
}

IndexSequence read_indices(const ByteSource& source, std::optional<IndexFormat> format) {
  if (!format) {
    std::string begin = take_begin(source, begin_bytes);
    refuse_compressed(begin, source.name);
    format = index_format_of_begin(begin);
    const ByteSource whole = with_begin(source, std::move(begin));
    return format ? read_indices(whole, format) : read_unnamed_words(whole);
  }
  switch (*format) {
    case IndexFormat::npy:
      return read_npy(source);
    case IndexFormat::text:
      return read_index_text(source);
    case IndexFormat::spatter:
      throw usage_error(
          fmt::format("{}: holds configurations of Spatter, where a list of indices is expected", source.name));
    default:
      return sequence_of(source, read_words(source, std::numeric_limits<std::uint64_t>::max()), *format);
  }
}

IndexSequence read_index_file(const std::string& path, std::optional<IndexFormat> format) {
  const ByteSource source = open_bytes(path);
  return read_indices(source, format ? format : index_format_of_path(path));
}

bool is_spatter_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  if (const auto format = index_format_of_path(path)) return *format == IndexFormat::spatter;
  return index_format_of_begin(take_begin(open_bytes(path), begin_bytes)) == IndexFormat::spatter;
}

}  // namespace gpumem::pattern
