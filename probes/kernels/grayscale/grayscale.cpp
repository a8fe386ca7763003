#include "probes/kernels/grayscale/grayscale.hpp"

#include <algorithm>

#include "engine/model/arithmetic.hpp"
#include "probes/requests.hpp"

namespace gpumem::kernels {

namespace {

/// All images together are so many times as large as L2.
constexpr std::uint64_t l2_multiple = 4;

/// 32-bit multiply-adds per cycle and multiprocessor (CUDA C++ Programming Guide, arithmetic instructions, for compute
/// capability 7.0 to 9.0): of integers, and the least of floats.
constexpr double multiply_adds_per_cycle = 64;

}  // namespace

Grayscale::Grayscale(const Case& decided) : side(decided[axis::image]), type(decided[axis::channel_type]) {
  const Pixels pixels = decided[axis::pixels];
  packed = pixels == Pixels::packed || pixels == Pixels::packed_vector;
  by_words = pixels == Pixels::packed_vector || pixels == Pixels::planar_vector;
}

std::uint64_t Grayscale::plane_bytes() const {
  return (groups() * grey_word_bytes + access::line_bytes - 1) / access::line_bytes * access::line_bytes;
}

std::uint64_t Grayscale::images(const Device& device) const {
  const std::uint64_t bytes = image_bytes() + plane_bytes();
  return std::max((l2_multiple * device.l2_bytes + bytes - 1) / bytes, std::uint64_t{1});
}

std::vector<access::Site> Grayscale::sites() const {
  const std::uint32_t element_bytes = bytes_of(type);
  const std::uint32_t word_bytes = by_words ? grey_word_bytes : element_bytes;
  const std::uint64_t warps = (threads() + access::warp_lanes - 1) / access::warp_lanes;
  const auto load = [=, grayscale = *this](std::uint64_t k) {
    const auto channel = static_cast<unsigned>(k % channels);
    const std::uint64_t first = k / channels * access::warp_lanes;
    const auto address = [&](unsigned lane) {
      return grayscale.with_layout([&](const auto& layout) {
        return element_bytes * (grayscale.by_words ? layout.word(first + lane, channel, grayscale.group_pixels())
                                                   : layout.element(first + lane, channel));
      });
    };
    return warp_request(word_bytes, address, grayscale.threads() - first);
  };
  const auto store = [=, threads = threads()](std::uint64_t k) { return consecutive_request(word_bytes, k, threads); };
  return {{.name = "rgb",
           .op = access::Op::load,
           .word_bytes = word_bytes,
           .instructions = channels,
           .requests = channels * warps,
           .extent_bytes = image_bytes(),
           .request = load},
          {.name = "grey",
           .op = access::Op::store,
           .word_bytes = word_bytes,
           .requests = warps,
           .extent_bytes = plane_bytes(),
           .request = store}};
}

Workload Grayscale::useful_work() const {
  Workload workload;
  workload.useful_bytes_read = channels * pixels() * bytes_of(type);
  workload.useful_bytes_written = pixels() * bytes_of(type);
  if (type != ElementType::uint8) workload.useful_flops = flops_per_real_pixel * pixels();
  return workload;
}

SpeedOfLight speed_of_light(const Workload& workload, const Device& device, double launch_s) {
  // A pixel of bytes writes one byte.
  const double instructions =
      workload.useful_flops
          ? instructions_per_real_pixel * static_cast<double>(*workload.useful_flops) / flops_per_real_pixel
          : instructions_per_byte_pixel * static_cast<double>(workload.useful_bytes_written);
  const double per_cycle =
      workload.useful_flops ? fma_per_cycle(device, false).value_or(multiply_adds_per_cycle) : multiply_adds_per_cycle;
  const double cycles = instructions / (per_cycle * device.multiprocessors);
  return {.memory_s = static_cast<double>(workload.useful_bytes()) / device.theoretical_bandwidth_bytes_per_s(),
          .compute_s = cycles / static_cast<double>(device.sm_clock_hz),
          .launch_s = launch_s};
}

std::vector<std::pair<std::string, double>> metrics_of(const SpeedOfLight& light, double seconds) {
  constexpr double us = 1e6;
  constexpr double percent = 100;
  return {{"memory_us", light.memory_s * us},
          {"compute_us", light.compute_s * us},
          {"launch_us", light.launch_s * us},
          {"expected_us", light.seconds() * us},
          {"of_expected_percent", light.seconds() / seconds * percent}};
}

}  // namespace gpumem::kernels
