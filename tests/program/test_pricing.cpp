// Prices of watched launches: what a probe's sites cost, what they could save, and the intervals around both.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/access/space.hpp"
#include "tests/catch.hpp"
#include "tests/probes/predictions/cases.hpp"
#include "tests/program/machine_code/written_code.hpp"
#include "tests/program/priced_launches.hpp"

namespace gpumem::program::test_pricing {

using namespace priced_launches;
using model::test::global_case;

namespace {

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
  CHECK(saved_of(as_it_is * 3) == Approx(saved));            // something else may hold it up
  CHECK(saved_of(as_it_is * 20) == 0);                       // something else does
  launch.measured_s = as_it_is * 3;
  CHECK(Pricing(launch, h200()).saving({.good = load}).within.low == 0);
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
