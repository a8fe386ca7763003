// Gathers and scatters through index arrays: what values of --indices stand for, and what launches of them do.

#include <filesystem>
#include <initializer_list>

#include "engine/base/error.hpp"
#include "probes/user/indices/index_case.hpp"
#include "tests/files.hpp"
#include "tests/probes/any_case.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test_indices {

using gpumem::global::test::describe;
using gpumem::global::test::refusal_of;
using gpumem::test::put;
using gpumem::test::some_device;
using gpumem::test::TemporaryDirectory;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

using Given = std::initializer_list<std::pair<std::string, Value>>;

/// With the defaults of all axes but those given.
Case planned(const std::string& indices, Given given = {}) {
  Case tested = gpumem::test::any_case("indices", {{"indices", indices}});
  for (const auto& [parameter, value] : given) tested.set(parameter, value);
  return tested;
}

/// The same, decided but for the shape, which is 256 threads with an element each.
Case decided(const std::string& indices, Given given = {}) {
  Case tested = planned(indices, given);
  for (const auto& [parameter, value] : {std::pair("block_threads", 256U), std::pair("elements_per_thread", 1U)}) {
    if (tested.is_auto(parameter)) tested.set(parameter, std::uint64_t{value});
  }
  tested.probe->size(std::span(&tested, 1), some_device());
  return tested;
}

template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "";
}

std::string sizing_refusal_of(const std::string& indices, Given given = {}) {
  return error_of([&] { static_cast<void>(decided(indices, given)); });
}

std::vector<std::string> names_of(const Workload& workload) {
  std::vector<std::string> names;
  for (const access::Site& site : workload.sites) names.push_back(site.name);
  return names;
}

template <class Word>
std::string words(std::initializer_list<Word> all) {
  return {reinterpret_cast<const char*>(all.begin()), all.size() * sizeof(Word)};
}

/// The addresses of the lanes of a site, request after request, as far as lanes are active.
std::vector<std::uint64_t> addresses_of(const access::Site& site, std::uint64_t requests) {
  std::vector<access::WarpRequest> all(requests);
  site.fill(0, all);
  std::vector<std::uint64_t> addresses;
  for (const access::WarpRequest& request : all) {
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if (request.lane_active(lane)) addresses.push_back(request.address[lane]);
    }
  }
  return addresses;
}

using Addresses = std::vector<std::uint64_t>;
using Names = std::vector<std::string>;

constexpr const char* configurations = R"([
  {"name": "a", "kernel": "Gather", "pattern": [0, 2], "delta": 4, "count": 3},
  {"kernel": "Scatter", "pattern": "UNIFORM:4:1:NR", "count": 2},
  {"kernel": "GS", "pattern-gather": [0, 8], "pattern-scatter": [1, 0], "delta-gather": 1, "delta-scatter": 2,
   "count": 2}])";

}  // namespace

TEST_CASE("indices: a use of the flag stands for a file, notation, or all configurations of a file", "[indices]") {
  const TemporaryDirectory directory;
  const std::string json = (directory / "a.json").string();
  put(json, configurations);
  CHECK(index_values("0,4,8,12", "indices") == Names{"0,4,8,12"});
  CHECK(index_values("UNIFORM:8:1:NR", "indices") == Names{"UNIFORM:8:1:NR"});
  CHECK(index_values("UNIFORM:8:1:NR  MS1:8:4:32", "indices") == Names{"UNIFORM:8:1:NR", "MS1:8:4:32"});
  CHECK(index_values("a b.npy", "indices") == Names{"a b.npy"});
  CHECK(index_values(json, "indices") == Names{json + "#0", json + "#1", json + "#2"});
  CHECK(index_values(json + "#2", "indices") == Names{json + "#2"});

  const auto refusal = [](const std::string& text) {
    return error_of([&] { static_cast<void>(index_values(text, "indices")); });
  };
  for (const char* nothing : {"", " ", "  "}) {
    CHECK(refusal(nothing) == "--indices: takes a file, or Spatter's notation such as UNIFORM:8:4:NR");
  }
  CHECK_THAT(refusal("UNIFORM:8"), Catch::Matchers::StartsWith("--indices: its notation: character 10: "));
  CHECK_THAT(refusal("UNIFROM:8:1"), Catch::Matchers::ContainsSubstring("did you mean 'UNIFORM'?"));
  put(json, "[1]");
  CHECK_THAT(refusal(json), Catch::Matchers::StartsWith("--indices: " + json));
}

TEST_CASE("indices: what is a file and notation at once is refused", "[indices]") {
  const TemporaryDirectory directory;
  put(directory / "1024", "7 9 11");
  put(directory / "UNIFORM:8:1", "7 9 11");
  std::filesystem::create_directory(directory / "2048");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path((directory / "1024").parent_path());
  const auto refusal = [](const std::string& text) {
    return error_of([&] { static_cast<void>(index_values(text, "indices")); });
  };
  CHECK(
      refusal("1024") ==
      "--indices: '1024' is Spatter's notation, and the name of a file here; './1024' is the file, and '1024 ', with a "
      "blank, the notation");
  CHECK_THAT(refusal("UNIFORM:8:1"),
             Catch::Matchers::ContainsSubstring("is Spatter's notation, and the name of a file here"));
  CHECK(index_values("./1024", "indices") == Names{"./1024"});
  CHECK(index_values("1024 ", "indices") == Names{"1024 "});
  CHECK(index_values("2048", "indices") == Names{"2048"});
  CHECK(refusal("i * 3") ==
        "--indices: there is no file 'i * 3'; as an expression of the access it is --pattern 'i * 3'");
  CHECK(refusal("FILE=a.json") == "--indices: 'FILE=a.json' is how Spatter takes a file; pass 'a.json'");
  std::filesystem::current_path(before);
}

TEST_CASE("indices: a configuration that cannot be run is one of several", "[indices]") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "a.json").string();
  put(path, R"([{"pattern": [0, 1]}, {"kernel": "SG", "pattern": [0]}, {"pattern": [0], "delta": 281474976710656}])");
  CHECK(index_values(path, "indices").size() == 3);
  CHECK(refusal_of(planned(path + "#0")).empty());
  for (const char* number : {"#1", "#2"}) {
    const Case tested = planned(path + number);
    CHECK_THROWS_AS(tested.probe->validate(tested), UnusableItem);
  }
  CHECK(refusal_of(planned(path + "#1")) ==
        "--indices: " + path + ": /1/pattern-gather: expected this member, which is missing");
}

TEST_CASE("indices: what takes more memory than there is, is refused before anything is evaluated", "[indices]") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "a.json").string();
  put(path, R"([{"kernel": "Scatter", "pattern": [0, 24, 48, 72], "delta": 0, "count": 16000000000}])");
  const Case huge = decided(path + "#0");
  const auto refusal = [](const Case& tested) {
    try {
      static_cast<void>(tested.probe->describe(tested, some_device()));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::probe_failed);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal(huge) == "out of memory: needs 238.4 GiB, the GPU has 140 GiB; pass a smaller --buffer");
  CHECK_THAT(
      refusal(decided("0,4", {{"op", "copy"}, {"buffer_bytes", mib}, {"extent_elements", std::uint64_t{1} << 35U}})),
      Catch::Matchers::EndsWith("pass a smaller --extent"));
}

TEST_CASE("indices: repeats are counted as if each access were looked at", "[indices]") {
  const TemporaryDirectory directory;
  const std::string listed = (directory / "a.txt").string();
  const std::string repeated = (directory / "a.json").string();
  for (const char* deltas : {"7", "-7", "0", "[5, -3, 64]", "[-64, 1]"}) {
    put(repeated,
        std::string(R"([{"kernel": "Scatter", "pattern": [9, 0, 70, 3, 4], "count": 9000, "delta": )") + deltas + "}]");
    const Case tested = decided(repeated + "#0");
    const auto sequence = IndexFiles().get(repeated + "#0", "indices", {})->sequence.value();
    std::string text;
    for (std::uint64_t k = 0; k < sequence.count(); ++k) text += std::to_string(sequence(k)) + "\n";
    put(listed, text);
    const Workload some = describe(tested);
    const Workload all = describe(decided(listed, {{"op", "write"}}));
    INFO(deltas);
    REQUIRE(some.sites.size() == all.sites.size());
    for (std::size_t i = 0; i < all.sites.size(); ++i) {
      CHECK(some.sites[i].requests == all.sites[i].requests);
      CHECK(some.sites[i].summary->cost.sectors_per_request == all.sites[i].summary->cost.sectors_per_request);
      CHECK(some.sites[i].summary->footprint.sectors == all.sites[i].summary->footprint.sectors);
    }
    CHECK(some.allocated_bytes == all.allocated_bytes);
  }
}

TEST_CASE("indices: a file is gathered from, once each", "[indices]") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "a.txt").string();
  put(path, "5 0 5 7");
  const Case tested = decided(path);
  CHECK(tested.name("op") == "read");
  CHECK(tested.number("buffer_bytes") == 16);
  const Workload workload = describe(tested);
  REQUIRE(names_of(workload) == Names{"indices", "source"});
  CHECK(addresses_of(workload.sites[0], 9) == Addresses{0, 4, 8, 12});
  CHECK(addresses_of(workload.sites[1], 9) == Addresses{20, 0, 20, 28});
  CHECK(workload.sites[1].requests == 1);
  CHECK(workload.sites[1].summary->cost.sectors_per_request == 1);
  CHECK(workload.sites[1].summary->footprint.sectors == 1);
  CHECK(workload.useful_bytes_read == 16);
  CHECK(workload.useful_bytes_written == 0);
  CHECK(workload.allocated_bytes == 8 * 4 + 4 * 4 + 256 * 4);
  CHECK_THAT(workload.kernel, Catch::Matchers::ContainsSubstring("read<"));

  // A part of it, in wider words.
  const Workload part =
      describe(decided(path, {{"buffer_bytes", std::uint64_t{24}}, {"word_bytes", std::uint64_t{8}}}));
  CHECK(addresses_of(part.sites[1], 1) == Addresses{40, 0, 40});
  CHECK(part.allocated_bytes == 6 * 8 + 3 * 4 + 256 * 4);
}

TEST_CASE("indices: indices are on the device as wide as in the file", "[indices]") {
  const TemporaryDirectory directory;
  const auto index_bytes = [&](const std::string& name, const std::string& content) {
    put(directory / name, content);
    const Workload workload = describe(decided((directory / name).string()));
    return workload.sites[0].word_bytes;
  };
  CHECK(index_bytes("a.u32", words<std::uint32_t>({1, 2})) == 4);
  CHECK(index_bytes("a.i64", words<std::int64_t>({1, 2})) == 8);
  CHECK(index_bytes("a.txt", "1") == 4);
  CHECK(describe(decided("0", {{"delta_elements", std::uint64_t{1} << 31U}, {"buffer_bytes", std::uint64_t{12}}}))
            .sites[0]
            .word_bytes == 8);
  put(directory / "a.bin", words<std::int64_t>({1, 2}));
  CHECK(decided((directory / "a.bin").string(), {{"index_format", "u32"}}).number("buffer_bytes") == 16);
}

TEST_CASE("indices: scatters and copies have the sites they have", "[indices]") {
  const std::string notation = "UNIFORM:32:8:NR";
  const std::uint64_t count = mib / 4;
  const Workload write = describe(decided(notation, {{"buffer_bytes", mib}, {"op", "write"}}));
  REQUIRE(names_of(write) == Names{"indices", "target"});
  CHECK(write.sites[1].op == access::Op::store);
  CHECK(write.useful_bytes_written == mib);
  CHECK(write.useful_bytes_read == 0);
  const std::uint64_t extent = 8 * (count - 1) + 1;
  CHECK(write.allocated_bytes == extent * 4 + mib + (extent + 31) / 32 * 4);

  const Workload copy = describe(decided(notation, {{"buffer_bytes", mib}, {"op", "copy"}}));
  REQUIRE(names_of(copy) == Names{"indices", "source", "target"});
  CHECK(copy.useful_bytes() == 2 * mib);
  CHECK_THAT(copy.kernel, Catch::Matchers::ContainsSubstring("copy_indexed<unsigned int, unsigned int, 1u, false>"));
  for (const access::Site& site : copy.sites) {
    CHECK(site.requests == count / 32);
    REQUIRE(site.summary);
  }
  CHECK(copy.sites[0].summary->cost.sectors_per_request == 4);
  CHECK(copy.sites[2].summary->cost.sectors_per_request == 32);
  CHECK(copy.sites[2].summary->footprint.sectors == static_cast<double>(count));

  const Workload from = describe(decided(notation, {{"buffer_bytes", mib}, {"from", "UNIFORM:32:1:NR"}}));
  REQUIRE(names_of(from) == Names{"from indices", "indices", "source", "target"});
  CHECK(from.sites[2].summary->cost.sectors_per_request == 4);
  CHECK(from.sites[3].summary->cost.sectors_per_request == 32);
  CHECK(from.allocated_bytes == (count + extent) * 4 + 2 * mib + (extent + 31) / 32 * 4);
  CHECK_THAT(from.kernel, Catch::Matchers::ContainsSubstring("copy_indexed<unsigned int, unsigned int, 1u, true>"));
}

TEST_CASE("indices: requests come in the order of the launch, whatever the shape", "[indices]") {
  const Case tested = decided("0,1", {{"buffer_bytes", std::uint64_t{200 * 4}},
                                      {"delta_elements", std::uint64_t{2}},
                                      {"block_threads", std::uint64_t{40}},
                                      {"elements_per_thread", std::uint64_t{2}}});
  const Workload workload = describe(tested);
  const access::Site& source = workload.sites[1];
  CHECK(source.instructions == 2);
  CHECK(workload.blocks == 3);
  CHECK(source.requests == 10);  // 40 threads are two warps, five times
  std::vector<access::WarpRequest> requests(13);
  source.fill(0, requests);
  CHECK(requests[0].active == 0xffffffffU);
  CHECK(requests[1].active == 0xffU);
  CHECK(requests[1].address[0] == 32 * 4);
  CHECK(requests[2].address[0] == 40 * 4);  // the block's second turn
  CHECK(requests[9].address[7] == 199 * 4);
  CHECK(requests[10].active == 0);
  CHECK(requests[12].active == 0);
  Addresses all(200);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i * 4;
  CHECK(addresses_of(source, 12) == all);
}

TEST_CASE("indices: notation is repeated until the buffer is full", "[indices]") {
  const auto first = [](const Case& tested) {
    Addresses addresses = addresses_of(describe(tested).sites[1], 1);
    for (std::uint64_t& address : addresses) address /= 4;
    return addresses;
  };
  const std::pair<std::string, Value> buffer = {"buffer_bytes", std::uint64_t{20}};
  CHECK(first(decided("0,3", {buffer})) == Addresses{0, 3, 8, 11, 16});  // as Spatter does
  CHECK(first(decided("0,3", {buffer, {"delta_elements", std::uint64_t{1}}})) == Addresses{0, 3, 1, 4, 2});
  CHECK(first(decided("UNIFORM:2:3:NR", {buffer})) == Addresses{0, 3, 6, 9, 12});
  CHECK(first(decided("UNIFORM:2:3:1", {buffer})) == Addresses{0, 3, 1, 4, 2});
  // If the buffer ends within a repetition, the rest of it need not be allocated.
  CHECK(describe(decided("0,100", {{"buffer_bytes", std::uint64_t{12}}})).allocated_bytes == 101 * 4 + 12 + 256 * 4);
  CHECK(describe(decided("0,100", {{"buffer_bytes", std::uint64_t{4}}})).allocated_bytes == 4 + 4 + 256 * 4);
  CHECK(decided("0,3").number("buffer_bytes") == 1024 * mib);
}

TEST_CASE("indices: files of Spatter's say what is done, and how often", "[indices]") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "a.json").string();
  put(path, configurations);
  const Case gather = decided(path + "#0");
  CHECK(gather.name("op") == "read");
  CHECK(gather.number("buffer_bytes") == 6 * 4);
  CHECK(addresses_of(describe(gather).sites[1], 1) == Addresses{0, 8, 16, 24, 32, 40});
  CHECK(names_of(describe(decided(path + "#1"))) == Names{"indices", "target"});
  const Workload both = describe(decided(path + "#2"));
  REQUIRE(names_of(both) == Names{"from indices", "indices", "source", "target"});
  CHECK(addresses_of(both.sites[2], 1) == Addresses{0, 32, 4, 36});
  CHECK(addresses_of(both.sites[3], 1) == Addresses{4, 0, 12, 8});
  // The user's options go before the file's.
  CHECK(names_of(describe(decided(path + "#0", {{"op", "write"}}))) == Names{"indices", "target"});
  CHECK(addresses_of(describe(decided(path + "#2", {{"op", "read"}})).sites[1], 1) == Addresses{0, 32, 4, 36});
  CHECK(addresses_of(describe(decided(path + "#2", {{"op", "write"}})).sites[1], 1) == Addresses{4, 0, 12, 8});
  CHECK(names_of(describe(decided(path + "#0", {{"from", path + "#0"}}))).size() == 4);

  CHECK(refusal_of(planned(path + "#3")) ==
        "--indices: " + path + ": there is no configuration 3; they are " + path + "#0 to " + path + "#2");
  CHECK(refusal_of(planned(path + "#2", {{"from", path + "#0"}})) ==
        "--from: '" + path + "#2' says itself where is read; leave --from out");
  CHECK_THAT(refusal_of(planned(path + "#0", {{"delta_elements", std::uint64_t{4}}})),
             Catch::Matchers::StartsWith("--delta is for notation on the command line"));
}

TEST_CASE("indices: --from and --indices have as many indices", "[indices]") {
  const TemporaryDirectory directory;
  const std::string two = (directory / "two.txt").string();
  const std::string three = (directory / "three.txt").string();
  put(two, "1 0");
  put(three, "1 0 3");
  CHECK(refusal_of(planned(two, {{"from", three}})) == "--from: '" + three + "' has 3 indices, but '" + two +
                                                           "', which says where is written, has 2; an access takes "
                                                           "one of each");
  CHECK(refusal_of(planned(two, {{"from", two}, {"op", "read"}})) ==
        "--from says where a copy reads, but --op is read; leave one of them out");
  // Notation goes as far as the other needs.
  CHECK(decided(three, {{"from", "0,1"}}).number("buffer_bytes") == 12);
  CHECK(addresses_of(describe(decided("0,1", {{"from", three}})).sites[3], 1) == Addresses{0, 4, 32});
}

TEST_CASE("indices: what does not go together is refused before anything runs", "[indices]") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "a.txt").string();
  put(path, "1 7 3");
  CHECK(refusal_of(planned(path)).empty());
  CHECK(refusal_of(planned("/no/such.npy")) == "--indices: cannot read '/no/such.npy': No such file or directory");
  CHECK(refusal_of(planned(path, {{"buffer_bytes", std::uint64_t{16}}})) ==
        "--buffer 16: is for 4 accesses of 4 bytes, and '" + path + "' has 3; leave --buffer out, or pass 12 at most");
  CHECK(refusal_of(planned(path, {{"extent_elements", std::uint64_t{8}}})).empty());
  CHECK(refusal_of(planned(path, {{"extent_elements", std::uint64_t{5}}})) ==
        "--indices: '" + path +
            "': index 1, counted from 0, is 7, beyond the 5 elements of --extent; make that larger");
  CHECK(refusal_of(planned(path, {{"extent_elements", std::uint64_t{5}}, {"buffer_bytes", std::uint64_t{4}}})).empty());
  CHECK(describe(decided(path, {{"extent_elements", std::uint64_t{100}}})).allocated_bytes == 400 + 12 + 1024);

  put(directory / "b.txt", "1 -2");
  CHECK_THAT(refusal_of(planned((directory / "b.txt").string())),
             Catch::Matchers::ContainsSubstring("line 1, column 3"));
  put(directory / "c.txt", "1 1000000000000");
  CHECK(sizing_refusal_of((directory / "c.txt").string()) ==
        "--indices: '" + (directory / "c.txt").string() +
            "': index 1, counted from 0, is 1000000000000: an array that reaches there has 3.6 TiB, the GPU 140 GiB; "
            "leave such indices out, or take fewer of them with --buffer");
  put(directory / "c.bin", words<std::uint64_t>({1, 2, 3, 1'000'000'000'000}));
  CHECK_THAT(sizing_refusal_of((directory / "c.bin").string(), {{"index_format", "u64"}}),
             Catch::Matchers::EndsWith("it was read as u64; is that right? --index-format says it otherwise"));
  CHECK_THAT(
      sizing_refusal_of("0,4", {{"extent_elements", std::uint64_t{1} << 40U}}),
      Catch::Matchers::StartsWith("--extent 1099511627776: an array of so many elements of 4 bytes has 4 TiB, the "
                                  "GPU 140 GiB; pass a smaller --extent"));
  put(directory / "d.txt", "1 9000000000000000000");
  CHECK_THAT(refusal_of(planned((directory / "d.txt").string())),
             Catch::Matchers::ContainsSubstring("no GPU has the memory"));
  CHECK_THAT(sizing_refusal_of("0", {{"delta_elements", std::uint64_t{1} << 40U}, {"buffer_bytes", mib}}),
             Catch::Matchers::EndsWith("pass a smaller --delta or --buffer"));
}

}  // namespace gpumem::global::test_indices
