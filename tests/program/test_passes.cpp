// Kernels that pass an array on through memory, from raw files: chains of element-wise kernels, and copies for the next
// kernel.

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "engine/model/profile.hpp"
#include "report/advise/advice.hpp"
#include "report/read/read_report.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/program/machine_code/written_code.hpp"
#include "tests/program/reports_of_raw.hpp"

namespace gpumem::program::test_passes {

using namespace reports_of_raw;
namespace test = gpumem::test;
namespace written = gpumem::test::machine_code;
using inject::RawOp;

namespace {

constexpr std::uint64_t array_bytes = 128 * requests;  // 128 MiB: more than L2 holds
constexpr double launch_ns = 100e3;
constexpr int rounds = 10;
constexpr std::uint64_t load_pc = 0x50;
constexpr std::uint64_t store_pc = 0x90;

/// An access to all of the n-th array of the program, each word once. Arrays lie one behind the other.
inject::Site whole(RawOp op, std::uint64_t array, std::uint64_t stride_bytes = 4) {
  inject::Site site = streaming(op, requests, stride_bytes, op == RawOp::load ? load_pc : store_pc);
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    for (std::uint64_t& address : site.request[k].address) address += array * array_bytes;
  }
  return site;
}

using Sites = std::vector<inject::Site>;

/// A process whose n-th kernel, "k0", "k1", ..., has these sites. It launches all of them in turn, `rounds` times.
RawWriter in_turn(const std::vector<Sites>& kernels) {
  RawWriter writer;
  writer.totals.began_ns = 1;
  writer.device(test::h200());
  for (std::uint32_t i = 0; i < kernels.size(); ++i) {
    writer.kernel(i + 1, "k" + std::to_string(i));
    writer.slot(i + 1, rounds, launch_ns, blocks);
    writer.sample(i, kernels[i]);
  }
  std::vector<inject::Span> spans;
  for (std::uint64_t launch = 0; launch < rounds * kernels.size(); ++launch) {
    const auto slot = static_cast<std::uint32_t>(launch % kernels.size());
    spans.push_back({.kind = launch < kernels.size() ? inject::SpanKind::sample : inject::SpanKind::launch,
                     .of = slot,
                     .begin_ns = 1 + launch * 200'000,
                     .took_ns = 100'000});
  }
  std::string payload = test::bytes_of(inject::SpansEvent{.spans = static_cast<std::uint32_t>(spans.size())});
  for (const inject::Span& span : spans) payload += test::bytes_of(span);
  writer.event(inject::EventKind::spans, payload);
  return writer;
}

const report::Record& kernel_named(const report::Report& report, const std::string& name) {
  return *std::ranges::find_if(report.results, [&](const report::Record& record) {
    return std::get<std::string>(parameter(record, report::kernel_parameter)) == name;
  });
}

Sites copying(std::uint64_t from, std::uint64_t to) { return {whole(RawOp::load, from), whole(RawOp::store, to)}; }

constexpr double both_bytes = 2.0 * array_bytes * rounds;  // stored, and loaded again, by all launches

}  // namespace

TEST_CASE("kernels that load what the one before stored save its stores and their loads", "[program][passes]") {
  const report::Report report = report_of({in_turn({copying(0, 1), copying(1, 1), copying(1, 2)})});
  double saved_bytes = 0;
  for (const report::Record& record : report.results) {
    REQUIRE(record.repeated_traffic);
    CHECK(record.repeated_traffic->cause == "several_passes");
    CHECK(record.repeated_traffic->kernels == std::vector<std::string>{"k0", "k1", "k2"});
    CHECK(record.repeated_traffic->array.bytes == array_bytes);
    CHECK(record.verdict == "several_passes");
    saved_bytes += record.repeated_traffic->saves_bytes;
  }
  CHECK(saved_bytes == 2 * both_bytes);
  CHECK(kernel_named(report, "k1").repeated_traffic->saves_bytes == both_bytes);
  CHECK(kernel_named(report, "k2").repeated_traffic->saves_bytes == both_bytes / 2);

  const std::vector<report::AdviceRecord> advice = report::program_advice(report);
  REQUIRE(advice.size() == 1);
  CHECK(advice[0].cure == "fuse_kernels");
  CHECK(advice[0].kernel == "k1");
  CHECK(advice[0].saves_s == Approx(2 * both_bytes / model::load_profile("h200").rates.dram.copy_bytes_per_s));
  CHECK(*advice[0].saves_low_s < advice[0].saves_s);
}

TEST_CASE("fused kernels take at least as long as the shortest of them", "[program][passes]") {
  RawWriter writer = in_turn({copying(0, 1), copying(1, 2)});
  for (inject::LaunchSlot& slot : writer.slots) {  // as if nothing but the array between them took time
    slot.timed_ns /= 4;
    for (float& nanoseconds : slot.time_ns) nanoseconds /= 4;
  }
  CHECK(report::program_advice(report_of({writer}))[0].saves_s == Approx(rounds * launch_ns / 4 * 1e-9));
}

TEST_CASE("an array that others load as well is stored all the same", "[program][passes]") {
  const report::Report report = report_of({in_turn({copying(0, 1), copying(1, 2), copying(1, 3)})});
  REQUIRE(kernel_named(report, "k1").repeated_traffic);
  CHECK(kernel_named(report, "k1").repeated_traffic->saves_bytes == both_bytes / 2);
  CHECK_FALSE(kernel_named(report, "k0").repeated_traffic);
  CHECK_FALSE(kernel_named(report, "k2").repeated_traffic);
}

TEST_CASE("launches of one kernel pass an array on if two in a row were seen to", "[program][passes]") {
  RawWriter once = in_turn({copying(1, 1)});
  CHECK_FALSE(report_of({once}).results.front().repeated_traffic);
  const auto with_second = [&](std::uint64_t order, const Sites& sites) {
    RawWriter twice = once;
    std::string payload = test::bytes_of(
        inject::SampleEvent{.slot = 0, .sites = static_cast<std::uint32_t>(sites.size()), .order = order});
    for (const inject::Site& site : sites) payload += test::bytes_of(site);
    return report_of({twice.event(inject::EventKind::sample, payload)}).results.front();
  };
  const report::Record kernel = with_second(1, copying(1, 1));
  REQUIRE(kernel.repeated_traffic);
  CHECK(kernel.repeated_traffic->kernels == std::vector<std::string>{"k0"});
  CHECK(kernel.repeated_traffic->saves_bytes == Approx(both_bytes * (rounds - 1) / rounds));
  CHECK_FALSE(with_second(1, copying(2, 2)).repeated_traffic);
  CHECK_FALSE(with_second(5, copying(1, 1)).repeated_traffic);
}

TEST_CASE("nothing is passed on by kernels that are not alike or not neighbours", "[program][passes]") {
  const auto passes = [](const std::vector<Sites>& kernels) {
    const report::Report report = report_of({in_turn(kernels)});
    return std::ranges::any_of(report.results,
                               [](const report::Record& kernel) { return kernel.repeated_traffic.has_value(); });
  };
  CHECK(passes({copying(0, 1), copying(1, 2)}));
  CHECK_FALSE(passes({copying(0, 1), copying(2, 3)}));
  CHECK_FALSE(passes({copying(0, 1), copying(4, 5), copying(1, 2)}));
  // Elements of others are loaded as well.
  Sites stencil = copying(1, 2);
  stencil[0].requests *= 3;
  stencil[0].sectors *= 3;
  CHECK_FALSE(passes({copying(0, 1), stencil}));
  // Only half of the array is loaded.
  Sites half = copying(1, 2);
  half[0] = streaming(RawOp::load, requests / 2, 4, load_pc);
  for (std::uint64_t& address : half[0].request[0].address) address += array_bytes;
  for (std::uint64_t& address : half[0].request[1].address) address += array_bytes;
  CHECK_FALSE(passes({copying(0, 1), half}));
  // Threads exchange elements.
  Sites exchanging = copying(1, 2);
  exchanging.push_back(exchanging[0]);
  exchanging.back().space = inject::RawSpace::shared;
  exchanging.back().pc = 0x70;
  CHECK_FALSE(passes({copying(0, 1), exchanging}));
  Sites counting = copying(1, 2);
  counting[1].op = RawOp::atomic;
  CHECK_FALSE(passes({copying(0, 1), counting}));
}

TEST_CASE("a copy to another layout for the next kernel saves its own time", "[program][passes]") {
  Sites copy = copying(0, 1);
  copy[0].sectors = copy[0].lines = 32 * requests;  // of rows that are far apart; L1 has their neighbours
  Sites product = copying(1, 2);
  product[0].requests *= 4;
  product[0].sectors *= 4;
  const auto report_with = [&](const std::vector<written::Written>& code, const std::vector<Sites>& kernels) {
    RawWriter writer = in_turn(kernels);
    writer.code(1, written::code_of(code));
    return report_of({writer});
  };
  const std::vector<written::Written> moves = {{written::ldg, 0}, {written::stg, written::none, 1}, {written::exits}};
  const report::Report report = report_with(moves, {copy, product});
  const report::Record& moved = kernel_named(report, "k0");
  REQUIRE(moved.repeated_traffic);
  CHECK(moved.verdict == "layout_copy");
  CHECK(moved.repeated_traffic->kernels == std::vector<std::string>{"k0", "k1"});
  CHECK(moved.repeated_traffic->saves_bytes == both_bytes);
  CHECK(*metric(moved, report::could_save_name) == Approx(rounds * launch_ns * 1e-9));
  CHECK(metric(moved, report::could_save_low_name) == 0.0);
  CHECK_FALSE(kernel_named(report, "k1").repeated_traffic);

  const auto copies = [](const report::Report& of) { return kernel_named(of, "k0").verdict == "layout_copy"; };
  CHECK_FALSE(copies(report_with(moves, {copy, product, copying(1, 3)})));  // others need the copy
  CHECK_FALSE(copies(report_with(moves, {copying(0, 1), product})));        // it lies as the original does
  std::vector<written::Written> adds = moves;
  adds.insert(adds.begin() + 1, {written::fadd, written::none, 1});
  CHECK_FALSE(copies(report_with(adds, {copy, product})));
}

TEST_CASE("repeated traffic outlives a report's file", "[program][passes]") {
  const report::Report report = report_of({in_turn({copying(0, 1), copying(1, 2)})});
  std::ostringstream out;
  report::write_json(out, report);
  const report::Report again = report::read_report(out.str(), "report.json");
  REQUIRE(again.results.front().repeated_traffic);
  CHECK(again.results.front().repeated_traffic->saves_bytes == both_bytes / 2);
  CHECK(again.results.front().repeated_traffic->kernels == std::vector<std::string>{"k0", "k1"});
  CHECK(report::program_advice(again)[0].text == report::program_advice(report)[0].text);
}

}  // namespace gpumem::program::test_passes
