#include <cstdint>
#include <string>
#include <vector>

#include "program/price/local_traffic.hpp"
#include "program/price/pricing.hpp"
#include "program/price/spilled_registers.hpp"
#include "tests/catch.hpp"
#include "tests/program/machine_code/written_code.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::test_spilled_registers {

namespace {

using test::streaming;

constexpr std::uint64_t ldl = 0x7983;
constexpr std::uint64_t stl = 0x7387;
constexpr unsigned stack_top = 1;
constexpr unsigned bytes_4 = 4;  // as bits 9 to 11 of the upper word have it
constexpr unsigned bytes_8 = 5;

/// `STL [R1+0x80], R4` and its like, as nvdisasm shows them.
std::string local(std::uint64_t operation, unsigned offset, unsigned size = bytes_4, unsigned base = stack_top) {
  const std::uint64_t low = operation | std::uint64_t{base} << 24 | std::uint64_t{offset} << 40;
  return test::bytes_of(low) +
         test::bytes_of(std::uint64_t{size} << 9 | std::uint64_t{7} << 46 | std::uint64_t{7} << 49);
}

std::string plain(const std::vector<test::machine_code::Written>& all) { return test::machine_code::code_of(all); }

/// Returns a launch of 1024 blocks of 4 warps. The code has to outlive it.
LaunchSums launch_of(const std::string& code, std::vector<inject::Site> sites) {
  return {.sites = std::move(sites), .blocks = 1024, .block_threads = 128, .registers_per_thread = 32, .code = code};
}

constexpr std::uint64_t warps = 4096;

}  // namespace

TEST_CASE("registers that were spilled are told by the machine code", "[program][spills]") {
  namespace written = test::machine_code;
  // Spilled before a loop of ten rounds, taken back in it as a pair.
  const std::string code = local(stl, 0x80) + plain({{written::ldg, 0}}) + local(ldl, 0x10, bytes_8) +
                           plain({{.operation = written::bra, .predicated = true, .to = -1}}) +
                           plain({{written::exits}});
  std::string looped = code;
  // The branch goes back to the load: written alone it would count from itself.
  const std::string all = plain({{written::exits},
                                 {written::ldg, 0},
                                 {written::exits},
                                 {.operation = written::bra, .predicated = true, .to = 1},
                                 {written::exits}});
  looped.replace(3 * 16, 16, all.substr(3 * 16, 16));
  const SpilledRegisters spilled =
      spilled_registers(launch_of(looped, {streaming(inject::RawOp::load, 10 * warps, 4, 16)}), 9);
  REQUIRE(spilled.sites.size() == 2);
  const inject::Site& store = spilled.sites[0];
  CHECK(store.pc == 0);
  CHECK(store.op == inject::RawOp::store);
  CHECK(store.space == inject::RawSpace::local);
  CHECK(store.flags == inject::raw_assumed);
  CHECK(store.requests == warps);
  CHECK(store.sectors == 4 * warps);  // a word of each lane, side by side
  CHECK(store.lines == warps);
  const inject::Site& load = spilled.sites[1];
  CHECK(load.pc == 32);
  CHECK(load.word_bytes == 8);
  CHECK(load.requests == 10 * warps);
  CHECK(load.sectors == 8 * load.requests);  // two rows of words
  CHECK(load.useful_bytes == 256 * load.requests);
  CHECK(spilled.threads_share == 1);
}

TEST_CASE("what callbacks tell of is no spilled register", "[program][spills]") {
  namespace written = test::machine_code;
  const std::string code = plain({{written::ldg, 0}}) + local(stl, 0x20) + local(ldl, 0x20) +
                           local(ldl, 0, bytes_4, 24) + plain({{written::exits}});
  const inject::Site loads = streaming(inject::RawOp::load, warps, 4, 0);
  CHECK(spilled_registers(launch_of(code, {loads}), 9).sites.size() == 2);
  inject::Site element = streaming(inject::RawOp::store, warps, 4, 16);
  element.space = inject::RawSpace::local;
  // The load from the same place is of the same array: it would have been seen.
  CHECK(spilled_registers(launch_of(code, {loads, element}), 9).sites.empty());
  CHECK(spilled_registers(launch_of(plain({{written::ldg, 0}, {written::exits}}), {loads}), 9).sites.empty());
}

TEST_CASE("registers spilled on a way that few warps take are as few", "[program][spills]") {
  namespace written = test::machine_code;
  // Every fourth warp loads once more, and spills behind that.
  std::string code = plain({{written::ldg, 0},
                            {.operation = written::bra, .predicated = true, .to = 4},
                            {written::ldg, 0},
                            {},
                            {written::exits}});
  code.replace(3 * 16, 16, local(stl, 0));
  const SpilledRegisters spilled = spilled_registers(
      launch_of(code, {streaming(inject::RawOp::load, warps, 4, 0), streaming(inject::RawOp::load, warps / 4, 4, 32)}),
      9);
  REQUIRE(spilled.sites.size() == 1);
  CHECK(spilled.sites[0].requests == warps / 4);
  CHECK(spilled.threads_share == Approx(0.25));
}

TEST_CASE("local memory beyond the caches is memory's traffic", "[program][spills]") {
  const model::Profile profile = model::load_profile("h100");
  inject::Site store = streaming(inject::RawOp::store, 16 * warps);
  store.space = inject::RawSpace::local;
  store.memory_sectors = store.used_words = store.l2_requests = 0;
  inject::Site load = store;
  load.op = inject::RawOp::load;
  load.l2_sectors = 0;
  inject::Site parts = store;  // lanes at rows of their own
  parts.sectors = parts.lines = 32 * parts.requests;
  const auto traffic = [&](unsigned local_bytes_per_thread) {
    LaunchSums launch = launch_of("", {store, load, parts});
    launch.blocks = 132 * 16;
    launch.local_bytes_per_thread = local_bytes_per_thread;
    add_local_traffic(launch, profile);
    return launch.sites;
  };
  // On an H100 (docs/method/programs.md): 2048 threads of a multiprocessor with 32, 240 and 1024 bytes each.
  const auto small = traffic(32);
  CHECK(static_cast<double>(small[0].memory_sectors) < 0.02 * static_cast<double>(store.sectors));
  CHECK(static_cast<double>(small[1].l2_sectors) < 0.02 * static_cast<double>(load.sectors));
  const auto large = traffic(240);
  CHECK(static_cast<double>(large[0].memory_sectors) / static_cast<double>(store.sectors) == Approx(0.68).epsilon(0.1));
  CHECK(large[0].loaded_sectors == large[0].memory_sectors);  // whole sectors need not be fetched
  CHECK(large[2].loaded_sectors < large[2].memory_sectors);
  CHECK(large[1].l2_sectors > 0);
  CHECK(large[1].memory_sectors < large[1].l2_sectors);
  const auto huge = traffic(1024);
  CHECK(static_cast<double>(huge[0].memory_sectors) > 0.97 * static_cast<double>(store.sectors));
  CHECK(static_cast<double>(huge[1].l2_sectors) > 0.97 * static_cast<double>(load.sectors));
  CHECK(static_cast<double>(huge[1].memory_sectors) > 0.97 * static_cast<double>(huge[1].l2_sectors));
}

TEST_CASE("spilled registers cost time, are nobody's useful bytes, and can be saved", "[program][spills]") {
  const model::Profile profile = model::load_profile("h100");
  const inject::Site load = streaming(inject::RawOp::load, 16 * warps);
  inject::Site spill = streaming(inject::RawOp::store, 1024 * warps, 4, 0x90);
  spill.space = inject::RawSpace::local;
  spill.flags = inject::raw_assumed;
  spill.memory_sectors = spill.used_words = 0;
  LaunchSums launch = launch_of("", {load, spill});
  launch.local_bytes_per_thread = 512;
  launch.spilling_threads_share = 1;
  add_local_traffic(launch, profile);
  CHECK(workload_of(launch).useful_bytes_written == 0);
  const Pricing with(launch, profile);
  const LaunchSums without = launch_of("", {load});
  const double good_s = Pricing(without, profile).as_it_is().seconds;
  CHECK(with.as_it_is().seconds > 3 * good_s);
  CHECK(with.saving({.good = {false, true}}).seconds == Approx(with.as_it_is().seconds - good_s).epsilon(0.05));
}

}  // namespace gpumem::program::test_spilled_registers
