#pragma once
// Ranges that the program marks, by the thread that opens and closes them. Nothing here knows CUDA, and nothing is ever
// freed: the program may mark ranges to its very end.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpumem::inject {

/// The domain of ranges, by its name; null: the program's own.
using Domain = const std::string*;

/// All ranges of one name in a domain.
struct Range {
  std::uint32_t number = 0;                 ///< from 1 on
  std::string name;                         ///< "forward", "domain:forward"
  mutable std::atomic<bool> named = false;  ///< its name is written
};

// At most this many names are kept apart, because programs may number them. All later ones are one range, other_names.
inline constexpr std::size_t most_names = 4096;
inline constexpr std::string_view other_names = "(more)";
inline constexpr std::size_t longest_name = 100;  ///< bytes; of a longer one the beginning
inline constexpr std::size_t deepest_open = 128;  ///< deeper ones of a thread do not count

/// Text of limited length, in UTF-8 where it was that or wide. Empty for null.
[[nodiscard]] std::string name_of(const char* text);
[[nodiscard]] std::string name_of(const wchar_t* text);

[[nodiscard]] Domain domain_of(const std::string& name);
/// Null where the name is empty.
[[nodiscard]] const Range* range_of(Domain domain, const std::string& name);

/// Writes the range's name, once.
void name_range(const Range& range);

// On the calling thread:

/// Opens a range. Launches are not named after a null range, which has no name.
void open_range(Domain domain, const Range* range);
/// Closes the innermost range of the domain, if any is open.
void close_range(Domain domain);
/// Returns the innermost open range of the program's own domain, else of any domain; null if none is open. Costs no
/// more than a read.
[[nodiscard]] const Range* current_range();

}  // namespace gpumem::inject
