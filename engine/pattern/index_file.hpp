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
  u16,      ///< little-endian words and nothing else
  u32,      ///< the same of 4 bytes
  u64,      ///< of 8 bytes
  i32,      ///< signed, as the next; none may be negative
  i64,      ///<
  u32be,    ///< big-endian words
  u64be,    ///<
  i32be,    ///<
  i64be,    ///<
  text,     ///< decimal integers, see index_file_text.hpp; of a table one column, see index_column.hpp
  npz,      ///< an archive of such arrays, or a sparse matrix of scipy's, see npz.hpp
  mtx,      ///< a sparse matrix in Matrix Market's format, see matrix_market.hpp
  spatter,  ///< Spatter's configurations, see spatter.hpp: not one sequence, but a description of some
};

/// Names in the order of the enumeration. The last is none that a user says: a file of Spatter's is told by its
/// content.
inline constexpr std::array<std::string_view, 14> index_format_names = {
    "npy", "u16", "u32", "u64", "i32", "i64", "u32be", "u64be", "i32be", "i64be", "text", "npz", "mtx", "spatter"};
/// What --index-format takes beside "detect".
inline constexpr std::span<const std::string_view> named_index_formats =
    std::span(index_format_names).first<index_format_names.size() - 1>();
[[nodiscard]] std::string_view to_string(IndexFormat format);
[[nodiscard]] std::optional<IndexFormat> index_format_of_name(std::string_view name);

/// What the file's extension says, in small letters or capitals: .npy, .npz, .mtx, .u32, .u64, .i32, .i64, .txt, .csv,
/// .json and some more; behind it there may be .gz or .xz. Nothing of others, such as .bin, which may be anything.
[[nodiscard]] std::optional<IndexFormat> index_format_of_path(const std::string& path);

/// What a file is by how it begins, where its name does not say: an array of numpy.save, an archive of such, a matrix
/// in Matrix Market's format, configurations of Spatter, or text where there is no byte that text has not. Nothing of
/// other files: they are words.
[[nodiscard]] std::optional<IndexFormat> index_format_of_begin(std::string_view begin);

/// u32 or u64, for the little-endian words that a file of a multiple of 4 bytes, at least 4, holds which says nothing
/// of itself: by evidence. Of indices in 64 bits most have an upper half of 0, or all a small one; indices in 32 bits
/// stay below 2^31, for whoever has more keeps them in 64. Throws a usage error that says what the file looks like
/// otherwise (floats, big-endian words, words of 16 bits, neither width rather than the other), and which
/// --index-format reads it all the same.
[[nodiscard]] IndexFormat format_of_words(const WordBuffer& words, const std::string& source);

/// What somebody said of a file that holds more than one list of indices, or does not say what it is.
struct SaidOfFile {
  std::optional<IndexFormat> format = {};
  std::optional<std::string> column =
      {};  ///< of a table, or the array of an archive; absent: all of it, or the only one
  bool operator==(const SaidOfFile&) const = default;
};

/// All indices of a file or pipe, and what they were taken for.
struct IndexFile {
  IndexSequence indices;  ///< in words as wide as the file's; of text, in 32 bits where they suffice
  IndexFormat format;
  bool guessed = false;  ///< words that nobody named: by evidence alone (format_of_words())
};

/// Unpacks what is compressed with gzip or xz; of what is said to be words, only where the name ends in .gz or .xz.
/// Takes little more memory than the words have, and of an archive what that has. Without a format its content says it.
/// Throws a usage error of one line with the record that is wrong, and what to do; for Spatter's files too; for a
/// column where there are none; and, without a format, for what is no list of indices by how it begins
/// (foreign_file()).
[[nodiscard]] IndexFile read_indices(const ByteSource& source, const SaidOfFile& said = {});

/// The same of a path, or of standard input ("-"), opened before its extension is looked at: whoever mistyped it should
/// hear that. Without a format the extension says it, else the content.
[[nodiscard]] IndexFile read_index_file(const std::string& path, const SaidOfFile& said = {});

/// Whether a path is a file of Spatter's configurations, by its extension, or else by how it begins. Pipes, of which
/// nothing is to be lost, are none.
[[nodiscard]] bool is_spatter_file(const std::string& path);

}  // namespace gpumem::pattern
