#include "report/advise/repeated_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "engine/base/words.hpp"
#include "report/advise/libraries.hpp"
#include "report/text/kernel_names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_named = 4;  // kernels
constexpr std::size_t name_width = 40;

/// The keys are documented in report/schema/report.schema.json and docs/run.md, so they must not change.
constexpr RepeatedCure cures[] = {
    {several_passes_cause, "fuse_kernels"},
    {layout_copy_cause, "contiguous_operand"},
    {reloaded_by_blocks_cause, "share_between_blocks"},
};

/// "64 MiB", "1.3 GiB".
std::string amount(double bytes) {
  constexpr double step = 1024;
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= step && unit + 1 < std::size(units); ++unit) bytes /= step;
  return fmt::format("{} {}", trimmed(bytes, 1), units[unit]);
}

/// "64 MiB made at model.py:12".
std::string array_words(const ArrayRecord& array) {
  std::string words = amount(static_cast<double>(array.bytes));
  if (array.made_at) words += " made at " + one_line(array.made_at->substr(0, array.made_at->find(" in ")));
  return words;
}

std::string passes_words(const RepeatedTraffic& repeated, const std::vector<std::string>& names) {
  if (names.size() == 1) {
    return fmt::format(
        "launches in a row go over the same {}, each loading what the one before stored; do the work of all in one "
        "launch, which keeps the values in registers",
        array_words(repeated.array));
  }
  const bool of_pytorch = std::ranges::all_of(repeated.kernels, [](const std::string& kernel) {
    const auto library = library_kernel(kernel);
    return library && library->library == "PyTorch";
  });
  std::vector<std::string> named(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most_named)));
  if (names.size() > named.size()) named.push_back(fmt::format("{} more", names.size() - named.size()));
  return fmt::format(
      "{} in a row go over the same {}, each loading what the one before stored: {}; compute all in one "
      "kernel{}, which keeps the values in registers",
      counted(names.size(), "kernel"), array_words(repeated.array), join(named, ", "),
      of_pytorch ? " (torch.compile does)" : "");
}

std::string copy_words(const RepeatedTraffic& repeated, const std::vector<std::string>& names) {
  return fmt::format(
      "only copies {} to another layout, which only {} loads; let it load the original, or keep one "
      "layout all along",
      array_words(repeated.array), names.back());
}

std::string reload_words(const RepeatedTraffic& repeated) {
  return fmt::format(
      "loads of {}: each byte comes from L2 {} times, for one block after another ({}); let fewer blocks "
      "do more each with what they loaded (a larger tile, blocks that loop), or a cluster load it once",
      array_words(repeated.array), trimmed(repeated.times_loaded, 1), one_line(repeated.site));
}

}  // namespace

RepeatedCure repeated_cure(const Record& record) {
  if (!record.repeated_traffic || record.repeated_traffic->kernels.empty()) return {};
  const auto* found = std::ranges::find(cures, record.repeated_traffic->cause, &RepeatedCure::cause);
  return found == std::end(cures) ? RepeatedCure{} : *found;
}

std::string repeated_words(const Record& record) {
  const RepeatedCure cure = repeated_cure(record);
  if (cure.key.empty()) return "";
  const RepeatedTraffic& repeated = *record.repeated_traffic;
  const std::vector<std::string> names = short_kernel_names(repeated.kernels, name_width);
  if (cure.cause == several_passes_cause) return passes_words(repeated, names);
  return cure.cause == layout_copy_cause ? copy_words(repeated, names) : reload_words(repeated);
}

}  // namespace gpumem::report
