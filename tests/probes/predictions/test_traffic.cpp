// The accesses of a launch that reach L2 and memory, for patterns whose traffic is known beforehand. The GPU is an H200
// with smaller caches and fewer multiprocessors, so that short launches fill them.

#include <bit>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/line_cache.hpp"
#include "engine/model/predict.hpp"
#include "engine/model/traffic.hpp"
#include "tests/probes/global/global_cases.hpp"
#include "tests/probes/predictions/cases.hpp"

namespace gpumem::model::test_traffic {

namespace {

constexpr std::uint64_t kib = std::uint64_t{1} << 10U;
constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

/// 8 multiprocessors, with one L2 that is as near to all of them.
Profile small_gpu(std::uint64_t l2_bytes = mib, std::uint64_t l1_bytes = 16 * kib) {
  Profile profile = load_profile("h200");
  profile.device.multiprocessors = 8;
  profile.device.l2_bytes = l2_bytes;
  profile.rates.l1.bytes = static_cast<double>(l1_bytes);
  profile.rates.l2.near_share = 1;
  return profile;
}

using Given = std::initializer_list<std::pair<std::string, Value>>;

/// `bytes` of accesses by threads of one element, but for what is given.
Workload workload_of(const std::string& element, const std::string& op, std::uint64_t bytes, const Profile& profile,
                     Given given = {}) {
  Case tested = global::test::case_of(
      "pattern", {{"pattern", element}, {"active", std::string("1")}, {"op", op}, {"buffer_bytes", bytes}});
  for (const auto& [parameter, value] : given) tested.set(parameter, value);
  return tested.probe->describe(tested, profile.device);
}

Traffic traffic(const std::string& element, const std::string& op, std::uint64_t bytes, const Profile& profile,
                Given given = {}) {
  const auto simulated = traffic_of(workload_of(element, op, bytes, profile, given), profile);
  REQUIRE(simulated);
  return *simulated;
}

/// Matches `times` times `whole`.
auto multiple(double times, double whole) { return Approx(times * whole); }

double of(std::uint64_t bytes) { return static_cast<double>(bytes); }

double sectors_in(std::uint64_t bytes) { return of(bytes) / 32; }
double lines_in(std::uint64_t bytes) { return of(bytes) / 128; }
double pairs_in(std::uint64_t bytes) { return of(bytes) / 256; }

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

TEST_CASE("traffic: a stream is fetched once, in whole lines and pairs of them", "[traffic]") {
  for (const std::uint64_t word_bytes : {4U, 16U}) {
    INFO(word_bytes << "-byte words");
    const Traffic read = traffic("i", "read", 4 * mib, small_gpu(), {{"word_bytes", word_bytes}});
    CHECK(read.l2_read_sectors == sectors_in(4 * mib));
    CHECK(read.l2_read_requests == lines_in(4 * mib));
    CHECK(read.fetched_bytes == 4 * mib);
    CHECK(read.fetched_lines == lines_in(4 * mib));
    CHECK(read.fetched_line_pairs == pairs_in(4 * mib));
    CHECK(read.l2_write_requests == 0);
    CHECK(read.l2_write_sectors == 0);
    CHECK(read.written_bytes == 0);
    CHECK(read.filled_bytes == 0);
  }
}

TEST_CASE("traffic: of sectors that lie apart whole atoms are fetched", "[traffic]") {
  const Traffic lone = traffic("i * 16", "read", 256 * kib, small_gpu());  // 4 MiB, an atom each
  CHECK(lone.l2_read_sectors == 64 * kib);
  CHECK(lone.fetched_bytes == 4 * mib);
  CHECK(lone.fetched_lines == lines_in(4 * mib));
  const Traffic apart = traffic("i * 64", "read", 64 * kib, small_gpu());  // a line of each pair
  CHECK(apart.fetched_bytes == Approx(16 * kib * 64.0).epsilon(0.01));
  CHECK(apart.fetched_lines == Approx(1.0 * 16 * kib).epsilon(0.01));
  CHECK(apart.fetched_line_pairs == Approx(1.0 * 16 * kib).epsilon(0.01));
}

TEST_CASE("traffic: what is small stays in L2 from launch to launch", "[traffic]") {
  const Traffic read = traffic("i", "read", 128 * kib, small_gpu());
  CHECK(read.l2_read_sectors == sectors_in(128 * kib));  // L1s forget
  CHECK(read.fetched_bytes == 0);
  CHECK(read.fetched_lines == 0);
  CHECK(read.fetched_line_pairs == 0);
  const Traffic write = traffic("i * 2", "write", 64 * kib, small_gpu());
  CHECK(write.l2_write_sectors == sectors_in(128 * kib));
  CHECK(write.written_bytes == 0);
  CHECK(write.filled_bytes == 0);
  CHECK(traffic("i * 2654435761 % n", "copy", 128 * kib, small_gpu()).fetched_bytes == 0);
  // The H200 as it is.
  CHECK(traffic("i * 5 % n", "copy", 2 * mib, load_profile("h200")).fetched_bytes == 0);
}

TEST_CASE("traffic: how far reads that come back go is a matter of how much lies between", "[traffic]") {
  // 512 KiB, 64 for each multiprocessor, eight times over.
  const std::string again = "i % (n / 8)";
  const Traffic in_first = traffic(again, "read", 4 * mib, small_gpu(mib, 128 * kib));
  // The caches are large enough, but a few lines find their set full.
  CHECK(in_first.l2_read_sectors == Approx(sectors_in(512 * kib)).epsilon(0.1));
  CHECK(in_first.l2_read_requests == Approx(lines_in(512 * kib)).epsilon(0.1));
  CHECK(in_first.fetched_bytes < 0.02 * 4 * mib);
  const Traffic in_second = traffic(again, "read", 4 * mib, small_gpu(mib, 16 * kib));
  CHECK(in_second.l2_read_sectors == sectors_in(4 * mib));
  CHECK(in_second.l2_read_requests == lines_in(4 * mib));
  CHECK(in_second.fetched_bytes < 0.02 * 4 * mib);
  const Traffic in_memory = traffic(again, "read", 4 * mib, small_gpu(256 * kib, 16 * kib));
  CHECK(in_memory.l2_read_sectors == sectors_in(4 * mib));
  CHECK(in_memory.fetched_bytes == 4 * mib);
  CHECK(in_memory.fetched_lines == lines_in(4 * mib));
}

TEST_CASE("traffic: a thread that comes back at once finds its words in L1", "[traffic]") {
  const Traffic read =
      traffic("block * 256 + thread", "read", 8 * mib, small_gpu(), {{"elements_per_thread", std::uint64_t{4}}});
  CHECK(read.l2_read_sectors == sectors_in(2 * mib));
  CHECK(read.l2_read_requests == lines_in(2 * mib));
  // Neighbours share sectors: what one of them has fetched the next one finds.
  const Traffic shifted = traffic("i + 1", "read", 4 * mib, small_gpu());
  CHECK(shifted.l2_read_sectors < 1.1 * sectors_in(4 * mib));
  CHECK(shifted.fetched_bytes == Approx(4.0 * mib).epsilon(0.001));
}

TEST_CASE("traffic: sectors that stores leave incomplete are filled, and no others", "[traffic]") {
  const Traffic whole = traffic("i", "write", 4 * mib, small_gpu());
  CHECK(whole.l2_write_requests == lines_in(4 * mib));
  CHECK(whole.l2_write_sectors == sectors_in(4 * mib));
  CHECK(whole.l2_split_sectors == 0);
  CHECK(whole.written_bytes == 4 * mib);
  CHECK(whole.written_lines == lines_in(4 * mib));
  CHECK(whole.written_line_pairs == pairs_in(4 * mib));
  CHECK(whole.filled_bytes == 0);
  CHECK(whole.filled_lines == 0);
  CHECK(whole.fetched_bytes == 0);
  const Traffic parts = traffic("i * 2", "write", 2 * mib, small_gpu());
  CHECK(parts.l2_write_sectors == sectors_in(4 * mib));
  CHECK(parts.written_bytes == 4 * mib);
  CHECK(parts.filled_bytes == 4 * mib);
  CHECK(parts.filled_lines == lines_in(4 * mib));
  CHECK(parts.filled_line_pairs == pairs_in(4 * mib));
  CHECK(parts.written_lines == 0);
  // Half of the sectors of every line.
  const Traffic half = traffic("i + i / 16 * 16", "write", 2 * mib, small_gpu());
  CHECK(half.written_bytes == 2 * mib);
  CHECK(half.written_lines == lines_in(4 * mib));
  CHECK(half.filled_bytes == 0);
  // Launch after launch as well, of what L2 does not hold from one to the next.
  const Traffic again = traffic("i * 2", "write", 2 * mib, small_gpu(2 * mib));
  CHECK(again.written_bytes == Approx(4.0 * mib).epsilon(0.02));
  CHECK(again.filled_bytes == Approx(4.0 * mib).epsilon(0.02));
}

TEST_CASE("traffic: a walk down columns completes sectors as far as its rows fit in L2", "[traffic]") {
  const auto columns = [](std::uint64_t rows, const std::string& op) {
    const std::string r = std::to_string(rows);
    return traffic("i % " + r + " * (n / " + r + ") + i / " + r, op, mib, small_gpu(256 * kib));
  };
  // A line of each of 256 rows: 32 KiB.
  const Traffic few = columns(256, "write");
  CHECK(few.l2_write_sectors == mib / 4.0);  // of a word each
  CHECK(few.written_bytes == mib);
  CHECK(few.filled_bytes == 0);
  CHECK(few.written_lines == lines_in(mib));
  // 1 MiB: every word makes its way alone.
  const Traffic many = columns(8 * kib, "write");
  CHECK(many.written_bytes == 8.0 * mib);
  CHECK(many.filled_bytes == 8.0 * mib);
  CHECK(columns(256, "read").fetched_bytes == mib);
  CHECK(columns(8 * kib, "read").fetched_bytes == 16.0 * mib);
}

TEST_CASE("traffic: stores that neighbours share sectors with are told apart", "[traffic]") {
  const Profile profile = small_gpu();
  const Workload shifted = workload_of("i + 3", "write", 4 * mib, profile);
  const auto simulated = traffic_of(shifted, profile);
  REQUIRE(simulated);
  const access::Site& site = shifted.sites.front();
  CHECK(simulated->l2_write_sectors + simulated->l2_split_sectors ==
        multiple(of(site.requests), site.summary->cost.sectors_per_request));
  CHECK(simulated->l2_split_sectors > 0);
  CHECK(simulated->l2_write_sectors >= site.summary->footprint.sectors);
}

TEST_CASE("traffic: lines that are filled in part are told from those that are filled as a whole", "[traffic]") {
  // A word left out of 16: every other sector is incomplete, two of each line.
  const Traffic mixed = traffic("i / 15 * 16 + i % 15", "write", 15 * 256 * kib, small_gpu());
  CHECK(mixed.filled_bytes == Approx(2.0 * mib).epsilon(0.01));
  CHECK(mixed.mixed_lines == Approx(lines_in(4 * mib)).epsilon(0.01));
  CHECK(mixed.mixed_groups == Approx(lines_in(4 * mib) / 4).epsilon(0.15));
  CHECK(mixed.written_lines == Approx(lines_in(4 * mib)).epsilon(0.01));
  CHECK(mixed.filled_lines == Approx(0).margin(10));
  CHECK(traffic("i * 2", "write", 2 * mib, small_gpu()).mixed_lines == 0);
  CHECK(traffic("i", "write", 4 * mib, small_gpu()).mixed_lines == 0);
  // Sectors of a line that come at different times are filled one by one.
  const Traffic apart = traffic("i * 2654435761 % n * 8", "write", 512 * kib, small_gpu());  // a word of each sector
  CHECK(apart.filled_lines == Approx(sectors_in(4 * mib)).epsilon(0.05));
}

TEST_CASE("traffic: stores pass L1 by the line, 128 bytes of words at a time", "[traffic]") {
  const double requests = mib / 128.0;
  CHECK(traffic("i", "write", mib, small_gpu()).l1_store_passes == Approx(requests));
  CHECK(traffic("i * 32 % n + i * 32 / n", "write", mib, small_gpu()).l1_store_passes == Approx(32 * requests));
  const Given wide = {{"word_bytes", std::uint64_t{8}}};
  // 16 lanes to a pass, each of which goes to the same two lines.
  CHECK(traffic("i % 2 * 16 + i / 32 * 32", "write", mib, small_gpu(), wide).l1_store_passes == Approx(2 * requests));
}

TEST_CASE("traffic: stores meet the more the fewer lines they go to", "[traffic]") {
  const auto store_collisions = [](const char* element) {
    return traffic(element, "write", 4 * mib, small_gpu(4 * mib)).store_collisions;
  };
  const double single = store_collisions("i % 32");
  const double few = store_collisions("i * 2654435761 % 4096");
  const double many = store_collisions("i * 2654435761 % 65536");
  CHECK(few > 2 * many);
  CHECK(many > store_collisions("i"));
  CHECK(single > store_collisions("i"));
  CHECK(traffic("i", "read", mib, small_gpu()).store_collisions == 0);
}

TEST_CASE("traffic: what blocks leave to others to complete is known", "[traffic]") {
  // Columns of words: eight blocks complete a sector.
  const Traffic columns = traffic("i % 256 * (n / 256) + i / 256", "write", mib, small_gpu(128 * kib));
  CHECK(columns.incomplete_sectors == Approx(sectors_in(mib)).epsilon(0.01));
  CHECK(columns.incomplete_lines > 0);
  const Traffic whole = traffic("i", "write", mib, small_gpu());
  CHECK(whole.incomplete_sectors == 0);
  CHECK(whole.incomplete_lines == 0);
}

TEST_CASE("traffic: a copy is its loads and its stores", "[traffic]") {
  const Profile profile = small_gpu();
  const Traffic copy = traffic("i", "copy", 4 * mib, profile);
  const Traffic read = traffic("i", "read", 4 * mib, profile);
  const Traffic write = traffic("i", "write", 4 * mib, profile);
  CHECK(copy.l2_read_sectors == read.l2_read_sectors);
  CHECK(copy.l2_write_sectors == write.l2_write_sectors);
  CHECK(copy.fetched_bytes == read.fetched_bytes);
  CHECK(copy.fetched_line_pairs == read.fetched_line_pairs);
  CHECK(copy.written_bytes == write.written_bytes);
  CHECK(copy.written_line_pairs == write.written_line_pairs);
  CHECK(copy.filled_bytes == 0);
}

TEST_CASE("traffic: lanes that take no part ask for nothing", "[traffic]") {
  const Profile profile = small_gpu();
  const Traffic lanes = traffic("i", "read", 4 * mib, profile, {{"active", std::string("lane < 8")}});
  CHECK(lanes.l2_read_sectors == sectors_in(mib));
  CHECK(lanes.fetched_bytes == 2 * mib);
  const Traffic warps = traffic("i", "write", 4 * mib, profile, {{"active", std::string("warp % 2")}});
  CHECK(warps.l2_write_requests == lines_in(2 * mib));
  CHECK(warps.written_bytes == 2 * mib);
  CHECK(warps.filled_bytes == 0);
}

TEST_CASE("traffic: blocks of any shape, and a launch that ends within one", "[traffic]") {
  for (const std::uint64_t threads : {32U, 97U, 1000U}) {
    for (const std::uint64_t elements : {1U, 3U}) {
      INFO(threads << " threads, " << elements << " elements each");
      const Traffic read =
          traffic("i", "read", 4 * mib, small_gpu(), {{"block_threads", threads}, {"elements_per_thread", elements}});
      CHECK(read.fetched_bytes == 4 * mib);
      CHECK(read.fetched_lines >= lines_in(4 * mib));
      CHECK(read.l2_read_sectors >= sectors_in(4 * mib));
    }
  }
}

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

}  // namespace gpumem::model::test_traffic
