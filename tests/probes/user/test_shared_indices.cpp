// Index arrays of elements in shared memory: the requests of a list, and what is refused.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/user/shared_pattern/shared_pattern.hpp"
#include "probes/user/shared_pattern/tile_list.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::shared_pattern::test_shared_indices {

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using gpumem::test::put;
using gpumem::test::TemporaryDirectory;

constexpr std::uint64_t most_bytes = 232'448;  // of a block of an H100

Case case_of(const std::string& indices, std::vector<Parameter> parameters = {}) {
  parameters.push_back({"indices", indices});
  return test::any_case("shared-indices", parameters);
}

TileRequests evaluated(const std::string& indices, const std::vector<Parameter>& parameters = {}) {
  return requests_of(list_cases().get(case_of(indices, parameters)), most_bytes);
}

std::string refusal_of(const std::string& indices, const std::vector<Parameter>& parameters = {}) {
  try {
    static_cast<void>(evaluated(indices, parameters));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "nothing";
}

template <class Element>
std::string list_file(const TemporaryDirectory& directory, const std::string& name, std::uint64_t count,
                      const Element& element) {
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) text += std::to_string(element(i)) + "\n";
  const std::string path = (directory / name).string();
  put(path, text);
  return path;
}

Parameter words(std::uint64_t bytes) { return {"word_bytes", bytes}; }
Parameter swizzle(const std::string& value) { return {"swizzle", value}; }
Parameter op(const std::string& name) { return {"op", name}; }
Parameter matrices(std::uint64_t count) { return {"matrices", count}; }

}  // namespace

TEST_CASE("shared indices: a list makes the requests of the expression that it was written from", "[shared_indices]") {
  const TemporaryDirectory directory;
  const std::string columns = list_file(directory, "a.txt", 1024, [](std::uint64_t i) { return i % 32 * 32 + i / 32; });
  for (const char* value : {"none", "3,0,5", "5,0,5"}) {
    const TileRequests listed = evaluated(columns, {swizzle(value)});
    const TileRequests expressed =
        requests_of(tile_of_expression(test::any_case(
                        "shared-pattern", {{"pattern", std::string("i % 32 * 32 + i / 32")}, swizzle(value)})),
                    most_bytes);
    CHECK(listed.bytes == expressed.bytes);
    CHECK(listed.wavefronts == expressed.wavefronts);
    CHECK(listed.tile_bytes == 4096);
  }
  CHECK(evaluated(columns).wavefronts_per_request() == 32);
}

TEST_CASE("shared indices: a file has its own number of accesses, and notation is repeated", "[shared_indices]") {
  const TemporaryDirectory directory;
  const TileRequests some = evaluated(list_file(directory, "a.txt", 40, [](std::uint64_t i) { return i * 32; }));
  CHECK(some.count() == 2);
  CHECK(some.accesses == 40);
  CHECK(some.wavefronts == 32 + 8);
  CHECK(evaluated("UNIFORM:8:4:NR").accesses == free_accesses);
  CHECK(evaluated("UNIFORM:8:4:NR").tile_bytes == 1024 * 4 * 4);  // rounded up from the last of 4 bytes
  CHECK(evaluated("0,1,2").accesses == free_accesses);
  CHECK(evaluated("UNIFORM:2000:1:NR").accesses == 2000);
  CHECK(evaluated("UNIFORM:32:32:NR").wavefronts_per_request() == 32);
}

TEST_CASE("shared indices: Spatter's files say the operation", "[shared_indices]") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "a.json").string();
  put(path, R"([{"kernel": "Scatter", "pattern": [0, 1, 2, 3], "count": 8},
                {"kernel": "GS", "pattern-gather": [0, 32], "pattern-scatter": [0, 1], "count": 16}])");
  const auto op_of = [&](const std::string& value, const std::string& name) {
    return list_cases().get(case_of(value, {op(name)})).op;
  };
  CHECK(op_of(path + "#0", "auto") == TileOp::write);
  CHECK(op_of(path + "#0", "read") == TileOp::read);
  CHECK(op_of("0,1", "auto") == TileOp::read);
  CHECK_THAT(refusal_of(path + "#1"),
             ContainsSubstring("#1' reads through one list and writes through another; pass "));
  CHECK(evaluated(path + "#1", {op("read")}).bytes[1] == 128);
  CHECK(evaluated(path + "#1", {op("write")}).bytes[1] == 4);
  Case decided = case_of(path + "#0");
  decided.probe->size(std::span(&decided, 1), test::some_device());
  CHECK(decided.name("op") == "write");
}

TEST_CASE("shared indices: lists that do not fit are refused with the index", "[shared_indices]") {
  const TemporaryDirectory directory;
  const std::string far = list_file(directory, "a.txt", 64, [](std::uint64_t i) { return i == 7 ? 60'000 : i; });
  CHECK(refusal_of(far) == "--indices: '" + far +
                               "': index 7, counted from 0, is 60000, beyond the 58112 elements of 4 bytes that a "
                               "block's 227 KiB of shared memory have; leave such indices out, or count them from the "
                               "beginning of the tile");
  CHECK(refusal_of(far, {words(2)}) == "nothing");
  CHECK_THAT(refusal_of("0,1", {op("ldmatrix")}),
             StartsWith("--indices: '0,1': index 1, counted from 0, is 1, at byte 4, and a row of a matrix"));
  const std::string rows = list_file(directory, "b.txt", 24, [](std::uint64_t i) { return i * 4; });
  CHECK_THAT(refusal_of(rows, {op("ldmatrix")}),
             StartsWith("--indices: '" + rows + "' has 24 indices, and --op ldmatrix takes 32 rows of matrices at"));
  CHECK(evaluated(rows, {op("ldmatrix"), matrices(1)}).count() == 3);
  CHECK_THAT(refusal_of("0,1", {matrices(2)}), StartsWith("--matrices 2: --op read moves words"));
  CHECK_THAT(refusal_of("0,1", {op("cp-async"), words(2)}), StartsWith("--word-bytes 2: --op cp-async copies"));
  const std::string last = list_file(directory, "c.txt", 32, [](std::uint64_t i) { return 58'111 - i; });
  CHECK_THAT(refusal_of(last, {swizzle("2,10,3")}),
             ContainsSubstring("index 0, counted from 0, is swizzled to 61183, beyond the "));
}

TEST_CASE("shared indices: a list has at most 2^20 accesses", "[shared_indices]") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "a.u32").string();
  put(path, std::string((most_listed + 1) * sizeof(std::uint32_t), '\0'));
  CHECK(refusal_of(path) == "--indices: '" + path +
                                "' has 1048577 indices, and a block makes at most 1048576 accesses of them; pass those "
                                "of one block");
  put(path, std::string(most_listed * sizeof(std::uint32_t), '\0'));
  CHECK(evaluated(path).accesses == most_listed);
}

TEST_CASE("shared indices: the cure is a swizzle, and never padding", "[shared_indices]") {
  const TemporaryDirectory directory;
  const std::string path = list_file(directory, "a.txt", 1024, [](std::uint64_t i) { return i % 32 * 32 + i / 32; });
  const Case tested = case_of(path, {op("read")});
  CHECK(tested.probe->conflict_cure(tested).empty());  // of a report, whose file was not read yet
  tested.probe->validate(tested);
  std::filesystem::remove(path);
  CHECK(tested.probe->conflict_cure(tested) == "apply Swizzle<5,0,5> (1 wavefront)");
  const BankGrid grid = tested.probe->bank_grid(tested);
  CHECK(grid.wavefronts == 32);
  CHECK(grid.tile_rows == 32);
  std::vector<Outcome> outcomes;
  for (const char* value : {"none", "5,0,5"}) {
    outcomes.push_back({.tested = case_of(path, {op("read"), swizzle(value)}), .headline = 1});
  }
  CHECK_THAT(test::advice(outcomes), StartsWith("Without bank conflicts: swizzle 5,0,5."));
}

TEST_CASE("shared indices: reports of files that are not here have no advice about tiles", "[shared_indices]") {
  const TileCases cases = list_cases();
  CHECK_FALSE(cases.known(case_of("nowhere.npy")));
  CHECK_FALSE(cases.known(case_of("-")));
  CHECK(cases.known(case_of("UNIFORM:8:4")));
  CHECK_FALSE(cases.known(case_of("UNIFORM:8:4", {matrices(2), op("read")})));
  std::vector<Outcome> outcomes;
  for (const char* value : {"none", "5,0,5"}) {
    outcomes.push_back({.tested = case_of("nowhere.npy", {op("read"), swizzle(value)}), .headline = 1});
  }
  CHECK(test::advice(outcomes).empty());
}

}  // namespace gpumem::shared_pattern::test_shared_indices
