// Ways from global to shared memory: what goes together, what is declared, and what is concluded.

#include <string>
#include <variant>
#include <vector>

#include "engine/access/site.hpp"
#include "engine/base/error.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_async_copy {

namespace {

constexpr std::uint64_t kib = 1024;

Case async_case(const std::string& way, std::uint64_t in_flight, std::uint64_t threads = 256) {
  return test::any_case("async-copy", {{"copied_by", way}, {"in_flight_bytes", in_flight}, {"block_threads", threads}});
}

bool is_valid(const Case& tested) {
  try {
    tested.probe->validate(tested);
    return true;
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return false;
  }
}

Outcome reading(const std::string& way, std::uint64_t in_flight, double gb_per_s) {
  return {.tested = async_case(way, in_flight), .headline = gb_per_s, .seconds = 1e-3};
}

}  // namespace

TEST_CASE("through registers threads hold 16 to 512 bytes, the other ways take any", "[async-copy]") {
  for (const std::uint64_t in_flight : {4 * kib, 128 * kib}) {
    for (const std::uint64_t threads : {32U, 256U, 1024U}) {
      CHECK(is_valid(async_case("bulk", in_flight, threads)));
      CHECK(is_valid(async_case("cp-async", in_flight, threads)));
      const std::uint64_t held = in_flight / threads;
      CHECK(is_valid(async_case("registers", in_flight, threads)) == (held >= 16 && held <= 512));
    }
  }
}

TEST_CASE("every way reads the array once, past or through the registers", "[async-copy]") {
  for (const char* way : {"registers", "cp-async", "bulk"}) {
    INFO(way);
    const Case tested = async_case(way, 32 * kib);
    const Workload workload = tested.probe->describe(tested, test::some_device());
    CHECK(workload.useful_bytes_read == std::uint64_t{1} << 30U);
    CHECK(workload.shared_bytes_per_block == 32 * kib);
    CHECK_FALSE(workload.modelled());
    REQUIRE(workload.sites.size() == 3);
    for (const access::Site& site : workload.sites) CHECK(site.requests * 512 == workload.useful_bytes_read);
    CHECK(access::summarise(workload.sites[0]).cost.sectors_per_request == 16);
    CHECK(access::summarise(workload.sites[2]).cost.wavefronts_per_request == 4);
    CHECK(workload.sites[0].instructions == (std::string(way) == "registers" ? 8U : 1U));
  }
}

TEST_CASE("what a GPU has no instruction for is skipped with the reason", "[async-copy]") {
  const auto why_not = [](const char* way, const char* compute_capability) -> std::string {
    Device device = test::some_device();
    device.compute_capability = compute_capability;
    const Case tested = async_case(way, 4 * kib);
    try {
      static_cast<void>(tested.probe->describe(tested, device));
      return "";
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::missing_capability);
      return error.what();
    }
  };
  CHECK(why_not("bulk", "8.6") == "the bulk copy engine takes compute capability 9.0, this GPU has 8.6");
  CHECK(why_not("cp-async", "7.5") == "cp.async takes compute capability 8.0, this GPU has 7.5");
  CHECK(why_not("cp-async", "8.0").empty());
  CHECK(why_not("bulk", "10.0").empty());
  CHECK(why_not("registers", "7.0").empty());

  const Case large = async_case("registers", 128 * kib);
  CHECK(large.probe->describe(large, test::some_device()).shared_bytes_per_block == 128 * kib);
}

TEST_CASE("the conclusion is the fewest bytes in flight that saturate, for each way", "[async-copy]") {
  const std::vector<Outcome> outcomes = {reading("registers", 32 * kib, 2000), reading("registers", 128 * kib, 3000),
                                         reading("bulk", 16 * kib, 3000),      reading("bulk", 32 * kib, 3900),
                                         reading("bulk", 64 * kib, 4000),      reading("cp-async", 64 * kib, 3850)};
  const Conclusion conclusion = test::conclusion(outcomes);
  CHECK(report::say(conclusion.facts) ==
        "For nearly 4000 GB/s a multiprocessor with 256 threads needs in flight: 32 KiB by the bulk copy "
        "engine and 64 KiB by cp.async. Copies through registers stay at 3000 GB/s, with 128 KiB in flight.");
  REQUIRE(conclusion.facts.size() == 2);
  CHECK(conclusion.facts[0].kind == FactKind::saturates_at);
  CHECK(conclusion.facts[0].outcomes == std::vector<std::size_t>{2, 3, 4, 5});
  CHECK(std::get<double>(conclusion.facts[0].values.at(2).items.front()) == 32 * kib);
  CHECK(conclusion.facts[1].kind == FactKind::limit);
  CHECK(conclusion.facts[1].outcomes == std::vector<std::size_t>{0, 1});
  REQUIRE(conclusion.quantities.size() == 2);
  CHECK(conclusion.quantities[0].value == 32 * kib);
  CHECK(conclusion.quantities[0].outcomes == std::vector<std::size_t>{2, 3, 4});
  CHECK(conclusion.quantities[1].value == 64 * kib);
  CHECK(conclusion.quantities[1].outcomes == std::vector<std::size_t>{5});
  CHECK(conclusion.quantities[0].name == outcomes.front().tested.probe->concluded.front().name);

  CHECK(test::advice({reading("bulk", 16 * kib, 3000)}) ==
        "For nearly 3000 GB/s a multiprocessor with 256 threads needs in flight: 16 KiB by the bulk copy "
        "engine.");
  CHECK(test::advice({reading("bulk", 16 * kib, 3000), reading("bulk", 32 * kib, 3010)})
            .ends_with(" Less in flight than the 16 KiB that were tried may do as well."));
}

TEST_CASE("the method that takes the fewest bytes in flight comes first", "[async-copy]") {
  CHECK(test::advice({reading("bulk", 64 * kib, 4000), reading("registers", 32 * kib, 3990),
                      reading("registers", 16 * kib, 2000)}) ==
        "For nearly 4000 GB/s a multiprocessor with 256 threads needs in flight: 32 KiB through registers "
        "and 64 KiB by the bulk copy engine.");
}

}  // namespace gpumem::test_async_copy
