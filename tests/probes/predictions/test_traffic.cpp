// The accesses of a launch that reach L2 and memory, for patterns whose traffic is known beforehand.

#include <string>

#include "tests/catch.hpp"
#include "tests/probes/predictions/simulated.hpp"

namespace gpumem::model::test_traffic {

using namespace simulated;

namespace {

/// Matches `times` times `whole`.
auto multiple(double times, double whole) { return Approx(times * whole); }

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
  CHECK(few > 2 * single);  // whose stores each multiprocessor merges
  CHECK(traffic("i", "read", mib, small_gpu()).store_collisions == 0);
}

TEST_CASE("traffic: stores to few lines are merged before they reach L2", "[traffic]") {
  const auto written = [](const char* element) { return traffic(element, "write", 16 * mib, load_profile("h200")); };
  const double lines = lines_in(16 * mib);  // a request each
  const Traffic all = written("i");
  CHECK(all.l2_write_requests == lines);
  CHECK(all.contended_stores == 0);
  // All blocks store to 8 lines, which a multiprocessor holds; each of them waits for the others.
  const Traffic few = written("i / 32 % 8 * 32 + i % 32");
  CHECK(few.l2_write_requests < 0.02 * lines);
  CHECK(few.l2_write_sectors < 0.02 * sectors_in(16 * mib));
  CHECK(few.contended_stores > 0.95 * lines);
  // 256 lines are more than it holds.
  const Traffic many = written("i / 32 % 256 * 32 + i % 32");
  CHECK(many.l2_write_requests > 0.6 * lines);
  CHECK(many.contended_stores < 0.1 * lines);
  // Lines that a block fills in any order leave it whole, and no other multiprocessor stores to them.
  const Traffic shuffled = written("i / 256 * 256 + i % 256 * 37 % 256");
  CHECK(shuffled.l2_write_requests < 0.4 * 8 * lines);
  CHECK(shuffled.l2_write_sectors + shuffled.l2_split_sectors < 2 * sectors_in(16 * mib));
  CHECK(shuffled.contended_stores < 0.01 * lines);
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

}  // namespace gpumem::model::test_traffic
