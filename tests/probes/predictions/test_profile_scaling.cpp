// The profile of a device: the shipped one of its kind, else one guessed from its attributes.

#include <cmath>

#include "engine/model/profile.hpp"
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

constexpr double Rates::*memory_rates[] = {&Rates::dram_read_bytes_per_s, &Rates::dram_write_bytes_per_s,
                                           &Rates::dram_copy_bytes_per_s, &Rates::dram_split_sectors_per_s};
constexpr double Rates::*line_rates[] = {&Rates::l2_load_lines_per_s, &Rates::l2_fill_lines_per_s,
                                         &Rates::l2_store_lines_per_s};
constexpr double Rates::*row_rates[] = {&Rates::l2_load_line_pairs_per_s, &Rates::l2_fill_line_pairs_per_s,
                                        &Rates::l2_store_line_pairs_per_s};
constexpr double Rates::*l2_rates[] = {&Rates::l2_load_sectors_per_s, &Rates::l2_store_sectors_per_s,
                                       &Rates::l2_split_sectors_per_s, &Rates::l2_read_requests_per_s};
constexpr double Rates::*chip_rates[] = {&Rates::l2_store_collisions_per_s, &Rates::block_launches_per_s};
constexpr double Rates::*link_rates[] = {&Rates::pcie_to_device_bytes_per_s, &Rates::pcie_to_host_bytes_per_s,
                                         &Rates::pcie_both_ways_bytes_per_s, &Rates::pcie_load_lines_per_s,
                                         &Rates::pcie_load_sectors_per_s,    &Rates::pcie_write_bytes_per_s,
                                         &Rates::pcie_partial_writes_per_s,  &Rates::pcie_copy_bytes_per_s};
constexpr double Rates::*other_rates[] = {&Rates::load_latency_s,
                                          &Rates::launch_s,
                                          &Rates::shared_wavefronts_per_cycle,
                                          &Rates::copy_to_device_s,
                                          &Rates::copy_to_host_s,
                                          &Rates::copy_batched_s,
                                          &Rates::copy_to_device_call_s,
                                          &Rates::copy_to_host_call_s,
                                          &Rates::host_wait_s,
                                          &Rates::streams_join_s,
                                          &Rates::pageable_copy_s,
                                          &Rates::staging_to_device_bytes_per_s,
                                          &Rates::staging_cached_to_device_bytes_per_s,
                                          &Rates::staging_to_host_bytes_per_s,
                                          &Rates::host_cache_bytes,
                                          &Rates::host_copy_bytes_per_s,
                                          &Rates::host_copy_piece_s,
                                          &Rates::pcie_latency_s,
                                          &Rates::l1_latency_cycles,
                                          &Rates::memory_latency_cycles,
                                          &Rates::l1_bytes,
                                          &Rates::l2_near_share,
                                          &Rates::nvlink_efficiency,
                                          &Rates::peer_copy_s};

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
    for (const auto rate : members) CHECK(rates.*rate == Approx(reference.*rate * factor));
  };
  check(memory_rates, times.memory);
  check(line_rates, times.memory);
  check(row_rates, times.channels);
  check(l2_rates, times.l2);
  check(chip_rates, times.chip);
  check(link_rates, times.link);
  CHECK(rates.host_latency_cycles == Approx(reference.host_latency_cycles * times.clock));
  for (const auto rate : other_rates) CHECK(rates.*rate == reference.*rate);
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
    CHECK(profile.rates.dram_read_bytes_per_s == shipped.rates.dram_read_bytes_per_s);
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
