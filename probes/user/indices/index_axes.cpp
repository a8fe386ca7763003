#include "probes/user/indices/index_axes.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "probes/user/indices/index_values.hpp"

namespace gpumem::global {

namespace {

/// The value of index_column that takes all columns of a file.
constexpr const char* all_columns = "all";

std::vector<std::string> format_names() {
  std::vector<std::string> names = {"detect"};
  names.insert(names.end(), pattern::named_index_formats.begin(), pattern::named_index_formats.end());
  return names;
}

}  // namespace

Axis indices_axis(const std::string& defaults, const std::string& quick) {
  return axis::indices({.flag = "indices",
                        .purpose =
                            "elements that the accesses go to: a file (.npy, .mtx, text or words) or - for stdin, a "
                            "JSON file of Spatter's, or its notation, also 0,4,8",
                        .defaults = defaults,
                        .quick = quick,
                        .texts = [](std::string_view text) { return index_values(text, "indices"); },
                        .takes = "files, Spatter's notation"});
}

Axis index_format_axis() {
  return axis::index_format(
      {.flag = "index-format",
       .purpose = "type of files whose name does not say it: u32, u64, i32 and i64 for raw words; detect finds out "
                  "text, npy and mtx by the content",
       .defaults = "detect",
       .names = format_names(),
       .zero_follows = true});
}

Axis index_column_axis() {
  return axis::index_column({.flag = "index-column",
                             .purpose = "column of a table (CSV, TSV, between blanks), by its name or number from 1; "
                                        "all takes a file's numbers row by row",
                             .defaults = all_columns,
                             .zero_follows = true,
                             .texts = [](std::string_view text) { return std::vector{std::string(text)}; },
                             .takes = "names, numbers from 1, all"});
}

pattern::IndexOptions index_options_of(const Case& tested) {
  const std::string& column = tested[axis::index_column];
  return {.format = pattern::index_format_of_name(tested[axis::index_format]),
          .column = column == all_columns ? std::nullopt : std::optional(column)};
}

}  // namespace gpumem::global
