#pragma once
// Files of indices, as users have them.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "probes/pattern/index_file_bytes.hpp"
#include "probes/pattern/index_sequence.hpp"

namespace gpumem::pattern {

enum class IndexFormat {
  npy,      ///< an array of integers as numpy.save writes it, flattened in C order
  u32,      ///< little-endian words and nothing else
  u64,      ///< the same of 8 bytes
  i32,      ///< signed, as the next; none may be negative
  i64,      ///<
  text,     ///< decimal integers, see index_file_text.hpp
  spatter,  ///< Spatter's configurations, see spatter.hpp: not one sequence, but a description of some
};

/// Names as on the command line, in the order of the enumeration.
inline constexpr std::array<std::string_view, 7> index_format_names = {"npy", "u32",  "u64",    "i32",
                                                                       "i64", "text", "spatter"};
[[nodiscard]] std::string_view to_string(IndexFormat format);
[[nodiscard]] std::optional<IndexFormat> index_format_of_name(std::string_view name);

/// What the file's extension says, in small letters or capitals: .npy, .u32, .u64, .i32, .i64, .txt, .csv, .json and
/// some more. Nothing of others, such as .bin, which may be anything. Throws a usage error for .npz.
[[nodiscard]] std::optional<IndexFormat> index_format_of_path(const std::string& path);

/// What a file is by how it begins, where its name does not say: an array of numpy.save, configurations of Spatter, or
/// text where there is no byte that text has not. Nothing of other files: they are words.
[[nodiscard]] std::optional<IndexFormat> index_format_of_begin(std::string_view begin);

/// All indices of a file or pipe, in words as wide as the file's (of text, 32 bits where they suffice). Takes little
/// more memory than they have. Without a format, its content says it: words have 64 bits where every second of at least
/// two pairs of 32 bits is 0, else 32 bits. Throws a usage error of one line with the record that is wrong, and what to
/// do; for Spatter's files too.
[[nodiscard]] IndexSequence read_indices(const ByteSource& source, std::optional<IndexFormat> format);

/// The same of a path, opened before its extension is looked at: whoever mistyped it should hear that.
[[nodiscard]] IndexSequence read_index_file(const std::string& path, std::optional<IndexFormat> format = std::nullopt);

/// Whether a path is a file of Spatter's configurations, by its extension, or else by how it begins. Pipes, of which
/// nothing is to be lost, are none.
[[nodiscard]] bool is_spatter_file(const std::string& path);

}  // namespace gpumem::pattern
