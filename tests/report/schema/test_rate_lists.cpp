// The lists of rates that follow from engine/model/rate_fields.cpp: in the schema of profiles, and in docs/rates.md.

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/model/rate_fields.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/report/golden.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::report::test_rate_lists {

namespace {

using model::rate_fields;
using model::RateField;
using model::RateRange;

/// Returns the text of the file with a list from the end of `from` up to `to`; without `to` up to the end.
std::string with_list(const std::filesystem::path& file, std::string_view from, const std::string& list,
                      std::string_view to = {}) {
  const std::string text = test::content_of(file);
  const std::size_t begin = text.find(from);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = to.empty() ? text.size() : text.find(to, begin);
  return text.substr(0, begin + from.size()) + list + text.substr(end);
}

std::string in_schema(const RateField& field) {
  constexpr RateRange any;
  std::string bounds;
  if (field.range.least != any.least) bounds = fmt::format("\"minimum\": {}", field.range.least);
  if (field.range.most != any.most) {
    bounds += fmt::format("{}\"maximum\": {}", bounds.empty() ? "" : ", ", field.range.most);
  }
  const std::string value = bounds.empty() ? "" : fmt::format(", \"properties\": {{\"value\": {{{}}}}}", bounds);
  return fmt::format("        \"{}\": {{\"$ref\": \"#/$defs/rate\"{}}}", field.name, value);
}

std::string in_page(const RateField& field) {
  constexpr std::array grows_with = {"",
                                     "memory's bandwidth",
                                     "memory's channels",
                                     "L2's slices x clock",
                                     "multiprocessors x clock",
                                     "the link's bandwidth",
                                     "the clock"};
  const char* found = field.measured_only ? "measured, or not known"
                      : field.carried     ? "carried"
                      : field.read_off    ? "read off"
                                          : "fitted";
  return fmt::format("| `{}` | {} | {} | {} |\n", field.name, field.sentence,
                     grows_with.at(static_cast<std::size_t>(field.scale)), found);
}

}  // namespace

TEST_CASE("the rates of the golden schema of profiles and of the page are those of the table", "[profile]") {
  std::string schema;
  std::string page;
  for (const RateField& field : rate_fields()) {
    schema += (schema.empty() ? "" : ",\n") + in_schema(field);
    page += in_page(field);
  }
  const auto schema_file = test::source_folder() / "report/schema/profile.schema.json";
  compare_with_file(schema_file,
                    with_list(schema_file, "by what the device says of itself.\",\n      \"properties\": {\n", schema,
                              "\n      },\n"));
  const auto page_file = test::source_folder() / "docs/rates.md";
  compare_with_file(page_file, with_list(page_file, "| --- | --- | --- | --- |\n", page));
}

}  // namespace gpumem::report::test_rate_lists
