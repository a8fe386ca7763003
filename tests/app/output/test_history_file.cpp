// The file of a history: whole under several writers, never larger than its limit, and nothing foreign lost.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/output/history_file.hpp"
#include "engine/base/error.hpp"
#include "report/text/text.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test_history_file {

using Catch::Matchers::ContainsSubstring;
using gpumem::test::content_of;
using gpumem::test::put;
using gpumem::test::TemporaryDirectory;

namespace {

report::EarlierRun run_of(const std::string& uuid, unsigned number) {
  report::EarlierRun run;
  run.uuid = uuid;
  run.time = "2026-10-01T10:00:" + std::to_string(1000 + number);
  run.gpu = "Fake GPU";
  for (unsigned i = 0; i < 100; ++i) run.cases["case " + std::to_string(i)] = {.value = 100.0 + number};
  return run;
}

std::ptrdiff_t runs_of(const History& history, const std::string& uuid) {
  return std::ranges::count(history.runs, uuid, &report::EarlierRun::uuid);
}

}  // namespace

TEST_CASE("Several processes add to a history at the same time, and each line stays whole") {
  const TemporaryDirectory directory;
  const auto file = directory / "h.jsonl";
  constexpr unsigned writers = 4;
  constexpr unsigned runs = 30;
  for (const std::size_t most : {std::size_t{1000}, std::size_t{10}}) {
    std::filesystem::remove(file);
    std::vector<pid_t> children;
    for (unsigned writer = 0; writer < writers; ++writer) {
      const pid_t child = ::fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        int code = 0;
        try {
          for (unsigned i = 0; i < runs; ++i) {
            add_to_history(file, run_of(writer % 2 == 0 ? "even" : "odd", writer * runs + i), most);
          }
        } catch (...) {
          code = 1;
        }
        ::_exit(code);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = -1;
      REQUIRE(::waitpid(child, &status, 0) == child);
      CHECK(status == 0);
    }
    const History history = read_history(content_of(file), "h.jsonl");
    CHECK(history.notes.empty());
    const auto expected = static_cast<std::ptrdiff_t>(std::min<std::size_t>(most, writers / 2 * runs));
    CHECK(runs_of(history, "even") == expected);
    CHECK(runs_of(history, "odd") == expected);
  }
}

TEST_CASE("The oldest runs of the same GPU go, and those of others stay") {
  const TemporaryDirectory directory;
  const auto file = directory / "h.jsonl";
  add_to_history(file, run_of("other", 0), 3);
  for (unsigned i = 1; i <= 5; ++i) add_to_history(file, run_of("own", i), 3);
  const History history = read_history(content_of(file), "h");
  CHECK(runs_of(history, "other") == 1);
  REQUIRE(runs_of(history, "own") == 3);
  CHECK(history.runs.back().time.ends_with("1005"));
  CHECK(history.runs[1].time.ends_with("1003"));
}

TEST_CASE("The same run is added once") {
  const TemporaryDirectory directory;
  const auto file = directory / "h.jsonl";
  add_to_history(file, run_of("own", 1));
  const std::string once = content_of(file);
  add_to_history(file, run_of("own", 1));
  CHECK(content_of(file) == once);
}

TEST_CASE("A torn line is left out with a note, and does not swallow the next run") {
  const TemporaryDirectory directory;
  const auto file = directory / "h.jsonl";
  const std::string line = report::history_line(run_of("own", 1));
  put(file, line + "\n" + line.substr(0, 50));
  const History torn = read_history(content_of(file), "h.jsonl");
  CHECK(torn.runs.size() == 1);
  REQUIRE(torn.notes.size() == 1);
  CHECK_THAT(torn.notes[0], ContainsSubstring("1 line of the history left out, the first: h.jsonl, line 2"));
  add_to_history(file, run_of("own", 2));
  CHECK(read_history(content_of(file), "h.jsonl").runs.size() == 2);
}

TEST_CASE("Lines of a later version are left out and kept, and a file without any line of a history is refused") {
  const std::string later = R"({"gpumem_history":7,"anything":1})";
  const History history = read_history(later + "\n", "h.jsonl");
  CHECK(history.runs.empty());
  REQUIRE(history.notes.size() == 1);
  CHECK_THAT(history.notes[0], ContainsSubstring("later version"));
  CHECK_THAT(with_run(later + "\n", run_of("own", 1), 1), ContainsSubstring(later));
  CHECK(read_history("", "h.jsonl").runs.empty());
  CHECK_THROWS_WITH(read_history("{\"schema_version\": 1}\n", "x.jsonl"),
                    ContainsSubstring("'x.jsonl' is no history of gpumem check"));
}

TEST_CASE("A history in a missing folder, or one that is a folder, is an error of the output") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH(add_to_history(directory / "none/h.jsonl", run_of("own", 1)), ContainsSubstring("cannot write '"));
  CHECK_THROWS_WITH(add_to_history(directory.path(), run_of("own", 1)), ContainsSubstring("cannot write '"));
}

}  // namespace gpumem::app::test_history_file
