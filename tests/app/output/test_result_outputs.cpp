#include <algorithm>
#include <filesystem>
#include <sstream>

#include "app/output/result_outputs.hpp"
#include "engine/base/error.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test_result_outputs {

using gpumem::test::content_of;

namespace {

struct Fixture {
  [[nodiscard]] ResultOutputs outputs(const ResultRequest& request) const {
    return {request, report::table_formats(), out, {}};
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (directory / name).string(); }
  /// Returns the stdout of a request whose result is the name of its format.
  std::string stdout_of(const ResultRequest& request) {
    out.str({});
    outputs(request).finish(write_name);
    return out.str();
  }

  static void write_name(std::ostream& out, report::Format format, const report::TableStyle& /*style*/) {
    out << std::ranges::find(report::all_formats(), format, &report::NamedFormat::format)->name;
  }

  gpumem::test::TemporaryDirectory directory;
  mutable std::ostringstream out;
};

}  // namespace

TEST_CASE("outputs: stdout gets a table unless told otherwise, and with --quiet only where no file does") {
  Fixture fixture;
  const std::string json = fixture.file("a.json");
  CHECK(fixture.stdout_of({}) == "table");
  CHECK(fixture.stdout_of({.format = report::Format::csv}) == "csv");
  CHECK(fixture.stdout_of({.quiet = true}) == "table");
  CHECK(fixture.stdout_of({.outputs = {json}}) == "table");
  CHECK(fixture.stdout_of({.outputs = {json}, .quiet = true}).empty());
  CHECK(fixture.stdout_of({.outputs = {json, "-"}, .format = report::Format::csv, .quiet = true}) == "csv");
  CHECK(fixture.stdout_of({.outputs = {"/dev/stdout"}, .quiet = true}) == "table");
  CHECK(fixture.stdout_of({.outputs = {json}, .files_only = true}).empty());
  CHECK(fixture.stdout_of({.files_only = true}).empty());
}

TEST_CASE("outputs: a trace goes to .json where it was asked for, and to .trace in any case") {
  const Fixture fixture;
  const auto format_of = [&](const std::string& name, std::optional<report::Format> asked) {
    const ResultRequest request{.outputs = {fixture.file(name)}, .format = asked, .quiet = true};
    ResultOutputs(request, report::all_formats(), fixture.out, {}).finish(Fixture::write_name);
    return content_of(fixture.file(name));
  };
  CHECK(format_of("a.json", report::Format::trace) == "trace");
  CHECK(format_of("a.json", {}) == "json");
  CHECK(format_of("a.json", report::Format::csv) == "json");
  CHECK(format_of("a.trace", {}) == "trace");
  CHECK(format_of("a.trace", report::Format::csv) == "trace");
  CHECK(format_of("a.csv", report::Format::trace) == "csv");
  CHECK(format_of("a", report::Format::trace) == "trace");
}

TEST_CASE("outputs: a file's extension says its format, and --format only where it says nothing") {
  Fixture fixture;
  const auto format_of = [&](const std::string& name) {
    fixture.outputs({.outputs = {fixture.file(name)}, .format = report::Format::markdown, .quiet = true})
        .finish(Fixture::write_name);
    return content_of(fixture.file(name));
  };
  CHECK(format_of("b.json") == "json");
  CHECK(format_of("B.CSV") == "csv");
  CHECK(format_of("x.tar.txt") == "table");
  for (const std::string plain : {"x.md", "x.markdown", "x", "x.", ".json", "x.log"}) {
    INFO(plain);
    CHECK(format_of(plain) == "markdown");
  }
  for (const bool files_only : {false, true}) {
    CHECK_THROWS_WITH(
        fixture.outputs({.outputs = {"x.log"}, .files_only = files_only}),
        Catch::Matchers::StartsWith("--output: the extension of 'x.log' names no format; use .txt, .json"));
  }
}

TEST_CASE("outputs: one that cannot be written keeps nothing from the others") {
  Fixture fixture;
  const std::string lost = fixture.file("lost/a.json");
  std::filesystem::create_directories(fixture.file("lost"));
  const ResultOutputs outputs = fixture.outputs({.outputs = {lost, fixture.file("b.csv")}});
  std::filesystem::remove_all(fixture.file("lost"));
  CHECK_THROWS_AS(outputs.finish(Fixture::write_name), Error);
  CHECK(content_of(fixture.file("b.csv")) == "csv");
  CHECK(fixture.out.str() == "table");
}

TEST_CASE("outputs: what one format cannot hold touches no file") {
  Fixture fixture;
  const ResultOutputs outputs = fixture.outputs({.outputs = {fixture.file("a.json"), fixture.file("b.csv")}});
  CHECK_THROWS_AS(outputs.finish([](std::ostream& out, report::Format format, const report::TableStyle&) {
    if (format == report::Format::csv) throw usage_error("not in a table");
    out << "text";
  }),
                  Error);
  CHECK_FALSE(std::filesystem::exists(fixture.file("a.json")));
  CHECK(fixture.out.str().empty());
}

TEST_CASE("outputs: bringing files up to date leaves stdout and devices alone") {
  Fixture fixture;
  const std::string path = fixture.file("a.json");
  const ResultOutputs outputs = fixture.outputs({.outputs = {path, "/dev/null"}, .format = report::Format::csv});
  std::vector<report::Format> made;
  outputs.update([&](std::ostream& out, report::Format format, const report::TableStyle&) {
    made.push_back(format);
    out << "so far";
  });
  CHECK(made == std::vector{report::Format::json});
  CHECK(content_of(path) == "so far");
  CHECK(fixture.out.str().empty());
  CHECK_FALSE(fixture.outputs({}).has_files());
}

}  // namespace gpumem::app::test_result_outputs
