// Work, launch shapes and buffers that the probe makes of a pattern which a user writes.

#include "engine/model/predict.hpp"
#include "tests/catch.hpp"
#include "tests/probes/user/user_pattern_cases.hpp"

namespace gpumem::global::test_user_pattern {

using namespace gpumem::global::test;

TEST_CASE("user pattern: warps without an active lane issue no request", "[user_pattern]") {
  const auto workload = [](const std::string& active, std::uint64_t threads = 256) {
    return describe(pattern_case("i", {{"active", active}, {"op", std::string("copy")}, {"block_threads", threads}}));
  };
  constexpr std::uint64_t accesses = (std::uint64_t{1} << 20U) / 4;
  const Workload half = workload("warp % 2 == 0");
  REQUIRE(half.sites.size() == 2);
  for (const access::Site& site : half.sites) {
    CHECK(site.requests == accesses / 64);
    CHECK(site.evaluated == accesses / 32);
    CHECK(site.summary->cost.sectors_per_request == 4);
    CHECK(site.summary->cost.efficiency == 1);
    CHECK(site.summary->footprint.sectors == accesses / 16.0);
  }
  CHECK(half.useful_bytes_read == accesses * 2);
  CHECK(half.useful_bytes_written == accesses * 2);
  // The same lanes in all warps.
  const Workload lanes = workload("lane < 8");
  CHECK(lanes.sites[0].requests == accesses / 32);
  CHECK(lanes.sites[0].summary->cost.sectors_per_request == 1);
  // The fourth warp of 97 threads is a lane.
  CHECK(workload("warp < 3", 97).sites[0].requests == (accesses / 97) * 3 + (accesses % 97 + 31) / 32);
  CHECK(workload("warp == 3", 97).useful_bytes_read == accesses / 97 * 4);
}

TEST_CASE("user pattern: what a launch needs and is called", "[user_pattern]") {
  const auto described = [](const std::string& op, Given given = {}) {
    Case tested = pattern_case("i * 2", {{"op", op}});
    for (const auto& [parameter, value] : given) tested.set(parameter, value);
    return describe(tested);
  };
  constexpr std::uint64_t accesses = (std::uint64_t{1} << 20U) / 4;
  constexpr std::uint64_t array = (2 * accesses - 1) * 4;
  CHECK(described("write").allocated_bytes == array);
  CHECK(described("copy").allocated_bytes == 2 * array);
  CHECK(described("write", {{"extent_elements", 4 * accesses}}).allocated_bytes == 16 * accesses);
  const Workload read = described("read", {{"elements_per_thread", std::uint64_t{4}}});
  CHECK(read.allocated_bytes > array);
  CHECK(read.useful_bytes_read == 4 * accesses);
  CHECK(read.useful_bytes_written == 0);
  CHECK(read.blocks == accesses / 1024);
  CHECK(read.block_threads == 256);
  REQUIRE(read.sites.size() == 1);
  CHECK(read.sites[0].name == "source");
  CHECK(read.sites[0].op == access::Op::load);
  CHECK(read.sites[0].instructions == 4);
  CHECK(read.sites[0].described);
  CHECK_THAT(read.kernel,
             Catch::Matchers::ContainsSubstring("read<unsigned int") && Catch::Matchers::ContainsSubstring("4u>"));
  const Workload write = described("write", {{"word_bytes", std::uint64_t{16}}});
  CHECK(write.sites[0].name == "target");
  CHECK(write.sites[0].op == access::Op::store);
  CHECK(write.sites[0].word_bytes == 16);
  CHECK_THAT(write.kernel, Catch::Matchers::ContainsSubstring("write<uint4"));
}

TEST_CASE("user pattern: the patterns of other probes, written as expressions, are the same work", "[user_pattern]") {
  const model::Profile h200 = model::load_profile("h200");
  const auto check_same = [&](const std::string& expression, const std::string& probe, const std::string& parameter,
                              std::uint64_t value, Given given) {
    Case written = pattern_case(expression, given);
    Case other = case_of(probe, {{parameter, value}});
    for (const auto& [name, common] : given) other.set(name, common);
    INFO(to_string(written) << " as " << to_string(other));
    const Workload a = written.probe->describe(written, h200.device);
    const Workload b = other.probe->describe(other, h200.device);
    REQUIRE(a.sites.size() == b.sites.size());
    for (std::size_t k = 0; k < a.sites.size(); ++k) {
      CHECK(a.sites[k].requests == b.sites[k].requests);
      CHECK(a.sites[k].instructions == b.sites[k].instructions);
      CHECK(all_of(access::summarise(a.sites[k])) == all_of(access::summarise(b.sites[k])));
    }
    CHECK(a.useful_bytes_read == b.useful_bytes_read);
    CHECK(a.useful_bytes_written == b.useful_bytes_written);
    CHECK(a.blocks == b.blocks);
    CHECK(model::predict(a, h200).seconds == Approx(model::predict(b, h200).seconds));
  };
  for (const std::string op : {"read", "write", "copy"}) {
    for (const std::uint64_t mib : {1U, 512U}) {
      for (const std::uint64_t word_bytes : {4U, 16U}) {
        for (const std::uint64_t elements : {1U, 4U}) {
          const Given given = {
              {"op", op}, {"buffer_bytes", mib << 20U}, {"word_bytes", word_bytes}, {"elements_per_thread", elements}};
          check_same("i * 7", "stride", "stride_elements", 7, given);
          check_same("i + 3", "offset", "offset_elements", 3, given);
        }
      }
    }
  }
}

TEST_CASE("user pattern: auto holds the shape that a pattern's names depend on", "[user_pattern]") {
  const auto shape = [](std::initializer_list<const char*> patterns, const char* active = "1") {
    std::vector<Case> sweep;
    for (const char* text : patterns) {
      sweep.push_back(pattern_case(text, {{"active", std::string(active)},
                                          {"block_threads", std::string("auto")},
                                          {"elements_per_thread", std::string("auto")}}));
    }
    sweep.front().probe->size(sweep, gpumem::test::some_device());
    std::string words;
    for (const Case& tested : sweep) {
      words += to_string(tested.value("block_threads")) + " " + to_string(tested.value("elements_per_thread")) + ";";
    }
    return words;
  };
  CHECK(shape({"i"}) == "auto auto;");
  CHECK(shape({"i + lane"}) == "auto auto;");
  CHECK(shape({"warp * 32"}) == "256 auto;");
  CHECK(shape({"thread"}) == "256 auto;");
  CHECK(shape({"block"}) == "256 4;");
  CHECK(shape({"i"}, "warp < 2") == "256 auto;");
  CHECK(shape({"i", "i + block"}) == "256 4;256 4;");  // one shape for all that are compared
}

TEST_CASE("user pattern: an automatic buffer is made for the pattern", "[user_pattern]") {
  const Device device = gpumem::test::some_device();
  const auto sized = [&](const std::string& element) {
    std::vector<Case> sweep = {pattern_case("i", {{"buffer_bytes", std::string("auto")}}),
                               pattern_case(element, {{"buffer_bytes", std::string("auto")}})};
    for (Case& tested : sweep) tested.set("elements_per_thread", std::string("auto"));
    sweep.front().probe->size(sweep, device);
    CHECK(sweep[0].number("buffer_bytes") == sweep[1].number("buffer_bytes"));
    Case& last = sweep.back();
    last.set("elements_per_thread", std::uint64_t{2});
    CHECK(last.probe->describe(last, device).allocated_bytes <= device.memory_bytes);
    return last.number("buffer_bytes");
  };
  CHECK(sized("i") >= 4 * device.l2_bytes);
  CHECK(sized("i * 1000") < sized("i"));  // which would not fit
}

}  // namespace gpumem::global::test_user_pattern
