#pragma once
// Files of indices, as users have them.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

enum class IndexFormat {
  npy,      ///< an array of integers as numpy.save writes it, flattened in C order
  u32,      ///< little-endian words of 4 bytes and nothing else
  u64,      ///< of 8 bytes
  i32,      ///< signed, as the next; none may be negative
  i64,      ///<
  text,     ///< decimal integers, or one column of a table, see index_file_text.hpp
  mtx,      ///< a sparse matrix in Matrix Market's format, see matrix_market.hpp
  spatter,  ///< Spatter's configurations, see spatter.hpp: not one sequence, but a description of some
};

/// Names in the order of the enumeration. Users do not pass the last: a Spatter file is told by its name or content.
inline constexpr std::array<std::string_view, 8> index_format_names = {"npy", "u32",  "u64", "i32",
                                                                       "i64", "text", "mtx", "spatter"};
/// The values of --index-format beside "detect".
inline constexpr std::span<const std::string_view> named_index_formats =
    std::span(index_format_names).first<index_format_names.size() - 1>();
[[nodiscard]] std::string_view to_string(IndexFormat format);
[[nodiscard]] std::optional<IndexFormat> index_format_of_name(std::string_view name);

/// The format that the file's extension stands for, in small letters or capitals: .npy, .mtx, .u32, .u64, .i32, .i64,
/// .txt, .csv, .json and some more. It may be followed by .gz. nullopt for other extensions, such as .bin, which may be
/// anything.
[[nodiscard]] std::optional<IndexFormat> index_format_of_path(const std::string& path);

/// The format of a file by its first bytes, if its name does not say it: an array of numpy.save, a matrix in Matrix
/// Market's format, or, if all bytes are those of text, configurations of Spatter or text. nullopt for other files.
[[nodiscard]] std::optional<IndexFormat> index_format_of_begin(std::string_view begin);

/// Options for a file that holds more than one list of indices, or that does not show its format.
struct IndexOptions {
  std::optional<IndexFormat> format = {};
  std::optional<std::string> column = {};  ///< of a table; absent: all of it
  bool operator==(const IndexOptions&) const = default;
};

/// All indices of a file or pipe, and what they were taken for.
struct IndexFile {
  IndexSequence indices;  ///< in words as wide as the file's; of text, in 32 bits where they suffice
  IndexFormat format;
};

/// Reads all indices of a source. Content that is compressed with gzip is unpacked; if `options` names a format of
/// words, only if the name ends in .gz. Without a format in `options`, the content decides. Throws a usage error of one
/// line with the wrong record and what to do; also for a file of Spatter's, for a column in a file without columns,
/// and, if the content decides, for a file that has no format of these.
[[nodiscard]] IndexFile read_indices(const ByteSource& source, const IndexOptions& options = {});

/// The same for a path, or standard input ("-"). It is opened before its extension is looked at, so that a mistyped
/// path is reported as such. Without a format in `options`, the extension decides, else the content.
[[nodiscard]] IndexFile read_index_file(const std::string& path, const IndexOptions& options = {});

/// True if a path is a file of Spatter's configurations, by its extension, or else by its first bytes. Never true for a
/// pipe, because bytes read from it would be lost.
[[nodiscard]] bool is_spatter_file(const std::string& path);

}  // namespace gpumem::pattern
