// Rates that a profile leaves out: each is scaled by something known, no guess undercuts what is known, and the rules
// come near to what others measured.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/model/complete_profile.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_complete_profile {

namespace {

using Json = nlohmann::ordered_json;

/// A profile of an RTX 3090 that states these rates alone.
Profile stating(const std::vector<std::pair<const char*, double>>& rates) {
  Json json = Json::parse(to_json(load_profile("rtx3090")));
  json["rates"] = Json::object();
  for (const auto& [name, value] : rates) json["rates"][name] = {{"value", value}, {"how", "measured somewhere"}};
  return parse_profile(json.dump(), "file.json");
}

/// Bytes a second of a whole array that L2's rates let through, one op at a time.
double reads_through(const Rates& rates) {
  const double lines = 1 / (128 * rates.l2.load_lines_per_s) + 1 / (256 * rates.l2.load_line_pairs_per_s);
  return std::min(32 * rates.l2.load_sectors_per_s, 1 / lines / (1 + rates.l2.line_spread_share));
}

double writes_through(const Rates& rates) {
  const double lines = 1 / (128 * rates.l2.store_lines_per_s) + 1 / (256 * rates.l2.store_line_pairs_per_s);
  return std::min(32 * rates.l2.store_sectors_per_s, 1 / lines);
}

double copies_through(const Rates& rates) { return 2 / (1 / reads_through(rates) + 1 / writes_through(rates)); }

}  // namespace

TEST_CASE("channels of memory are told by its bus and its clock", "[complete_profile]") {
  const auto channels = [](const char* name) { return memory_channels(load_profile(name).device); };
  CHECK(channels("v100") == 64);       // HBM2, 4096 bits
  CHECK(channels("a100-40gb") == 80);  // HBM2E, 5120 bits
  CHECK(channels("h100-pcie") == 80);  // HBM2E
  CHECK(channels("h100") == 160);      // HBM3, 5120 bits
  CHECK(channels("h200") == 188);      // HBM3E, 6016 bits
  CHECK(channels("b200") == 240);      // HBM3E
  CHECK(channels("l40s") == 24);       // GDDR6, 384 bits
  CHECK(channels("rtx4090") == 24);    // GDDR6X
  CHECK(channels("t4") == 16);         // GDDR6, 256 bits
  Device device = load_profile("rtx4090").device;
  device.memory_bus_bits = 512;
  device.memory_clock_hz = 14'001'000'000;
  CHECK(memory_channels(device) == 64);  // GDDR7
  device.memory_clock_hz = 4'001'000'000;
  CHECK(memory_channels(device) == 16);  // GDDR5
  device.integrated = true;
  CHECK(memory_channels(device) == 32);  // LPDDR5
  device.memory_bus_bits = 0;
  CHECK(memory_channels(device) == 0);
}

TEST_CASE("rows go with channels, bytes with bandwidth, and L2 with what is known of it", "[complete_profile]") {
  const Profile h200 = load_profile("h200");
  const auto times = [&](const Profile& profile, RateId rate) { return profile.rates[rate] / h200.rates[rate]; };
  const Profile none = stating({});
  const double bandwidth =
      none.device.theoretical_bandwidth_bytes_per_s() / h200.device.theoretical_bandwidth_bytes_per_s();
  CHECK(times(none, rate_ids.l2.load_line_pairs_per_s) == Approx(24.0 / 188));
  CHECK(times(none, rate_ids.l2.fill_line_pairs_per_s) == Approx(24.0 / 188));
  CHECK(times(none, rate_ids.l2.load_lines_per_s) == Approx(bandwidth));
  CHECK(times(none, rate_ids.l2.fill_lines_per_s) == Approx(bandwidth));
  CHECK(times(none, rate_ids.latency.host_cycles) == Approx(1695.0 / 1980));
  CHECK(times(none, rate_ids.l2.read_requests_per_s) == Approx(82 * 1695.0 / (132 * 1980)));
  CHECK(none.how.at("l2_load_line_pairs_per_s") == "the H200's, scaled by the channels of the memory; not measured");

  const Profile known = stating({{"l2_load_sectors_per_s", 7.4e10}, {"pcie_to_device_bytes_per_s", 2.2e10}});
  for (const RateId rate : {rate_ids.l2.store_sectors_per_s, rate_ids.l2.split_sectors_per_s,
                            rate_ids.l2.read_requests_per_s, rate_ids.l2.write_requests_per_s}) {
    CHECK(times(known, rate) == Approx(7.4e10 / h200.rates.l2.load_sectors_per_s));
  }
  CHECK(times(known, rate_ids.link.load_lines_per_s) == Approx(2.2 / 5.55));
  CHECK(known.how.at("pcie_load_lines_per_s") == "the H200's, scaled by the rate of pinned copies; not measured");
}

TEST_CASE("no guess limits a whole array below what is known of its memory", "[complete_profile]") {
  for (const std::string& name : profile_names()) {
    INFO(name);
    const Rates rates = load_profile(name).rates;
    CHECK(reads_through(rates) >= 0.98 * rates.dram.read_bytes_per_s);
    CHECK(writes_through(rates) >= 0.98 * rates.dram.write_bytes_per_s);
    CHECK(copies_through(rates) >= 0.98 * rates.dram.copy_bytes_per_s);
  }
  // A memory much faster than its channels suggest; the stated rate stays, the guesses beside it give way.
  const Profile fast = stating({{"dram_read_bytes_per_s", 5e12}, {"l2_load_lines_per_s", 8e10}});
  CHECK(fast.rates.l2.load_lines_per_s == 8e10);
  CHECK(reads_through(fast.rates) == Approx(5e12));
  CHECK(fast.how.at("l2_load_line_pairs_per_s") == "the H200's, raised to the rate of memory's reads; not measured");
  // One that is stated and undercuts by itself is what somebody knows.
  const Profile slow = stating({{"dram_read_bytes_per_s", 8e11}, {"l2_load_lines_per_s", 1e9}});
  CHECK(slow.rates.l2.load_lines_per_s == 1e9);
}

TEST_CASE("a mix of reads and writes is guessed from both, and neither is slower than a mix", "[complete_profile]") {
  const Profile both = stating({{"dram_read_bytes_per_s", 8e11}, {"dram_write_bytes_per_s", 8e11}});
  const Rates h200 = load_profile("h200").rates;
  CHECK(both.rates.dram.copy_bytes_per_s ==
        Approx(8e11 * h200.dram.copy_bytes_per_s /
               (2 / (1 / h200.dram.read_bytes_per_s + 1 / h200.dram.write_bytes_per_s))));
  const Profile copies = stating({{"dram_copy_bytes_per_s", 9.3e11}});
  CHECK(copies.rates.dram.read_bytes_per_s >= 9.3e11);
  CHECK(copies.rates.dram.write_bytes_per_s >= 9.3e11);
  const Profile reads = stating({{"dram_read_bytes_per_s", 6e11}});
  const double most = 2 / (1 / 6e11 + 1 / reads.rates.dram.write_bytes_per_s);
  CHECK(reads.rates.dram.copy_bytes_per_s == Approx(most));
}

TEST_CASE("both ways of a link are guessed from each", "[complete_profile]") {
  const Profile known = stating({{"pcie_to_device_bytes_per_s", 3.78e11}, {"pcie_to_host_bytes_per_s", 2.97e11}});
  CHECK(known.rates.link.both_ways_bytes_per_s == Approx(6.75e11 * 1.028 / 1.109));
  CHECK(load_profile("gh200").rates.link.both_ways_bytes_per_s > 3.78e11);
}

TEST_CASE("the rule for copies is near all GPUs of which reads, writes and copies are known", "[complete_profile]") {
  for (const char* name : {"a100-40gb", "a100-80gb", "gh200", "h100-pcie", "h100", "h200", "l40s", "v100"}) {
    const Profile known = load_profile(name);
    const Profile guessed = stating({{"dram_read_bytes_per_s", known.rates.dram.read_bytes_per_s},
                                     {"dram_write_bytes_per_s", known.rates.dram.write_bytes_per_s}});
    INFO(name);
    CHECK(guessed.rates.dram.copy_bytes_per_s == Approx(known.rates.dram.copy_bytes_per_s).epsilon(0.05));
  }
}

// ---- Held out: what is predicted rests on none of these figures

TEST_CASE("held out: an A40 without a profile streams as Ernst measured", "[complete_profile]") {
  // github.com/te42kyfo/gpu-benches, gpu-stream/a40.txt (2024): init 679, read 679, scale 653 GB/s.
  Device a40 = load_profile("a10").device;
  a40.name = "NVIDIA A40";
  a40.multiprocessors = 84;
  a40.memory_clock_hz = 7'251'000'000;
  a40.sm_clock_hz = 1'740'000'000;
  const Rates rates = profile_from_attributes(a40).rates;
  CHECK(rates.dram.read_bytes_per_s == Approx(679e9).epsilon(0.03));
  CHECK(rates.dram.write_bytes_per_s == Approx(679e9).epsilon(0.03));
  CHECK(rates.dram.copy_bytes_per_s == Approx(653e9).epsilon(0.07));
}

TEST_CASE("held out: an RTX 3090 fetches lines at random as miners saw it do", "[complete_profile]") {
  // A hash of Ethash reads 64 lines of 128 bytes in random order (the yellow paper, appendix J: "64 accesses"). An RTX
  // 3090 makes 100 million a second (github.com/ethereum-mining/ethminer/issues/2255, 2021), 120 overclocked.
  const Rates rates = load_profile("rtx3090").rates;
  const double lone_lines = 1 / (1 / rates.l2.load_lines_per_s + 1 / rates.l2.load_line_pairs_per_s);
  const double by_memory = rates.dram.read_bytes_per_s / 128;
  CHECK(std::min(lone_lines, by_memory) == Approx(64 * 100e6).epsilon(0.05));
  CHECK(lone_lines == Approx(64 * 100e6).epsilon(0.1));
}

}  // namespace gpumem::model::test_complete_profile
