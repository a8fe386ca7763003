// Simulating the lines of a launch: samples stand for all, launches alike have the same traffic, and predictions use
// it.

#include <bit>
#include <vector>

#include "engine/model/line_cache.hpp"
#include "tests/catch.hpp"
#include "tests/probes/predictions/cases.hpp"
#include "tests/probes/predictions/simulated.hpp"

namespace gpumem::model::test_traffic_simulation {

using namespace simulated;

namespace {

bool same(const Traffic& a, const Traffic& b) {
  return a.l2_read_requests == b.l2_read_requests && a.l2_read_sectors == b.l2_read_sectors &&
         a.l2_write_requests == b.l2_write_requests && a.l2_write_sectors == b.l2_write_sectors &&
         a.l2_split_sectors == b.l2_split_sectors && a.fetched_lines == b.fetched_lines &&
         a.fetched_line_pairs == b.fetched_line_pairs && a.fetched_bytes == b.fetched_bytes &&
         a.written_lines == b.written_lines && a.written_line_pairs == b.written_line_pairs &&
         a.written_bytes == b.written_bytes && a.filled_lines == b.filled_lines &&
         a.filled_line_pairs == b.filled_line_pairs && a.filled_bytes == b.filled_bytes &&
         a.l1_store_passes == b.l1_store_passes && a.store_collisions == b.store_collisions &&
         a.mixed_lines == b.mixed_lines && a.mixed_groups == b.mixed_groups &&
         a.incomplete_sectors == b.incomplete_sectors;
}

/// Loads simulated with every line, the second of two launches: what L1s ask for, and what L2 does.
struct Loads {
  double l2_sectors = 0;
  double memory_bytes = 0;

  Loads(const Workload& workload, const Profile& profile) {
    LineCache second(profile.device.l2_bytes / access::line_bytes);
    for (int launch = 0; launch < 2; ++launch) {
      *this = Loads();
      std::vector<LineCache> first(profile.device.multiprocessors,
                                   LineCache(static_cast<std::size_t>(profile.rates.l1.bytes) / access::line_bytes));
      const access::Site& site = workload.sites.front();
      std::vector<access::WarpRequest> warps((workload.block_threads + 31) / 32);
      for (std::uint64_t block = 0; block < workload.blocks; ++block) {
        for (access::WarpRequest& request : warps) request = {.word_bytes = site.word_bytes};
        site.fill(block * warps.size(), warps);
        for (const access::WarpRequest& request : warps) {
          simulate(request, first[block % first.size()], second);
        }
      }
    }
  }

 private:
  Loads() = default;

  static CachedLine& line_of(LineCache& cache, std::uint64_t number) {
    if (CachedLine* found = cache.find(number)) return *found;
    CachedLine evicted;
    bool was_full = false;
    return cache.insert(number, evicted, was_full);
  }
  static unsigned added(CachedLine& line, unsigned sectors) {
    const unsigned lacking = sectors & ~unsigned{line.valid};
    line.valid = static_cast<std::uint8_t>(line.valid | sectors);
    return lacking;
  }
  void simulate(const access::WarpRequest& request, LineCache& first, LineCache& second) {
    const access::BlockSet sectors = blocks_touched(request, access::sector_bytes);
    for (unsigned k = 0; k < sectors.size; ++k) {
      const std::uint64_t line = sectors.block[k] / sectors_of_line;
      const unsigned sector = 1U << sectors.block[k] % sectors_of_line;
      if (added(line_of(first, line), sector) == 0) continue;
      l2_sectors += 1;
      const unsigned atom = sector < 4 ? 3 : 12;
      memory_bytes += static_cast<double>(access::sector_bytes) * std::popcount(added(line_of(second, line), atom));
    }
  }
};

}  // namespace

TEST_CASE("traffic: the lines of a long launch that are simulated stand for all", "[traffic]") {
  const Profile h200 = load_profile("h200");
  const Traffic stream = traffic("i", "copy", 512 * mib, h200);  // of which only parts are simulated, too
  CHECK(stream.l2_read_sectors == Approx(sectors_in(512 * mib)).epsilon(0.03));
  CHECK(stream.l2_write_sectors == Approx(sectors_in(512 * mib)).epsilon(0.03));
  CHECK(stream.fetched_bytes == Approx(512.0 * mib).epsilon(0.03));
  CHECK(stream.fetched_lines == Approx(lines_in(512 * mib)).epsilon(0.03));
  CHECK(stream.fetched_line_pairs == Approx(pairs_in(512 * mib)).epsilon(0.03));
  CHECK(stream.written_bytes <= 520.0 * mib);
  CHECK(stream.filled_bytes == 0);

  // Gathers from twice what L2 holds, of which every line is simulated here.
  const Profile profile = small_gpu(2 * mib, 16 * kib);
  for (const char* element : {"i * 2654435761 % n", "i / 32 * 1000003 * 32 % n + i % 32"}) {
    INFO(element);
    const Workload gather = workload_of(element, "read", 4 * mib, profile, {{"word_bytes", std::uint64_t{16}}});
    const auto simulated = traffic_of(gather, profile);
    REQUIRE(simulated);
    const Loads all(gather, profile);
    CHECK(simulated->l2_read_sectors == Approx(all.l2_sectors).epsilon(0.03));
    CHECK(simulated->fetched_bytes == Approx(all.memory_bytes).epsilon(0.03));
  }
}

TEST_CASE("traffic: the same launch has the same traffic", "[traffic]") {
  Profile profile = small_gpu();
  profile.rates.l2.near_share = 0.5;
  for (const char* element : {"i", "i * 2654435761 % n"}) {
    const auto simulated = [&] {
      return traffic(element, "copy", 16 * mib, profile, {{"word_bytes", std::uint64_t{16}}});
    };
    CHECK(same(simulated(), simulated()));
  }
}

TEST_CASE("traffic: is known where all sites say their requests in order", "[traffic]") {
  const Profile profile = small_gpu();
  CHECK_FALSE(traffic_of(test::global_case("stride", std::uint64_t{3}, "read")
                             .probe->describe(test::global_case("stride", std::uint64_t{3}, "read"), profile.device),
                         profile));
  CHECK_FALSE(traffic_of(Workload{}, profile));
  Workload copy = workload_of("i", "copy", mib, profile);
  CHECK(traffic_of(copy, profile));
  copy.sites[1].fill = nullptr;
  CHECK_FALSE(traffic_of(copy, profile));
  Workload shared = workload_of("i", "read", mib, profile);
  shared.sites[0].space = access::Space::shared;
  CHECK_FALSE(traffic_of(shared, profile));
}

TEST_CASE("traffic: adds up and is multiplied in all it counts", "[traffic]") {
  const Profile profile = small_gpu();
  const Traffic one = traffic("i * 2", "copy", 4 * mib, profile);
  Traffic three = one;
  three.add(one.times(2));
  CHECK(same(three, one.times(3)));
  CHECK_FALSE(same(three, one));
  CHECK(same(one.times(0), Traffic{}));
}

TEST_CASE("what is predicted of accesses that come back is what was simulated", "[traffic]") {
  const Profile profile = small_gpu();
  const Workload again = workload_of("i % (n / 8)", "read", 4 * mib, profile);
  const Demand demand = predict(again, profile).demand;
  const auto simulated = traffic_of(again, profile);
  REQUIRE(simulated);
  CHECK(demand.simulated);
  CHECK(demand.l2.load_sectors == simulated->l2_read_sectors);
  CHECK(demand.dram.read_bytes == simulated->fetched_bytes + simulated->filled_bytes);
  CHECK(demand.dram.write_bytes == simulated->written_bytes);
  // A stream of many times what L2 holds is as plain as ever.
  const Workload stream = workload_of("i", "read", 16 * mib, profile);
  CHECK(predict(stream, profile).demand.dram.read_bytes == Approx(16.0 * mib).epsilon(0.001));
}

}  // namespace gpumem::model::test_traffic_simulation
