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

constexpr std::array<Extension, 10> extensions = {{
    {".npy", IndexFormat::npy},
    {".u32", IndexFormat::u32},
    {".u64", IndexFormat::u64},
    {".i32", IndexFormat::i32},
    {".i64", IndexFormat::i64},
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

IndexSequence read_raw(const ByteSource& source, IndexFormat format) {
  const auto [word_bytes, is_signed] = raw_type(format);
  WordBuffer words = read_words(source, std::numeric_limits<std::uint64_t>::max());
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

}  // namespace

std::string_view to_string(IndexFormat format) { return index_format_names.at(static_cast<std::size_t>(format)); }

std::optional<IndexFormat> index_format_of_name(std::string_view name) {
  const auto* const found = std::ranges::find(index_format_names, name);
  if (found == index_format_names.end()) return std::nullopt;
  return static_cast<IndexFormat>(found - index_format_names.begin());
}

IndexFormat index_format_of_path(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const found = std::ranges::find(extensions, extension, &Extension::name);
  if (found != extensions.end()) return found->format;
  if (extension == ".npz") {
    throw usage_error(fmt::format("{}: is an archive of arrays: save one of them with numpy.save", path));
  }
  throw usage_error(
      fmt::format("{}: {} does not say what it holds; name it .npy, .u32, .u64, .i32, .i64, .txt or .json, "
                  "or give --index-format {}",
                  path, extension.empty() ? "a name without extension" : "its extension " + extension,
                  fmt::join(index_format_names, "|")));
}

IndexSequence read_indices(const ByteSource& source, IndexFormat format) {
  switch (format) {
    case IndexFormat::npy:
      return read_npy(source);
    case IndexFormat::text:
      return read_index_text(source);
    case IndexFormat::spatter:
      throw std::logic_error("a file of Spatter's is no sequence of indices");
    default:
      return read_raw(source, format);
  }
}

IndexSequence read_index_file(const std::string& path, std::optional<IndexFormat> format) {
  const ByteSource source = open_bytes(path);
  if (!format) format = index_format_of_path(path);
  if (*format == IndexFormat::spatter) {
    throw usage_error(fmt::format("{}: holds configurations of Spatter, where a list of indices is expected", path));
  }
  return read_indices(source, *format);
}

}  // namespace gpumem::pattern
