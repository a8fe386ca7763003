// The profile of a device: the shipped one of its kind, else one guessed from its attributes.

#include <cmath>

#include "engine/model/profile.hpp"
#include "engine/model/rate_fields.hpp"
#include "tests/catch.hpp"
#include "tests/probes/predictions/cases.hpp"

namespace gpumem::model::test_profile_scaling {

namespace {

/// An H200 by all but its name.
Device unknown_device() {
  Device device = load_profile("h200").device;
  device.name = "Some GPU";
  return device;
}

constexpr RateId memory_rates[] = {rate_ids.dram.read_bytes_per_s, rate_ids.dram.write_bytes_per_s,
                                   rate_ids.dram.copy_bytes_per_s, rate_ids.dram.split_sectors_per_s};
constexpr RateId line_rates[] = {rate_ids.l2.load_lines_per_s, rate_ids.l2.fill_lines_per_s,
                                 rate_ids.l2.store_lines_per_s};
constexpr RateId row_rates[] = {rate_ids.l2.load_line_pairs_per_s, rate_ids.l2.fill_line_pairs_per_s,
                                rate_ids.l2.store_line_pairs_per_s};
constexpr RateId l2_rates[] = {rate_ids.l2.load_sectors_per_s, rate_ids.l2.store_sectors_per_s,
                               rate_ids.l2.split_sectors_per_s, rate_ids.l2.read_requests_per_s};
constexpr RateId chip_rates[] = {rate_ids.l2.store_collisions_per_s, rate_ids.launch.blocks_per_s};
constexpr RateId link_rates[] = {rate_ids.link.to_device_bytes_per_s, rate_ids.link.to_host_bytes_per_s,
                                 rate_ids.link.both_ways_bytes_per_s, rate_ids.link.load_lines_per_s,
                                 rate_ids.link.load_sectors_per_s,    rate_ids.link.write_bytes_per_s,
                                 rate_ids.link.partial_writes_per_s,  rate_ids.link.copy_bytes_per_s};
constexpr RateId other_rates[] = {rate_ids.waiting.load_latency_s,
                                  rate_ids.launch.fixed_s,
                                  rate_ids.shared.wavefronts_per_cycle,
                                  rate_ids.copy.to_device_s,
                                  rate_ids.copy.to_host_s,
                                  rate_ids.copy.batched_s,
                                  rate_ids.copy.to_device_call_s,
                                  rate_ids.copy.to_host_call_s,
                                  rate_ids.host.wait_s,
                                  rate_ids.host.streams_join_s,
                                  rate_ids.copy.pageable_s,
                                  rate_ids.host.staging_to_device_bytes_per_s,
                                  rate_ids.host.staging_cached_to_device_bytes_per_s,
                                  rate_ids.host.staging_to_host_bytes_per_s,
                                  rate_ids.host.cache_bytes,
                                  rate_ids.host.copy_bytes_per_s,
                                  rate_ids.host.copy_piece_s,
                                  rate_ids.link.latency_s,
                                  rate_ids.latency.l1_cycles,
                                  rate_ids.latency.memory_cycles,
                                  rate_ids.l1.bytes,
                                  rate_ids.l2.near_share,
                                  rate_ids.nvlink.efficiency,
                                  rate_ids.peer.copy_s};

/// Factors of a profile's rates over the H200's, by what the rates are counted by.
struct Times {
  double memory = 1;
  double channels = 1;
  double l2 = 1;
  double chip = 1;
  double link = 1;
  double clock = 1;
};

void check_scaled(const Rates& rates, const Times& times) {
  const Rates reference = load_profile("h200").rates;
  const auto check = [&](const auto& members, double factor) {
    for (const auto rate : members) CHECK(rates[rate] == Approx(reference[rate] * factor));
  };
  check(memory_rates, times.memory);
  check(line_rates, times.memory);
  check(row_rates, times.channels);
  check(l2_rates, times.l2);
  check(chip_rates, times.chip);
  check(link_rates, times.link);
  CHECK(rates.latency.host_cycles == Approx(reference.latency.host_cycles * times.clock));
  for (const auto rate : other_rates) CHECK(rates[rate] == reference[rate]);
}

}  // namespace

TEST_CASE("a device of a shipped profile gets its rates and keeps its own attributes", "[profile]") {
  for (const std::string& name : profile_names()) {
    const Profile shipped = load_profile(name);
    if (!shipped.gpus.empty()) continue;
    Device device = shipped.device;
    device.uuid = "GPU-1";
    device.multiprocessors = 16;
    device.free_memory_bytes = 5;
    const Profile profile = profile_of(device);
    CHECK(profile.name == name);
    CHECK_FALSE(profile.from_attributes);
    CHECK(profile.rates.dram.read_bytes_per_s == shipped.rates.dram.read_bytes_per_s);
    CHECK(profile.how == shipped.how);
    CHECK(profile.device.uuid == "GPU-1");
    CHECK(profile.device.multiprocessors == 16);
    CHECK(profile.device.free_memory_bytes == 5U);
  }
}

TEST_CASE("a GPU of a node is one of its kind, whatever the profile of the node is called", "[profile]") {
  const Device device = load_profile("h200x8").gpus.at(3);
  CHECK(profile_of(device).name == "h200");
  CHECK(profile_of(device).gpus.empty());
  CHECK(profile_of(device).device.links.size() == 8);
}

TEST_CASE("a device like the reference but unknown gets its rates, marked as a guess", "[profile]") {
  const Profile profile = profile_of(unknown_device());
  CHECK(profile.from_attributes);
  CHECK(profile.name == "Some GPU");
  CHECK(profile.device.name == "Some GPU");
  CHECK(profile.source == ProfileSource::attributes);
  for (const auto& [rate, how] : profile.how) CHECK(how.ends_with("; not measured"));
  const auto measured_only = std::ranges::count_if(rate_fields(), &RateField::measured_only);
  CHECK(profile.how.size() + static_cast<std::size_t>(measured_only) == rate_fields().size());
  check_scaled(profile.rates, {});
}

TEST_CASE("an unknown device's rates scale with what its memory, its chip and its link can do", "[profile]") {
  Device device = unknown_device();
  device.memory_clock_hz = device.memory_clock_hz * 3 / 4;
  check_scaled(profile_of(device).rates, {.memory = 0.75});
  device.memory_clock_hz = unknown_device().memory_clock_hz / 2;  // HBM2E, whose channels are twice as wide
  check_scaled(profile_of(device).rates, {.memory = 0.5, .channels = 0.5});

  device = unknown_device();
  device.memory_bus_bits /= 2;
  check_scaled(profile_of(device).rates, {.memory = 0.5, .channels = 0.5});

  device = unknown_device();
  device.multiprocessors = 66;
  check_scaled(profile_of(device).rates, {.chip = 0.5});
  device.sm_clock_hz = device.sm_clock_hz * 4 / 3;
  check_scaled(profile_of(device).rates, {.l2 = 4.0 / 3, .chip = 2.0 / 3, .clock = 4.0 / 3});
  device.compute_capability = "8.0";  // slices of another L2
  device.memory_bus_bits /= 2;
  check_scaled(profile_of(device).rates,
               {.memory = 0.5, .channels = 0.5, .l2 = 2.0 / 3, .chip = 2.0 / 3, .clock = 4.0 / 3});

  device = unknown_device();
  device.pcie_generation = 4;
  device.pcie_width = 8;
  check_scaled(profile_of(device).rates, {.link = 0.25});
  device.link_is_pcie = false;  // nothing is known of another link
  check_scaled(profile_of(device).rates, {});
}

TEST_CASE("a device that does not tell a clock is still predicted", "[profile]") {
  Device device = unknown_device();
  device.memory_clock_hz = 0;
  device.multiprocessors = 66;
  device.l2_bytes /= 2;
  check_scaled(profile_of(device).rates, {.memory = 0.5, .channels = 0.5, .l2 = 0.5, .chip = 0.5});
  const Prediction prediction =
      test::predict(test::global_case("offset", std::uint64_t{0}, "copy"), profile_of(device));
  CHECK(std::isfinite(prediction.seconds));
  CHECK(prediction.bytes_per_s > 0);

  device = unknown_device();
  device.memory_clock_hz = 0;
  device.memory_bus_bits = 0;
  device.sm_clock_hz = 0;
  check_scaled(profile_of(device).rates, {});
}

TEST_CASE("a guess for a known kind of GPU is of the right size", "[profile]") {
  Device device = load_profile("v100").device;
  device.name = "Tesla V100-SXM2-32GB";
  const Profile guessed = profile_of(device);
  CHECK(guessed.from_attributes);
  const Profile known = load_profile("v100");
  for (const std::uint64_t stride : {1U, 2U, 8U, 32U}) {
    for (const std::string op : {"read", "write", "copy"}) {
      INFO(op << ", stride " << stride);
      const Case tested = test::global_case("stride", stride, op);
      CHECK(test::gb_per_s(test::predict(tested, guessed)) ==
            Approx(test::gb_per_s(test::predict(tested, known))).epsilon(0.35));
    }
  }
}

TEST_CASE("a guess stays below the device's theoretical bandwidth", "[profile]") {
  for (const double factor : {0.02, 0.2, 1.0, 1.7}) {
    Device device = unknown_device();
    device.memory_clock_hz = static_cast<std::uint64_t>(static_cast<double>(device.memory_clock_hz) * factor);
    device.l2_bytes = 4U << 20U;
    for (const std::string op : {"read", "write", "copy"}) {
      const Prediction prediction =
          test::predict(test::global_case("offset", std::uint64_t{0}, op), profile_of(device));
      CHECK(prediction.bytes_per_s > 0);
      CHECK(prediction.bytes_per_s < device.theoretical_bandwidth_bytes_per_s());
    }
  }
}

}  // namespace gpumem::model::test_profile_scaling
