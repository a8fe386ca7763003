// Patterns counted by the GPU: the same as the host finds.

#include <cstdint>
#include <string>

#include "engine/measure/session.hpp"
#include "probes/user/pattern/pattern_count.hpp"
#include "tests/engine/measure/kernel_samples.hpp"
#include "tests/environment.hpp"
#include "tests/files.hpp"

namespace gpumem::global {
namespace {

constexpr std::uint64_t enough = PatternCounter::fewest_accesses;

struct Counter {
  test::TemporaryDirectory directory;
  test::EnvironmentVariable caches{"XDG_CACHE_HOME", directory.path().string()};
  measure::Session session{0};
  PatternCounter counter;

  std::optional<KnownPattern> operator()(const UserPattern& pattern, const Launch& launch,
                                         std::uint64_t bound_elements = 0) {
    return counter.count(pattern, launch, bound_elements, session.device());
  }
};

/// Absent where nothing compiles the kernel, which is a line that ctest looks for.
bool can_compile() {
  if (!test::without_nvrtc()) return true;
  WARN("skipped without NVRTC: nothing compiles the kernel that counts");
  return false;
}

void check(Counter& counter, const std::string& element, const std::string& active, const Launch& launch) {
  INFO("'" << element << "' active '" << active << "', " << launch.count << " accesses of " << launch.word_bytes
           << " bytes, " << launch.tile.block_threads << " threads");
  const UserPattern pattern = user_pattern(element, active, launch);
  const KnownPattern host = known_of(pattern, launch);
  const access::ExactSummary expected = host.exact ? *host.exact : counted(pattern, launch, host.facts);
  std::optional<KnownPattern> gpu;
  static_cast<void>(known_of(pattern, launch, [&](const UserPattern& of, const Launch& in, std::uint64_t bound) {
    return gpu = counter(of, in, bound);
  }));
  REQUIRE(gpu);
  CHECK(gpu->facts.accesses == host.facts.accesses);
  CHECK(gpu->facts.extent_elements == host.facts.extent_elements);
  REQUIRE(gpu->exact);
  CHECK(gpu->exact->counts.requests == expected.counts.requests);
  CHECK(gpu->exact->counts.sectors == expected.counts.sectors);
  CHECK(gpu->exact->counts.lines == expected.counts.lines);
  CHECK(gpu->exact->counts.addresses == expected.counts.addresses);
  CHECK(gpu->exact->counts.wavefronts == expected.counts.wavefronts);
  const access::Footprint& found = gpu->exact->summary.footprint;
  const access::Footprint& wanted = expected.summary.footprint;
  CHECK(found.sectors == wanted.sectors);
  CHECK(found.partial_sectors == wanted.partial_sectors);
  CHECK(found.atoms == wanted.atoms);
  CHECK(found.partial_atoms == wanted.partial_atoms);
  CHECK(found.lines == wanted.lines);
  CHECK(found.line_pairs == wanted.line_pairs);
  CHECK(found.channels == wanted.channels);
  CHECK(gpu->exact->summary.cost.sectors_per_request == expected.summary.cost.sectors_per_request);
  CHECK(gpu->exact->summary.cost.lines_per_request == expected.summary.cost.lines_per_request);
  CHECK(gpu->exact->summary.cost.efficiency == expected.summary.cost.efficiency);
}

Launch launch_with(std::uint64_t count, std::uint32_t word_bytes, const Tile& tile = {256, 4}) {
  return {.op = Op::copy, .word_bytes = word_bytes, .count = count, .tile = tile};
}

}  // namespace

TEST_CASE("pattern count: the GPU finds what the host does", "[gpu][pattern_count]") {
  if (!can_compile()) return;
  Counter counter;
  check(counter, "i * 2654435761 % 1000003 * 7 + i % 5", "1", launch_with(enough, 4));
  check(counter, "(i ^ i >> 11) * 13 & n - 1", "i * i % 7 != 3", launch_with(enough, 8));
  check(counter, "i * 40503 % n", "lane < 11 || warp % 3", launch_with(enough + 12'345, 16));
  // Blocks that end within a warp, and an extent that is only found by evaluating.
  check(counter, "i * i % 1000003 + (i >> 4 << 4)", "1", launch_with(enough + 1, 4, {97, 3}));
  check(counter, "max(i * i >> 26, i)", "(i * i >> 9) % 64 == 0", launch_with(enough, 8, {33, 1}));
  // Whole warps that take no part, and elements that many share.
  check(counter, "i * i % 977", "(i >> 5) * (i >> 5) % 13 == 4", launch_with(enough, 4));
}

TEST_CASE("pattern count: what the host has to say or to do is left to it", "[gpu][pattern_count]") {
  if (!can_compile()) return;
  Counter counter;
  const Launch launch = launch_with(enough, 4);
  const auto counts = [&](const std::string& element, const std::string& active = "1") {
    return counter(user_pattern(element, active, launch), launch).has_value();
  };
  CHECK(counts("i * i % 1009"));
  CHECK_FALSE(counts("i * i % 1009 - 1008"));                 // negative
  CHECK(counts("i * i % 1009 - 500", "i * i % 1009 > 600"));  // only of lanes that take no part
  CHECK_FALSE(counts("i", "i * i % 1009 > 2000"));            // nobody takes part
  CHECK_FALSE(counts("n / (i * i % 1009)"));                  // divides by zero
  CHECK_FALSE(counts("i * 4096"));                            // a map of more memory than is to be taken for it
  const Launch small = launch_with(enough - 1, 4);
  CHECK_FALSE(counter(user_pattern("i * i % 1009", "1", small), small).has_value());
  Device described = counter.session.device();
  described.uuid.reset();
  CHECK_FALSE(counter.counter.count(user_pattern("i * i % 1009", "1", launch), launch, 0, described).has_value());
}

}  // namespace gpumem::global
