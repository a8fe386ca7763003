#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/access/space.hpp"
#include "engine/model/predict.hpp"
#include "program/price/atomic_turns.hpp"
#include "program/price/pricing.hpp"
#include "program/read/shown_requests.hpp"
#include "program/watch/sites/site_table.hpp"
#include "tests/catch.hpp"
#include "tests/probes/predictions/cases.hpp"
#include "tests/program/machine_code/written_code.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::test_pricing {

namespace {

using gpumem::test::streaming;
using inject::RawOp;
using model::test::global_case;

constexpr std::uint64_t requests = 1 << 20;

const model::Profile& h200() {
  static const model::Profile profile = model::load_profile("h200");
  return profile;
}

/// The sums that such a site would have when it is seen, one for each of its instructions: whose neighbours L1 serves,
/// and whose data nobody else touches.
void add_sites(std::vector<inject::Site>& sites, const access::Site& described, const access::SiteSummary& summary) {
  const double share = 1.0 / described.instructions;
  const auto part = [&](double sum) { return static_cast<std::uint64_t>(std::llround(share * sum)); };
  const auto issued = static_cast<double>(described.requests);
  for (unsigned copy = 0; copy < described.instructions; ++copy) {
    inject::Site site;
    site.pc = sites.size() * 16;
    const bool store = described.op == access::Op::store;
    site.op = store ? inject::RawOp::store : inject::RawOp::load;
    if (described.space == access::Space::shared) {
      site.space = inject::RawSpace::shared;
      site.wavefronts = part(issued * summary.cost.wavefronts_per_request);
      site.least_wavefronts = part(issued * std::max(1.0, described.word_bytes / 4.0));
    }
    site.word_bytes = static_cast<std::uint8_t>(described.word_bytes);
    site.requests = part(issued);
    site.active_lanes = 32 * site.requests;
    site.sectors = part(issued * summary.cost.sectors_per_request);
    site.useful_bytes = part(issued * summary.cost.sectors_per_request * 32 * summary.cost.efficiency);
    site.least_sectors = part(issued * described.word_bytes);
    site.lines = part(issued * summary.cost.lines_per_request);
    site.memory_sectors = part(summary.footprint.sectors);
    site.l2_sectors = store ? site.sectors : site.memory_sectors;
    site.used_words = site.useful_bytes / 4;
    site.l2_requests = store ? site.lines : std::min(site.lines, site.l2_sectors);
    for (const std::uint64_t before : {0U, 1U, 4U, 16U, 64U}) {
      const std::uint64_t k = before * inject::sum_copies;  // of one part of the multiprocessors alone
      if (k >= described.requests) break;
      const access::WarpRequest request = described.request(k);
      inject::ShownRequest& shown = site.request[site.shown++];
      shown.active = request.active;
      std::copy(std::begin(request.address), std::end(request.address), std::begin(shown.address));
    }
    sites.push_back(site);
  }
}

LaunchSums sums_of(const Workload& workload) {
  LaunchSums launch{.sites = {},
                    .blocks = workload.blocks,
                    .block_threads = workload.block_threads,
                    .shared_bytes_per_block = workload.shared_bytes_per_block,
                    .registers_per_thread = workload.registers_per_thread.value_or(0)};
  for (const access::Site& site : workload.sites) add_sites(launch.sites, site, access::summarise(site));
  return launch;
}

/// Returns the share of the launch's predicted time that the marked sites could save. Without marks, all wasteful sites
/// count as marked.
double saved_share(const LaunchSums& launch, std::vector<bool> good = {}) {
  const Pricing pricing(launch, h200());
  if (good.empty()) {
    for (const inject::Site& site : launch.sites) good.push_back(is_wasteful(site));
  }
  return pricing.saving({.good = std::move(good)}).seconds / pricing.as_it_is().seconds;
}

LaunchSums launch_of(std::vector<inject::Site> sites) {
  return {.sites = std::move(sites),
          .blocks = requests / 64,
          .block_threads = 256,
          .shared_bytes_per_block = 0,
          .registers_per_thread = 32};
}

double seconds(const LaunchSums& launch) { return Pricing(launch, h200()).as_it_is().seconds; }

}  // namespace

TEST_CASE("what was seen of a probe is priced as the probe is predicted", "[program][pricing]") {
  for (const std::string op : {"read", "write", "copy"}) {
    for (const std::string probe : {"offset", "stride"}) {
      for (const std::uint64_t value : {1U, 2U, 3U, 4U, 8U, 16U, 32U}) {
        const Case tested = global_case(probe, value, op);
        const Workload workload = tested.probe->describe(tested, h200().device);
        // The probe's time is that of a launch in a queue.
        const double between_s = h200().rates.launch.cached_fixed_s - h200().rates.launch.kernel_s;
        const double expected = model::predict(workload, h200()).seconds - between_s;
        const Pricing pricing(sums_of(workload), h200());
        INFO(probe << " " << value << " " << op << ": " << pricing.as_it_is().seconds / expected);
        CHECK(pricing.no_prediction().empty());
        CHECK(pricing.as_it_is().seconds == Approx(expected).epsilon(0.01));
      }
    }
  }
}

TEST_CASE("what a strided kernel could save is its time less that of the same without strides", "[program][pricing]") {
  for (const std::string op : {"read", "write", "copy"}) {
    for (const std::uint64_t stride : {2U, 4U, 8U, 32U}) {
      const auto predicted = [&](std::uint64_t value) {
        const Case tested = global_case("stride", value, op);
        return model::predict(tested.probe->describe(tested, h200().device), h200()).seconds;
      };
      const Case tested = global_case("stride", stride, op);
      INFO("stride " << stride << " " << op);
      const double best = 1 - saved_share(sums_of(tested.probe->describe(tested, h200().device)));
      CHECK(best == Approx(predicted(1) / predicted(stride)).epsilon(0.03));
    }
    const Case tested = global_case("stride", std::uint64_t{1}, op);
    CHECK(saved_share(sums_of(tested.probe->describe(tested, h200().device))) == 0);
  }
}

TEST_CASE("the site that wastes most saves most alone", "[program][pricing]") {
  const LaunchSums launch = launch_of({streaming(RawOp::load, requests, 32), streaming(RawOp::load, requests, 8, 0x60),
                                       streaming(RawOp::store, requests, 4, 0x90)});
  const double first = saved_share(launch, {true, false, false});
  const double second = saved_share(launch, {false, true, false});
  CHECK(first > 0.4);
  CHECK(second > 0.05);
  CHECK(first > second);
  CHECK(saved_share(launch) > first);
  CHECK(saved_share(launch, {false, false, true}) == 0);
  CHECK(!is_wasteful(launch.sites[2]));
}

TEST_CASE("no more is promised than the model can explain", "[program][pricing]") {
  LaunchSums launch = launch_of({streaming(RawOp::load, requests, 32), streaming(RawOp::store, requests, 4, 0x90)});
  const std::vector<bool> load = {true, false};
  const double saved = Pricing(launch, h200()).saving({.good = load}).seconds;
  const auto saved_of = [&](double measured) {
    launch.measured_s = measured;
    return Pricing(launch, h200()).saving({.good = load}).seconds;
  };
  const double as_it_is = seconds(launch);
  CHECK(saved_of(as_it_is * 0.98) == Approx(saved * 0.98));  // the share of a launch that is faster than predicted
  CHECK(saved_of(as_it_is * 1.7) == Approx(saved * 1.7));    // or slower
  CHECK(saved_of(as_it_is * 3) == 0);                        // something else holds it up
}

TEST_CASE("fields of a structure use together what the first of them brings", "[program][pricing]") {
  // Three loads of 12-byte structures, of which the first misses all.
  std::vector<inject::Site> fields;
  for (std::uint64_t field = 0; field < 3; ++field) {
    inject::Site load = streaming(RawOp::load, requests, 12, field * 16);
    load.sectors = 12 * requests;
    load.l2_sectors = load.memory_sectors = field == 0 ? 12 * requests : 0;
    load.l2_requests = field == 0 ? 3 * requests : 0;
    fields.push_back(load);
  }
  CHECK(saved_share(launch_of(fields)) < 0.05);  // all that comes from memory is used
  fields.resize(1);
  CHECK(saved_share(launch_of(fields)) > 0.3);
}

TEST_CASE("a store over what was loaded is written all the same", "[program][pricing]") {
  inject::Site load = streaming(RawOp::load, requests);
  inject::Site over = streaming(RawOp::store, requests, 4, 0x90);
  over.memory_sectors = over.used_words = 0;
  const double in_place = seconds(launch_of({load, over}));
  CHECK(in_place == Approx(seconds(launch_of({load, streaming(RawOp::store, requests, 4, 0x90)}))).epsilon(0.02));
  CHECK(in_place > 1.5 * seconds(launch_of({load})));
  CHECK(saved_share(launch_of({load, over})) == 0);
}

TEST_CASE("memory of a thread's own need not be there", "[program][pricing]") {
  inject::Site spill = streaming(RawOp::store, requests, 4, 0x90);
  spill.space = inject::RawSpace::local;
  const LaunchSums launch = launch_of({streaming(RawOp::load, requests), spill});
  CHECK(is_wasteful(spill));
  CHECK(saved_share(launch) == Approx(1 - seconds(launch_of({launch.sites[0]})) / seconds(launch)).epsilon(0.02));
}

TEST_CASE("bank conflicts are priced by their wavefronts", "[program][pricing]") {
  inject::Site shared;
  shared.space = inject::RawSpace::shared;
  shared.word_bytes = 4;
  shared.requests = 64 * requests;
  shared.useful_bytes = 128 * shared.requests;
  shared.wavefronts = 32 * shared.requests;
  shared.least_wavefronts = shared.requests;
  const LaunchSums launch = launch_of({shared});
  CHECK(Pricing(launch, h200()).as_it_is().bottleneck == "shared_wavefronts");
  CHECK(saved_share(launch) > 0.9);
  CHECK(workload_of(launch).useful_bytes() == 0);
}

TEST_CASE("atomics read and write", "[program][pricing]") {
  const LaunchSums atomic = launch_of({streaming(RawOp::atomic, requests)});
  CHECK(workload_of(atomic).useful_bytes_read == 128 * requests);
  CHECK(workload_of(atomic).useful_bytes_written == 128 * requests);
  CHECK(seconds(atomic) > 1.5 * seconds(launch_of({streaming(RawOp::store, requests)})));
}

TEST_CASE("atomics that meet wait for each other", "[program][pricing]") {
  // A histogram of 256 bins, as it was seen on an H200, where it takes 1.04 ms.
  inject::Site bins;
  bins.op = RawOp::atomic;
  bins.word_bytes = 4;
  bins.requests = 131072;
  bins.active_lanes = 32 * bins.requests;
  bins.useful_bytes = 4 * 26 * bins.requests;
  bins.sectors = bins.l2_sectors = 22 * bins.requests;
  bins.least_sectors = 4 * bins.requests;
  bins.lines = bins.l2_requests = 8 * bins.requests;
  bins.memory_sectors = 32;
  bins.used_words = 256;
  LaunchSums launch = launch_of({bins});
  launch.blocks = 16384;
  CHECK(Pricing(launch, h200()).as_it_is().bottleneck == "atomics");
  CHECK(seconds(launch) == Approx(1.04e-3).epsilon(0.25));
  CHECK(saved_share(launch) > 0.5);  // were each block to add up first

  inject::Site& one_word = launch.sites.front();  // for all lanes
  one_word.useful_bytes = 4 * one_word.requests;
  one_word.sectors = one_word.l2_sectors = one_word.least_sectors = one_word.lines = one_word.l2_requests =
      one_word.requests;
  one_word.memory_sectors = one_word.used_words = 1;
  CHECK(is_wasteful(one_word));
  CHECK(seconds(launch) == Approx(static_cast<double>(one_word.active_lanes) / 1.36e9).epsilon(0.05));
  CHECK(saved_share(launch) > 0.9);
}

TEST_CASE("what fits in L2 is priced as the measured time says", "[program][pricing]") {
  constexpr std::uint64_t few = 100'000;
  LaunchSums launch = launch_of({streaming(RawOp::load, few)});
  launch.blocks = few / 64;
  launch.measured_s = 1e-3;
  const Pricing slow(launch, h200());
  CHECK(slow.as_it_is().in_l2 == InL2::nothing);
  launch.measured_s = 1e-6;
  const Pricing fast(launch, h200());
  CHECK(fast.as_it_is().in_l2 == InL2::all);
  CHECK(fast.as_it_is().seconds < slow.as_it_is().seconds);
}

TEST_CASE("L2 had a part of what memory could not have moved in time", "[program][pricing]") {
  LaunchSums launch = launch_of({streaming(RawOp::load, 8 * requests)});
  const double all_from_memory = seconds(launch);
  launch.measured_s = all_from_memory;
  CHECK(Pricing(launch, h200()).as_it_is().in_l2 == InL2::nothing);
  launch.measured_s = 0.8 * 1024 * static_cast<double>(requests) / h200().device.theoretical_bandwidth_bytes_per_s();
  const Pricing faster(launch, h200());
  CHECK(faster.as_it_is().in_l2 == InL2::part);
  const double held = static_cast<double>(h200().device.l2_bytes) / h200().rates.dram.read_bytes_per_s;
  CHECK(faster.as_it_is().seconds == Approx(all_from_memory - held).epsilon(0.1));
}

TEST_CASE("a prediction lies in its interval, and says what it explains of the measured time", "[program][pricing]") {
  LaunchSums launch = launch_of({streaming(RawOp::load, requests)});
  CHECK_FALSE(Pricing(launch, h200()).explained_share());
  const double as_it_is = seconds(launch);
  launch.measured_s = as_it_is * 1.25;
  const Pricing pricing(launch, h200());
  CHECK(pricing.explained_share() == Approx(0.8));
  CHECK(pricing.within().low < as_it_is / 1.1);
  CHECK(pricing.within().high > as_it_is * 1.1);
  CHECK(pricing.no_prediction().empty());
  launch.measured_s = as_it_is / 2;
  CHECK(Pricing(launch, h200()).explained_share() == Approx(1));
  launch.measured_s = as_it_is * 2.5;
  const std::string why = Pricing(launch, h200()).no_prediction();
  CHECK(why.starts_with("its accesses explain 40 % of its time (looked at: device memory 37 %, "));
  CHECK(why.ends_with("); --counters counts what the hardware did"));
}

TEST_CASE("a saving has an interval around it", "[program][pricing]") {
  const LaunchSums launch = launch_of({streaming(RawOp::load, requests, 32)});
  const Saving saving = Pricing(launch, h200()).saving({.good = {true}});
  CHECK(saving.seconds > 0);
  CHECK(saving.within.low < saving.seconds);
  CHECK(saving.within.high > saving.seconds);
  CHECK(saving.within.high < seconds(launch));
}

TEST_CASE("a word of floats takes an addend when it has the sum", "[program][pricing]") {
  inject::Site adds = streaming(RawOp::atomic, 65536);
  adds.useful_bytes = 4 * adds.requests;
  adds.sectors = adds.l2_sectors = adds.least_sectors = adds.lines = adds.l2_requests = adds.requests;
  adds.memory_sectors = adds.used_words = 1;
  adds.shown = 2;
  for (std::uint32_t k = 0; k < adds.shown; ++k) {
    adds.request[k].active = ~0U;
    std::fill(std::begin(adds.request[k].address), std::end(adds.request[k].address), 4096);
  }
  LaunchSums launch = launch_of({adds});
  const double integers = seconds(launch);
  const std::string red_of_floats = gpumem::test::bytes_of(std::uint64_t{0x79a6}) +
                                    gpumem::test::bytes_of(std::uint64_t{7} << 46 | std::uint64_t{7} << 49);
  launch.code = red_of_floats;
  launch.sites[0].pc = 0;
  const double updates = 32.0 * 65536;
  CHECK(integers == Approx(updates / 1.36e9).epsilon(0.05));
  CHECK(seconds(launch) == Approx(updates / 0.57e9).epsilon(0.05));  // as on an H100
}

TEST_CASE("memory waits while the threads of all blocks wait for each other", "[program][pricing]") {
  namespace written = gpumem::test::machine_code;
  const auto priced = [&](const std::vector<written::Written>& code, unsigned block_threads) {
    const std::string bytes = written::code_of(code);
    LaunchSums launch = launch_of({streaming(RawOp::load, requests, 32, 0)});  // so much that memory is the limit
    launch.block_threads = block_threads;
    launch.blocks = requests * 32 / block_threads;
    launch.code = bytes;
    return Pricing(launch, h200()).as_it_is();
  };
  const auto at_barriers = [](const PricedLaunch& launch) {
    const auto stage = std::ranges::find(launch.stages, "barriers", &model::StageTime::stage);
    return stage == launch.stages.end() ? 0 : stage->seconds;
  };
  const written::Written load{written::ldg, 0};
  const written::Written use{written::fadd, written::none, 1};
  const std::vector<written::Written> alone = {load, use, {written::exits}};
  const std::vector<written::Written> in_step = {load, use, {written::bar}, {written::exits}};
  const PricedLaunch blocks = priced(in_step, 256);
  CHECK(at_barriers(blocks) > 0);
  CHECK(blocks.seconds > priced(alone, 256).seconds + 0.5 * at_barriers(blocks));
  CHECK(at_barriers(priced(alone, 256)) == 0);
  CHECK(at_barriers(priced(in_step, 32)) == 0);  // a warp has nobody to wait for
}

TEST_CASE("host memory is priced by the link", "[program][pricing]") {
  inject::Site load = streaming(RawOp::load, 1000);
  load.space = inject::RawSpace::host;
  const LaunchSums launch = launch_of({load});
  const Pricing pricing(launch, h200());
  CHECK(pricing.as_it_is().in_l2 == InL2::nothing);
  CHECK(std::ranges::find(pricing.as_it_is().stages, "pcie", &model::StageTime::stage) !=
        pricing.as_it_is().stages.end());
  CHECK(workload_of(launch).useful_bytes_read == 128'000);
}

namespace {

/// Fills in the requests shown: lane `i` of request `k` at address(k, i).
template <class Address>
inject::Site shown_at(inject::Site site, Address address) {
  site.shown = 8;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    site.request[k].active = ~0U;
    for (unsigned lane = 0; lane < 32; ++lane) site.request[k].address[lane] = address(k, lane);
  }
  return site;
}

/// Words of 4 bytes, each in a sector of its own that no L1 has.
inject::Site scattered(RawOp op) {
  inject::Site site = streaming(op, requests, 4, 0x90);
  site.sectors = site.lines = site.l2_sectors = site.l2_requests = site.memory_sectors = 32 * requests;
  const auto address = [](std::uint64_t k, std::uint64_t lane) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
    const std::uint64_t mixed = (k * 32 + lane + 1) * odd;
    return ((mixed ^ mixed >> 29U) * odd >> 40U) * 64;
  };
  return shown_at(site, address);
}

double stage_seconds(const LaunchSums& launch, std::string_view name) {
  const PricedLaunch priced = Pricing(launch, h200()).as_it_is();
  const auto found = std::ranges::find(priced.stages, name, &model::StageTime::stage);
  return found == priced.stages.end() ? 0 : found->seconds;
}

}  // namespace

TEST_CASE("lanes at different lines of L1 wait for each other only in one bank", "[program][pricing]") {
  inject::Site load = streaming(RawOp::load, 64 * requests);
  load.lines = 32 * load.requests;
  load.l2_sectors = load.l2_requests = load.memory_sectors = load.used_words = 1000;
  const auto l1_seconds = [&](std::uint64_t distance) {
    const auto address = [&](std::uint64_t, std::uint64_t lane) { return lane * distance; };
    return stage_seconds(launch_of({shown_at(load, address)}), "l1_lines");
  };
  const double in_one_bank = l1_seconds(128);
  const double three_at_a_time = l1_seconds(132);
  CHECK(in_one_bank == Approx(3 * three_at_a_time));
}

TEST_CASE("sectors that a load had brought need no fill when a part of them is stored", "[program][pricing]") {
  inject::Site store = scattered(RawOp::store);
  store.used_words = 32 * requests;
  const double filled = stage_seconds(launch_of({store}), "dram");
  store.loaded_sectors = store.memory_sectors;
  CHECK(stage_seconds(launch_of({store}), "dram") < 0.7 * filled);
}

TEST_CASE("local stores reach L2 and, as long as it holds them, no memory", "[program][pricing]") {
  inject::Site spill = streaming(RawOp::store, 16 * requests, 4, 0x90);
  spill.space = inject::RawSpace::local;
  spill.l2_sectors = spill.l2_requests = spill.memory_sectors = spill.used_words = 0;
  const inject::Site load = streaming(RawOp::load, requests);
  const double sectors = static_cast<double>(spill.sectors) / h200().rates.l2.store_sectors_per_s;
  CHECK(stage_seconds(launch_of({load, spill}), "l2_sectors") ==
        Approx(sectors + stage_seconds(launch_of({load}), "l2_sectors")).epsilon(0.01));
  CHECK(stage_seconds(launch_of({load, spill}), "dram") == Approx(stage_seconds(launch_of({load}), "dram")));
}

TEST_CASE("a scatter is cured by a gather, which costs what its loads do", "[program][pricing]") {
  const LaunchSums scatter = launch_of({streaming(RawOp::load, requests), scattered(RawOp::store)});
  const LaunchSums gather =
      launch_of({streaming(RawOp::load, requests), scattered(RawOp::load), streaming(RawOp::store, requests, 4, 0xa0)});
  CHECK(saved_share(scatter) == Approx(1 - seconds(gather) / seconds(scatter)).epsilon(0.05));
}

/// Bytes or words of a warp side by side, warp after warp, as they are shown of a launch that goes on through an array,
/// or with three gaps as long between them.
inject::Site side_by_side(unsigned word_bytes, std::uint64_t every) {
  constexpr std::uint64_t many = 4 * requests;  // more than L2 holds
  inject::Site site = streaming(RawOp::load, many, word_bytes);
  site.word_bytes = static_cast<std::uint8_t>(word_bytes);
  site.useful_bytes = 32 * word_bytes * many;
  site.sectors = site.l2_sectors = site.memory_sectors = site.least_sectors = word_bytes * many;
  site.lines = site.l2_requests = many;
  site.used_words = site.useful_bytes / 4;
  site.shown = 9;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    const std::uint64_t before = k == 0 ? 0 : std::uint64_t{1} << 2 * (k - 1);
    site.request[k].active = ~0U;
    for (unsigned lane = 0; lane < 32; ++lane) {
      site.request[k].address[lane] = 0x7f00'0000'0000 + (before * inject::sum_copies * 32 * every + lane) * word_bytes;
    }
  }
  return site;
}

TEST_CASE("a byte a lane leaves no line of memory in part", "[program][pricing]") {
  const auto lines_s = [](unsigned word_bytes, std::uint64_t every) {
    return stage_seconds(launch_of({side_by_side(word_bytes, every)}), "l2_lines") / word_bytes;
  };
  CHECK(lines_s(1, 1) == Approx(lines_s(4, 1)).epsilon(0.01));
  CHECK(lines_s(1, 4) > 2 * lines_s(1, 1));  // a sector of each line
  // Lanes at random may fetch as much as there is, and each sector comes alone.
  inject::Site random = side_by_side(4, 1);
  for (std::uint32_t k = 0; k < random.shown; ++k) {
    for (std::uint64_t lane = 0; lane < 32; ++lane) random.request[k].address[lane] += 4096 * (lane * 7919 % 33);
  }
  CHECK_FALSE(lies_dense(random));
}

TEST_CASE("few lines that warps come back to are as few as they look", "[program][pricing]") {
  // Sums of 64 channels, two of 8 bytes each, as an H100 did: 2.36 million updates of 8 lines in 884 us. The launch's
  // blocks come there at once, and several take themselves for the first in a sector.
  std::vector<inject::Site> sites;
  for (const std::uint64_t member : {0U, 8U}) {
    inject::Site adds;
    adds.pc = 0x410 + 2 * member;
    adds.op = RawOp::atomic;
    adds.word_bytes = 8;
    adds.requests = adds.sectors = adds.lines = adds.l2_sectors = adds.l2_requests = adds.least_sectors = 36864;
    adds.active_lanes = 32 * adds.requests;
    adds.useful_bytes = 8 * adds.requests;
    for (const std::uint64_t at : {0x350U, 0x350U, 0x210U, 0x130U, 0x1a0U, 0x1b0U, 0x3c0U, 0x290U, 0x090U}) {
      inject::ShownRequest& shown = adds.request[adds.shown++];
      shown.active = ~0U;
      std::fill(std::begin(shown.address), std::end(shown.address), 0x7f00'0000'0000 + at + member);
    }
    sites.push_back(adds);
  }
  for (const std::uint64_t first : {16U, 60U, 200U}) {
    sites[0].memory_sectors = first;
    LaunchSums launch = launch_of(sites);
    launch.blocks = 6144;
    launch.block_threads = 192;
    INFO(first << " sectors");
    CHECK(stage_seconds(launch, "atomics") == Approx(884e-6).epsilon(0.25));
    CHECK(saved_share(launch) > 0.85);
  }
}

TEST_CASE("atomics of a block meet where its lanes, requests or warps do", "[program][pricing]") {
  const double blocks = requests / 8;
  inject::Site keys = streaming(RawOp::atomic, requests);  // a word a lane, the same ones in all requests
  keys.memory_sectors = 4;
  CHECK(requests_meet(keys, blocks));
  keys.memory_sectors = keys.sectors;
  CHECK_FALSE(requests_meet(keys, blocks));
  inject::Site sums = keys;  // each warp has added up
  sums.active_lanes = sums.sectors = requests;
  sums.useful_bytes = 4 * requests;
  sums.memory_sectors = 8;
  CHECK(requests_meet(sums, blocks));
  CHECK_FALSE(requests_meet(sums, requests));  // and so has each block
  inject::Site flush = keys;                   // 256 words of each block
  flush.memory_sectors = 32;
  CHECK_FALSE(requests_meet(flush, blocks));
}

TEST_CASE("blocks that have added up save nothing by doing so", "[program][pricing]") {
  inject::Site adds = streaming(RawOp::atomic, requests / 64);
  adds.active_lanes = adds.requests;  // a lane of each block
  adds.useful_bytes = 4 * adds.requests;
  adds.sectors = adds.lines = adds.l2_sectors = adds.l2_requests = adds.least_sectors = adds.requests;
  adds.memory_sectors = adds.used_words = 1;
  const LaunchSums launch = launch_of({streaming(RawOp::load, requests), adds});
  CHECK(saved_share(launch, {false, true}) == 0);
}

TEST_CASE("wider words need fewer threads", "[program][pricing]") {
  LaunchSums bytes = launch_of({streaming(RawOp::load, requests, 1), streaming(RawOp::store, requests, 1, 0x90)});
  bytes.blocks = requests;
  CHECK(Pricing(bytes, h200()).as_it_is().bottleneck == "launch");
  const Pricing pricing(bytes, h200());
  const std::vector<bool> none(2, false);
  CHECK(pricing.saving({.good = none}).seconds == 0);
  CHECK(pricing.saving({.good = none, .wider = 4}).seconds > 0.5 * pricing.as_it_is().seconds);
}

}  // namespace gpumem::program::test_pricing
