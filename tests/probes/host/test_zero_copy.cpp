// The zero-copy probe's descriptions of its cases, and its conclusions from times that were made up or measured
// elsewhere.

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/measure/content.hpp"
#include "probes/host/zero_copy/zero_copy_case.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_zero_copy {

using gpumem::test::advice;
using gpumem::test::conclusion;
using report::say;
using Work = Operation::Work;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

const Probe& zero_copy() {
  const Probe* probe = find_probe("zero-copy");
  REQUIRE(probe != nullptr);
  return *probe;
}

struct Pattern {
  std::uint64_t offset = 0;
  std::uint64_t stride = 1;
  std::uint64_t word_bytes = 4;
};

Case zero_copy_case(const std::string& placement, const std::string& op, std::uint64_t passes,
                    const Pattern& pattern = {}) {
  Case tested{&zero_copy(), {}};
  for (const Axis& axis : zero_copy().axes) tested.parameters.push_back({axis.parameter, std::uint64_t{0}});
  tested.set("passes", passes);
  tested.set("placement", placement);
  tested.set("op", op);
  tested.set("offset_elements", pattern.offset);
  tested.set("stride_elements", pattern.stride);
  tested.set("word_bytes", pattern.word_bytes);
  tested.set("buffer_bytes", mib);
  return tested;
}

Workload describe(const Case& tested) { return tested.probe->describe(tested, Device{}); }

std::vector<Work> work_of(const Workload& workload) {
  std::vector<Work> all;
  for (const Operation& operation : workload.operations) all.push_back(operation.work);
  return all;
}

/// Outcomes whose times are fixed + passes x per pass, microseconds.
struct Line {
  double fixed_us;
  double pass_us;
};

void add(std::vector<Outcome>& outcomes, const std::string& placement, const std::string& op, const Line& line,
         std::initializer_list<std::uint64_t> passes) {
  for (const std::uint64_t k : passes) {
    const double seconds = (line.fixed_us + static_cast<double>(k) * line.pass_us) * 1e-6;
    outcomes.push_back({.tested = zero_copy_case(placement, op, k),
                        .headline = static_cast<double>(k * mib) / seconds * per_giga,
                        .seconds = seconds});
  }
}

Conclusion conclude(const std::string& op, const Line& mapped, const Line& copied,
                    std::initializer_list<std::uint64_t> passes) {
  std::vector<Outcome> outcomes;
  add(outcomes, "mapped", op, mapped, passes);
  add(outcomes, "copied", op, copied, passes);
  Conclusion shown = conclusion(outcomes);
  REQUIRE(shown.facts.size() == 1);
  CHECK(shown.facts.front().outcomes.size() == outcomes.size());
  REQUIRE(shown.quantities.size() <= 1);
  for (const Conclusion::DerivedQuantity& found : shown.quantities) {  // all cases of the table show it together
    CHECK(found.outcomes.size() == outcomes.size());
    CHECK(found.name == zero_copy().concluded.front().name);
  }
  return shown;
}

double pays_from(const Conclusion& shown) { return shown.quantities.empty() ? 0 : shown.quantities.front().value; }

}  // namespace

TEST_CASE("zero-copy: mapped memory is read and written by the kernel alone, over the link", "[zero_copy]") {
  const Workload copy = describe(zero_copy_case("mapped", "copy", 3));
  REQUIRE(work_of(copy) == std::vector{Work::launch});
  CHECK(copy.operations.front().count == 3);
  CHECK(copy.operations.front().stage == "kernel");
  REQUIRE(copy.sites.size() == 2);
  for (const access::Site& site : copy.sites) {
    CHECK(site.space == access::Space::host);
    CHECK(site.instructions == 1);
    CHECK(site.requests == mib / 4 / access::warp_lanes);
  }
  CHECK(copy.useful_bytes_read == 3 * mib);
  CHECK(copy.useful_bytes_written == 3 * mib);
  CHECK(copy.host_bytes == 2 * mib);
  CHECK(copy.allocated_bytes == 0);

  const Workload read = describe(zero_copy_case("mapped", "read", 1));
  CHECK(read.useful_bytes_written == 0);
  CHECK(read.host_bytes == mib);
  CHECK(read.allocated_bytes == mib);  // a checksum per thread, one word each
}

TEST_CASE("zero-copy: copying moves what the op needs, once, and the kernel runs on device memory", "[zero_copy]") {
  const Workload read = describe(zero_copy_case("copied", "read", 4));
  REQUIRE(work_of(read) == std::vector{Work::copy_to_device, Work::launch});
  CHECK(read.operations[0].bytes == mib);
  CHECK(read.operations[0].count == 1);
  CHECK_FALSE(read.operations[0].pageable);
  CHECK(read.operations[1].count == 4);
  CHECK(read.sites.front().space == access::Space::global);
  CHECK(read.useful_bytes_read == 4 * mib);
  CHECK(read.allocated_bytes == mib + mib / 4);  // a checksum per thread of four words

  CHECK(work_of(describe(zero_copy_case("copied", "write", 4))) == std::vector{Work::launch, Work::copy_to_host});

  const Workload copy = describe(zero_copy_case("copied", "copy", 4));
  CHECK(work_of(copy) == std::vector{Work::copy_to_device, Work::launch, Work::copy_to_host});
  CHECK(copy.operations[0].stage == "copy in");
  CHECK(copy.operations[2].stage == "copy out");
  CHECK(copy.host_bytes == 2 * mib);
  CHECK(copy.allocated_bytes == 2 * mib);
}

TEST_CASE("zero-copy: offset and stride stretch the arrays, not the useful bytes", "[zero_copy]") {
  const Pattern pattern{.offset = 5, .stride = 3, .word_bytes = 8};
  const std::uint64_t count = mib / 8;
  const std::uint64_t extent_bytes = (5 + (count - 1) * 3 + 1) * 8;
  const Workload copied = describe(zero_copy_case("copied", "write", 2, pattern));
  CHECK(copied.useful_bytes() == 2 * mib);
  CHECK(copied.host_bytes == extent_bytes);
  CHECK(copied.allocated_bytes == extent_bytes);
  CHECK(copied.operations.back().bytes == extent_bytes);

  const Workload mapped = describe(zero_copy_case("mapped", "write", 2, pattern));
  const access::Site& site = mapped.sites.front();
  CHECK(site.word_bytes == 8);
  const access::WarpRequest last = site.request(site.requests - 1);
  CHECK(site.request(0).address[0] == std::uint64_t{5} * 8);
  CHECK(last.address[access::warp_lanes - 1] + 8 == extent_bytes);
}

TEST_CASE("zero-copy: every wrong, missing and stray word in host memory is found", "[zero_copy]") {
  const auto [offset, stride, words] =
      GENERATE(std::tuple{0U, 1U, 1U}, std::tuple{1U, 1U, 2U}, std::tuple{3U, 4U, 1U}, std::tuple{2U, 3U, 4U});
  const host::AffinePattern pattern{offset, stride};
  constexpr std::uint64_t count = 5;
  const measure::ContentParts parts{4, words};
  std::vector<std::uint32_t> target(pattern.extent(count) * words, measure::poison_word);
  std::vector<bool> stored(target.size(), false);
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::uint64_t word = pattern(i) * words; word < (pattern(i) + 1) * words; ++word) {
      target[word] = measure::random_word(word);
      stored[word] = true;
    }
  }
  CHECK(stored.back());  // the extent ends with the last element
  CHECK(host::compare_stored(target.data(), parts, count, pattern).mismatches == 0);
  for (std::size_t word = 0; word < target.size(); ++word) {
    const std::uint32_t right = target[word];
    target[word] = stored[word] ? measure::poison_word : measure::random_word(word);
    const host::Difference difference = host::compare_stored(target.data(), parts, count, pattern);
    CHECK(difference.mismatches == 1);
    CHECK(difference.first == word);
    target[word] = right;
  }
}

TEST_CASE("zero-copy: every wrong, missing and stray element of 1 or 2 bytes is found", "[zero_copy]") {
  const auto parts = measure::ContentParts::of(GENERATE(1U, 2U));
  const host::AffinePattern pattern{3, 2};
  constexpr std::uint64_t count = 40;
  const std::uint64_t extent = pattern.extent(count);
  std::vector<std::uint32_t> target(extent * parts.bytes / 4 + 1, measure::poison_word);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(target.data());
  const auto put = [&](std::uint64_t element, std::uint32_t value) {
    std::memcpy(bytes + element * parts.bytes, &value, parts.bytes);  // of a little-endian machine
  };
  for (std::uint64_t i = 0; i < count; ++i) put(pattern(i), parts.random(pattern(i)));
  CHECK(host::compare_stored(target.data(), parts, count, pattern).mismatches == 0);
  for (std::uint64_t element = 0; element < extent; ++element) {
    const std::uint32_t right = parts.at(target.data(), element);
    put(element, right ^ 1U);
    const host::Difference difference = host::compare_stored(target.data(), parts, count, pattern);
    CHECK(difference.mismatches == 1);
    CHECK(difference.first == element);
    put(element, right);
  }
}

TEST_CASE("zero-copy: a buffer that is not whole words is refused", "[zero_copy]") {
  Case tested = zero_copy_case("mapped", "read", 1, {.word_bytes = 16});
  CHECK_NOTHROW(zero_copy().validate(tested));
  tested.set("buffer_bytes", mib + 8);
  CHECK_THROWS_AS(zero_copy().validate(tested), Error);
}

TEST_CASE("zero-copy: the break-even is the first number of passes at which copying is faster", "[zero_copy]") {
  // Measured on an H200, 64 MiB.
  const Conclusion copy = conclude("copy", {6, 1620}, {2430, 35}, {1, 2, 4, 8, 16});
  CHECK(pays_from(copy) == 2);
  CHECK(say(copy.facts) ==
        "Read and write mapped memory directly for fewer than 2 passes. From there on, copy the data to the device and "
        "back: 16 passes are 8.67 x as fast.");
  CHECK(copy.facts.front().kind == FactKind::pays_from);
  CHECK(copy.facts.front().values.back().name == "passes_from");
  CHECK(std::get<double>(copy.facts.front().values.back().items.front()) == 2);

  // Between the passes that ran: 100 k = 520 + 10 k at 5.8.
  CHECK(pays_from(conclude("read", {0, 100}, {520, 10}, {1, 4, 16})) == 6);
  CHECK(pays_from(conclude("read", {0, 100}, {520, 10}, {4, 8})) == 6);
  // At 5 exactly both take as long: faster only from 6.
  CHECK(pays_from(conclude("read", {0, 128}, {320, 64}, {1, 16})) == 6);
  // Below the ones that ran.
  CHECK(pays_from(conclude("read", {0, 100}, {520, 10}, {8, 16})) == 6);
}

TEST_CASE("zero-copy: copying that pays at once", "[zero_copy]") {
  const Conclusion read = conclude("read", {6, 1311}, {1212, 16}, {1, 2, 4});
  CHECK(pays_from(read) == 1);
  CHECK(say(read.facts) ==
        "Copy the data to the device first, even for one pass: it is 1.07 x as fast. 4 passes are 4.11 x as fast.");

  const Conclusion write = conclude("write", {6, 16790}, {2430, 30}, {1});
  CHECK(pays_from(write) == 1);
  CHECK(say(write.facts) == "Write device memory and copy the data out, even for one pass: it is 6.83 x as fast.");

  const Conclusion no_sooner = conclude("read", {0, 100}, {85, 14}, {1, 4});
  CHECK(pays_from(no_sooner) == 1);
  CHECK(say(no_sooner.facts) ==
        "Copy the data to the device first: one pass takes no longer. 4 passes are 2.84 x as fast.");
}

TEST_CASE("zero-copy: copying that does not pay within the passes that ran", "[zero_copy]") {
  const Conclusion soon = conclude("write", {0, 100}, {520, 10}, {1, 2, 4});
  CHECK(pays_from(soon) == 6);
  CHECK(say(soon.facts) ==
        "Write mapped memory directly for up to 4 passes. Extrapolated, copying pays from 6 passes on.");

  const Conclusion far = conclude("read", {0, 100}, {5000, 10}, {1, 2, 4});
  CHECK(far.quantities.empty());
  CHECK(say(far.facts) == "Read mapped memory directly for up to 4 passes. Copying then still takes 13 x as long.");
  CHECK(far.facts.front().kind == FactKind::costs);

  const Conclusion never = conclude("read", {0, 10}, {520, 10}, {1, 2});
  CHECK(never.quantities.empty());
}

TEST_CASE("zero-copy: what does not differ, or only within the intervals, is no advice", "[zero_copy]") {
  const Conclusion close = conclude("read", {0, 100}, {0, 99}, {1, 4});
  CHECK(say(close.facts) == "Mapped memory is as fast as copying. Choose what is simpler.");
  CHECK(close.facts.front().kind == FactKind::as_fast_as);

  std::vector<Outcome> outcomes;
  add(outcomes, "mapped", "read", {0, 110}, {1, 4});
  add(outcomes, "copied", "read", {0, 100}, {1, 4});
  CHECK(conclusion(outcomes).facts.front().kind == FactKind::pays_from);
  for (Outcome& outcome : outcomes) outcome.interval = {outcome.headline * 0.9, outcome.headline * 1.1};
  CHECK(conclusion(outcomes).facts.front().kind == FactKind::as_fast_as);

  // As fast at the most passes only.
  CHECK(say(conclude("read", {0, 100}, {315, 20}, {1, 4}).facts) ==
        "Read mapped memory directly. At 4 passes copying is as fast, and no faster.");
}

TEST_CASE("zero-copy: one number of passes tells what is faster, and no more than that", "[zero_copy]") {
  const Conclusion copied = conclude("read", {6, 1311}, {1212, 16}, {4});
  CHECK(copied.quantities.empty());
  CHECK(say(copied.facts) == "Copy the data to the device first: 4 passes are 4.11 x as fast as over mapped memory.");
  CHECK(copied.facts.front().kind == FactKind::fastest);

  const Conclusion mapped = conclude("copy", {6, 1620}, {2430, 35}, {1});
  CHECK(mapped.quantities.empty());
  CHECK(say(mapped.facts) == "Read and write mapped memory directly: for one pass, copying takes 1.52 x as long.");
}

TEST_CASE("zero-copy: one placement alone says what a pass costs there", "[zero_copy]") {
  std::vector<Outcome> outcomes;
  add(outcomes, "copied", "read", {1200, 16}, {1, 2, 4});
  CHECK(conclusion(outcomes).quantities.empty());
  CHECK(conclusion(outcomes).facts.front().kind == FactKind::fit);
  CHECK(conclusion(outcomes).facts.front().outcomes == std::vector<std::size_t>{0, 1, 2});
  CHECK(advice(outcomes) ==
        "Each pass over copied data takes 16.0 us, and 1.20 ms come on top once. The other placement shows when "
        "copying pays.");

  outcomes.clear();
  add(outcomes, "mapped", "read", {0, 1500}, {2});
  CHECK(conclusion(outcomes).quantities.empty());
  CHECK(conclusion(outcomes).facts.front().kind == FactKind::costs);
  CHECK(advice(outcomes) == "2 passes over mapped data take 3.00 ms. The other placement shows when copying pays.");

  // Passes that ran in one placement only do not make a pair.
  outcomes.clear();
  add(outcomes, "mapped", "read", {0, 1500}, {1});
  add(outcomes, "copied", "read", {1200, 16}, {2});
  CHECK(conclusion(outcomes).quantities.empty());
  CHECK(advice(outcomes).starts_with("One pass over mapped data takes 1.50 ms. The"));  // not a mix of both

  // Neither nothing on top nor less than nothing is worth a word; nor is a pass that noise makes cost nothing.
  const auto alone = [](double once_us, double twice_us) {
    return advice({{.tested = zero_copy_case("mapped", "read", 1), .seconds = once_us * 1e-6},
                   {.tested = zero_copy_case("mapped", "read", 2), .seconds = twice_us * 1e-6}});
  };
  CHECK(alone(1500, 3000.001).starts_with("Each pass over mapped data takes 1.50 ms. The"));
  CHECK(alone(1500, 2999.999).starts_with("Each pass over mapped data takes 1.50 ms. The"));
  CHECK(alone(1500, 1490).starts_with("2 passes over mapped data take 1.49 ms. The"));
}

}  // namespace gpumem::test_zero_copy
