#pragma once
// Numbers as a user lists them: `4`, `0..32`, `0..32:4`, `1..1024*2`, `4KiB..1GiB*4`, and lists of these.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem {

/// The most values a sweep takes: more is a slip of the finger.
inline constexpr std::uint64_t maximum_points = 10'000;

/// The place where numbers are read, in the words of an error line, and what it takes.
struct RangePlace {
  std::string where;                    ///< how the line begins: "--offset: "
  std::string taker;                    ///< what the values are for: "an axis"
  std::string example;                  ///< what would be right there: "4, 0..32 or 1,2,8"
  std::uint64_t minimum = 0;            ///< the least number taken
  std::vector<std::string> words = {};  ///< taken beside numbers, to suggest one for a misspelt one
};

/// The items between commas, without the spaces around them. Throws a usage error if there is none, or an empty one.
[[nodiscard]] std::vector<std::string_view> list_items(std::string_view list, const RangePlace& place);

/// Calls `add` with each number of one item of a list, in the order written. Ranges are inclusive; numbers take KiB,
/// MiB, GiB, TiB (powers of two) and KB, MB, GB, TB (powers of ten) in any letters. `1.5GiB`, `1e9` and `0x10` are
/// numbers too. Throws a usage error of one line that begins with `place.where`, quotes the text and says what would be
/// right, if the item is not in the syntax, never ends, or has more than `maximum_points` values.
void read_range(std::string_view item, const RangePlace& place, const std::function<void(std::uint64_t)>& add);

/// Returns a range that read_range() takes, with a round step or factor that leaves at most `points` of its values:
/// "0..9999" -> "0..9999:2". Absent if the item is no range of steps.
[[nodiscard]] std::optional<std::string> thinned(std::string_view item, std::uint64_t points);

}  // namespace gpumem
