#include <string>
#include <string_view>

#include "engine/base/documents.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_documents {

namespace {

std::string refusal(std::string_view text, std::string_view wanted, const std::string& source = "a.json") {
  try {
    refuse_other_document(text, source, wanted);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("documents: another one than was wanted is named, with what takes it", "[documents]") {
  CHECK(
      refusal(R"({"results": []})", "GPU profile") ==
      "'a.json' is no GPU profile but a report; see it with: gpumem show a.json; make a GPU profile of it with: gpumem "
      "calibrate --from a.json");
  CHECK(refusal(R"({"rates": {}, "node": {}})", "report") ==
        "'a.json' is no report but a GPU profile; predict with it: gpumem probe --backend model --gpu a.json");
  CHECK(refusal(R"({"profile": {}, "reports": {}})", "report") ==
        "'a.json' is no report but a contributed profile; make its profile anew with: gpumem calibrate --from a.json");
  CHECK(refusal(R"({"expectations": []})", "report", "my file.json") ==
        "'my file.json' is no report but a suite; hold a report to it with: gpumem check FILE REPORT");
  CHECK(refusal(R"({"results": [], "probes": {}})", "suite").find("'a.json' is no suite but a report; ") == 0);
}

TEST_CASE("documents: one that is wanted is left to who reads it, and one of nobody's is none", "[documents]") {
  CHECK(refusal(R"({"results": 3})", "report").empty());
  CHECK(refusal(R"({"probes": 3})", "suite").empty());
  CHECK(refusal(R"({"schema_version": 2})", "report").empty());  // of a version to come, it may be
  for (const char* text : {"{}", "[]", "3", R"({"a": {"results": []}})"}) {
    CHECK(refusal(text, "report") ==
          "'a.json' is no report of gpumem's; write one with: gpumem probe --output report.json");
  }
  CHECK(refusal("{}", "GPU profile") ==
        "'a.json' is no GPU profile of gpumem's; make one with: gpumem calibrate -o profile.json");
}

TEST_CASE("documents: text that is compressed or in UTF-16 is told from JSON", "[documents]") {
  using namespace std::string_view_literals;
  CHECK(foreign_text("\x28\xb5\x2f\xfd"sv, "a.json.zst") == "compressed with zstd; unpack it: unzstd a.json.zst");
  for (const std::string_view text : {"\xff\xfe{\0"sv, "\xfe\xff\0{"sv, "{\0\n\0"sv, "\0{"sv}) {
    CHECK(foreign_text(text, "a.json").starts_with("in UTF-16, "));
  }
  for (const std::string_view text : {""sv, "{"sv, "\xef\xbb\xbf{"sv, "\0"sv, "x\0"sv})
    CHECK(foreign_text(text, "a").empty());
}

}  // namespace gpumem::test_documents
