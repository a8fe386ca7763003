#pragma once
// A case of grayscale in numbers: the places of its pixels' bytes, its accesses to memory, and the time that it should
// take.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/access/host_device.hpp"
#include "engine/access/site.hpp"
#include "engine/machine/device.hpp"
#include "probes/probe.hpp"

namespace gpumem::kernels {

inline constexpr unsigned channels = 3;          ///< red, green and blue, a byte each
inline constexpr unsigned pixels_per_word = 16;  ///< of one channel, in the 16 bytes that one instruction moves

/// 0.299 R + 0.587 G + 0.114 B in integers: 256ths that add up to 256, rounded half up. 77 / 256 is 0.301, 150 / 256
/// 0.586 and 29 / 256 0.113. Three multiply-adds and a shift.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t grey_of(std::uint32_t red, std::uint32_t green,
                                                                 std::uint32_t blue) {
  return (77 * red + 150 * green + 29 * blue + 128) >> 8U;
}
inline constexpr unsigned instructions_per_pixel = 4;

/// The three bytes of a pixel side by side.
struct PackedPixels {
  std::uint64_t plane_bytes;  ///< unused: there is one

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t byte(std::uint64_t pixel, unsigned channel) const {
    return pixel * channels + channel;
  }
  /// Offset in bytes of the k-th of the three words that hold a group of pixels.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t word_byte(std::uint64_t group, unsigned k) const {
    return (group * channels + k) * pixels_per_word;
  }
};

/// All red bytes, then all green ones, then all blue ones.
struct PlanarPixels {
  std::uint64_t plane_bytes;

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t byte(std::uint64_t pixel, unsigned channel) const {
    return channel * plane_bytes + pixel;
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t word_byte(std::uint64_t group, unsigned k) const {
    return k * plane_bytes + group * pixels_per_word;
  }
};

enum class Pixels { packed, planar, packed_vector, planar_vector };

namespace axis {
inline constexpr Number image{"image"};
inline constexpr Choice<Pixels> pixels{"pixels", {"packed", "planar", "packed-vector", "planar-vector"}};
}  // namespace axis

struct Grayscale {
  static constexpr unsigned block_threads = 256;

  std::uint64_t side;
  bool packed;    ///< a pixel's bytes side by side, else in planes of their own
  bool by_words;  ///< a thread has 16 pixels, else one

  explicit Grayscale(const Case& decided);

  [[nodiscard]] std::uint64_t pixels() const { return side * side; }
  /// Groups of 16 pixels. The last one may reach into the padding, which is then read and written too.
  [[nodiscard]] std::uint64_t groups() const { return (pixels() + pixels_per_word - 1) / pixels_per_word; }
  [[nodiscard]] std::uint64_t plane_bytes() const;  ///< a multiple of a line, as the grey image has it too
  [[nodiscard]] std::uint64_t image_bytes() const { return channels * plane_bytes(); }
  [[nodiscard]] std::uint64_t threads() const { return by_words ? groups() : pixels(); }
  [[nodiscard]] std::uint64_t blocks() const { return (threads() + block_threads - 1) / block_threads; }
  /// Images that launches take in turns, so that none is in L2 when its turn comes.
  [[nodiscard]] std::uint64_t images(const Device& device) const;

  [[nodiscard]] std::vector<access::Site> sites() const;

  /// Calls visit(the layout of its pixels).
  template <class Visitor>
  decltype(auto) with_layout(Visitor&& visit) const {
    return packed ? visit(PackedPixels{plane_bytes()}) : visit(PlanarPixels{plane_bytes()});
  }
};

/// The time of a case at the speed of light.
struct SpeedOfLight {
  double memory_s;   ///< useful bytes at the theoretical bandwidth
  double compute_s;  ///< the arithmetic of the pixels, at 64 instructions a cycle and multiprocessor
  double launch_s;

  [[nodiscard]] double seconds() const { return memory_s + compute_s + launch_s; }
};
[[nodiscard]] SpeedOfLight speed_of_light(const Workload& workload, const Device& device, double launch_s);

/// The probe's metrics by their names, for a launch that takes so long.
[[nodiscard]] std::vector<std::pair<std::string, double>> metrics_of(const SpeedOfLight& light, double seconds);

}  // namespace gpumem::kernels
