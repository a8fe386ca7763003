#include "engine/model/subjects/peer.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_peer {

using Mover = PeerTraffic::Mover;

namespace {

const Profile& h200() {
  static const Profile profile = load_profile("h200");
  return profile;
}

PeerTraffic traffic(Mover mover, bool both = false, std::uint64_t bytes = std::uint64_t{512} << 20U) {
  PeerTraffic moved{.mover = mover, .bytes = bytes, .both_ways = both};
  moved.link = {.path = PeerLink::Path::nvlink, .nvlinks = 18, .nvlink_version = 4, .bytes_per_nvlink_s = 25e9};
  return moved;
}

double gb_per_s(const PeerTraffic& moved) {
  const double ways = moved.both_ways ? 2 : 1;
  return ways * static_cast<double>(moved.bytes) / peer_time(moved, h200()).seconds / 1e9;
}

}  // namespace

TEST_CASE("copies over NVLink take what was measured between two H100s", "[model][peer]") {
  CHECK(gb_per_s(traffic(Mover::copy_engine)) == Approx(397.6).epsilon(0.005));
  CHECK(gb_per_s(traffic(Mover::kernel_read)) == Approx(376.2).epsilon(0.005));
  CHECK(gb_per_s(traffic(Mover::kernel_write)) == Approx(374.5).epsilon(0.005));
  CHECK(gb_per_s(traffic(Mover::copy_engine, true)) == Approx(784.9).epsilon(0.02));  // of one copy, not of eight
  CHECK(gb_per_s(traffic(Mover::kernel_read, true)) == Approx(676.9).epsilon(0.02));
  CHECK(gb_per_s(traffic(Mover::kernel_write, true)) == Approx(738.8).epsilon(0.02));
  CHECK(peer_latency_s(traffic(Mover::kernel_read), h200()) == 825e-9);
}

TEST_CASE("a link that is down takes its share", "[model][peer]") {
  PeerTraffic moved = traffic(Mover::copy_engine);
  const double all = peer_bytes_per_s(moved, h200());
  moved.link.nvlinks = 17;
  CHECK(peer_bytes_per_s(moved, h200()) == Approx(all * 17 / 18));
}

TEST_CASE("without NVLinks GPUs reach each other over PCI Express", "[model][peer]") {
  PeerTraffic moved = traffic(Mover::copy_engine);
  moved.link = {.path = PeerLink::Path::pcie_switch};
  const Rates& rates = h200().rates;
  const double slower = std::min(rates.link.to_device_bytes_per_s, rates.link.to_host_bytes_per_s);
  CHECK(peer_bytes_per_s(moved, h200()) == slower);
  CHECK(peer_time(moved, h200()).stages.front().stage == "pcie");
  moved.mover = Mover::kernel_read;
  CHECK(peer_bytes_per_s(moved, h200()) <= slower);
  CHECK(peer_latency_s(moved, h200()) > 825e-9);
  moved.mover = Mover::copy_engine;
  moved.both_ways = true;
  CHECK(peer_bytes_per_s(moved, h200()) == Approx(rates.link.both_ways_bytes_per_s / 2));
}

TEST_CASE("what is staged in the host's memory is as fast as the slower half, but for its first piece",
          "[model][peer]") {
  PeerTraffic moved = traffic(Mover::host);
  moved.chunks = 64;
  const double seconds = peer_time(moved, h200()).seconds;
  const double bytes_s = static_cast<double>(moved.bytes) / h200().rates.link.to_host_bytes_per_s;
  CHECK(seconds > bytes_s);
  CHECK(seconds < 1.11 * bytes_s);
  moved.chunks = 1;  // then nothing overlaps
  CHECK(peer_time(moved, h200()).seconds > 1.9 * bytes_s);
}

TEST_CASE("what acknowledges stores takes less of the way back than requests of loads", "[model][peer]") {
  const double reads = gb_per_s(traffic(Mover::kernel_read, true));
  const double writes = gb_per_s(traffic(Mover::kernel_write, true));
  CHECK(gb_per_s(traffic(Mover::kernel_read)) == gb_per_s(traffic(Mover::kernel_write)));
  CHECK(writes > 1.05 * reads);
}

TEST_CASE("copies in a row take as many times the bytes, and the fixed cost of each command", "[model][peer]") {
  const Rates& rates = h200().rates;
  PeerTraffic moved = traffic(Mover::kernel_write);
  const double alone = peer_time(moved, h200()).seconds;
  moved.copies = moved.commands = 8;
  const double latency = peer_latency_s(moved, h200());
  CHECK(peer_time(moved, h200()).seconds == Approx(8 * (alone - latency) + latency));
  moved.commands = 1;
  CHECK(peer_time(moved, h200()).seconds == Approx(8 * (alone - latency) + latency - 7 * rates.launch.fixed_s));
  moved.bytes = 16;  // nothing hides that each copy of a launch waits for the one before
  CHECK(peer_time(moved, h200()).seconds == Approx(rates.launch.fixed_s + 8 * latency).epsilon(0.001));
}

TEST_CASE("both ways through the host share its memory, where that is known", "[model][peer]") {
  PeerTraffic moved = traffic(Mover::host, true);
  moved.chunks = 64;
  Profile profile = h200();
  profile.rates.host.memory_bytes_per_s = 100e9;  // each byte is written and read
  CHECK(peer_bytes_per_s(moved, profile) == 25e9);
  moved.both_ways = false;
  CHECK(peer_bytes_per_s(moved, profile) == 50e9);
  profile.rates.host.memory_bytes_per_s = 0;
  CHECK(peer_bytes_per_s(moved, profile) == profile.rates.link.to_host_bytes_per_s);
  moved.both_ways = true;
  CHECK(peer_bytes_per_s(moved, profile) == Approx(profile.rates.link.both_ways_bytes_per_s / 2));
}

TEST_CASE("what comes before the bytes is all that small copies take", "[model][peer]") {
  const PeerTime tiny = peer_time(traffic(Mover::copy_engine, false, 16), h200());
  CHECK(tiny.seconds == Approx(h200().rates.peer.copy_s).epsilon(0.01));
  CHECK(tiny.stages.back().stage == "copies");
}

}  // namespace gpumem::model::test_peer
