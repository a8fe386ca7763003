#pragma once
// The pages of expected values for people, and the parts that these pages share.

#include <span>
#include <string>
#include <vector>

#include "report/expected/expected.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

/// The reader of a page: a terminal aligns digits by blanks and has little room, Markdown has no width.
enum class PageFor { terminal, markdown };

/// Many GPUs: a row for each GPU, a column for each quantity.
[[nodiscard]] Page page_of_all(std::span<const ExpectedGpu> gpus, PageFor reader);

/// A few GPUs: a row for each quantity, a column for each GPU and one for its interval.
[[nodiscard]] Page page_side_by_side(std::span<const ExpectedGpu> gpus, PageFor reader);

// ---- Parts

/// The treatment of values that repeat the value before them in another unit.
enum class OtherUnits { left_out, kept };

/// The groups of all GPUs, in their order.
[[nodiscard]] std::vector<std::string> groups_of(std::span<const ExpectedGpu> gpus);

/// The quantities of a group that at least one GPU has, each by the value of the first GPU that has it, in the order of
/// the GPUs' own lists. The pointers are into `gpus`.
[[nodiscard]] std::vector<const ExpectedValue*> quantities_of(std::span<const ExpectedGpu> gpus,
                                                              const std::string& group, OtherUnits others);

/// The GPU's value of a quantity; null if it has none.
[[nodiscard]] const ExpectedValue* value_of(const ExpectedGpu& gpu, const std::string& quantity);

/// "4434 to 4814"; empty if the value has no interval.
[[nodiscard]] std::string range_words(const ExpectedValue& value);

/// "NVIDIA H200, 4814 GB/s theoretical bandwidth, 132 multiprocessors, 60 MiB L2", as reports begin.
[[nodiscard]] std::string gpu_words(const ExpectedGpu& gpu);

/// The sentence below a page with values that have no interval.
inline constexpr const char* no_interval_words =
    "Without an interval: nobody knows how far healthy GPUs differ, or the value is guessed.";

/// The sentences below a page with marks.
[[nodiscard]] std::string words_on_marks(PageFor reader);

}  // namespace gpumem::report
