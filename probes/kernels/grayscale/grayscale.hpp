#pragma once
// A case of grayscale in numbers: the places of its pixels' channels, its accesses to memory, and the time that it
// should take.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/access/host_device.hpp"
#include "engine/access/site.hpp"
#include "engine/machine/device.hpp"
#include "probes/element_type.hpp"
#include "probes/probe.hpp"

namespace gpumem::kernels {

inline constexpr unsigned channels = 3;          ///< red, green and blue
inline constexpr unsigned grey_word_bytes = 16;  ///< that one instruction moves, where a thread has several pixels

/// The weights 0.299, 0.587 and 0.114 of red, green and blue as 256ths, which add up to 256: 77 / 256 is 0.301, 150 /
/// 256 0.586 and 29 / 256 0.113.
inline constexpr std::uint32_t red_weight = 77;
inline constexpr std::uint32_t green_weight = 150;
inline constexpr std::uint32_t blue_weight = 29;
inline constexpr std::uint32_t whole_weight = 256;

/// The grey of bytes, rounded half up. Three multiply-adds and a shift.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t grey_of(std::uint32_t red, std::uint32_t green,
                                                                 std::uint32_t blue) {
  return (red_weight * red + green_weight * green + blue_weight * blue + whole_weight / 2) / whole_weight;
}
inline constexpr unsigned instructions_per_byte_pixel = 4;
/// The grey of numbers takes a multiplication and two multiply-adds.
inline constexpr unsigned instructions_per_real_pixel = 3;
inline constexpr unsigned flops_per_real_pixel = 5;

/// The three channels of a pixel side by side.
struct PackedPixels {
  std::uint64_t plane;  ///< unused: there is one

  /// Place of a channel of a pixel, in elements.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t element(std::uint64_t pixel, unsigned channel) const {
    return pixel * channels + channel;
  }
  /// Place, in elements, of the k-th of the three words that hold a group of so many pixels.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t word(std::uint64_t group, unsigned k,
                                                                unsigned group_pixels) const {
    return (group * channels + k) * group_pixels;
  }
};

/// The red of all pixels, then all green, then all blue.
struct PlanarPixels {
  std::uint64_t plane;  ///< elements from one channel to the next

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t element(std::uint64_t pixel, unsigned channel) const {
    return channel * plane + pixel;
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t word(std::uint64_t group, unsigned k,
                                                                unsigned group_pixels) const {
    return k * plane + group * group_pixels;
  }
};

enum class Pixels { packed, planar, packed_vector, planar_vector };

namespace axis {
inline constexpr Number image{"image"};
inline constexpr Choice<Pixels> pixels{"pixels", {"packed", "planar", "packed-vector", "planar-vector"}};
inline constexpr Choice<ElementType> channel_type{"type",
                                                  {{"uint8", ElementType::uint8},
                                                   {"float", ElementType::float32},
                                                   {"half", ElementType::half},
                                                   {"bfloat16", ElementType::bfloat16}}};
}  // namespace axis

struct Grayscale {
  static constexpr unsigned block_threads = 256;

  std::uint64_t side;
  ElementType type;  ///< of a channel: bytes are 0 to 255, numbers at least 0 and less than 1
  bool packed;       ///< a pixel's channels side by side, else in planes of their own
  bool by_words;     ///< a thread has the pixels of a word, else one

  explicit Grayscale(const Case& decided);

  [[nodiscard]] std::uint64_t pixels() const { return side * side; }
  /// Pixels whose values of one channel fill a word: 4, 8 or 16.
  [[nodiscard]] unsigned group_pixels() const { return grey_word_bytes / bytes_of(type); }
  /// Groups of pixels. The last one may reach into the padding, which is then read and written too.
  [[nodiscard]] std::uint64_t groups() const { return (pixels() + group_pixels() - 1) / group_pixels(); }
  [[nodiscard]] std::uint64_t plane_bytes() const;  ///< a multiple of a line, as the grey image has it too
  [[nodiscard]] std::uint64_t plane_elements() const { return plane_bytes() / bytes_of(type); }
  [[nodiscard]] std::uint64_t image_bytes() const { return channels * plane_bytes(); }
  [[nodiscard]] std::uint64_t threads() const { return by_words ? groups() : pixels(); }
  [[nodiscard]] std::uint64_t blocks() const { return (threads() + block_threads - 1) / block_threads; }
  /// Images that launches take in turns, so that none is in L2 when its turn comes.
  [[nodiscard]] std::uint64_t images(const Device& device) const;

  [[nodiscard]] std::vector<access::Site> sites() const;
  /// Useful bytes, and useful flops unless channels are bytes. Nothing else is set.
  [[nodiscard]] Workload useful_work() const;

  /// Calls visit(the layout of its pixels).
  template <class Visitor>
  decltype(auto) with_layout(Visitor&& visit) const {
    return packed ? visit(PackedPixels{plane_elements()}) : visit(PlanarPixels{plane_elements()});
  }
};

/// The time of a case at the speed of light.
struct SpeedOfLight {
  double memory_s;   ///< useful bytes at the theoretical bandwidth
  double compute_s;  ///< the arithmetic of the pixels, without conversions from and to narrow types
  double launch_s;

  [[nodiscard]] double seconds() const { return memory_s + compute_s + launch_s; }
};
/// Takes the useful bytes and flops of a workload.
[[nodiscard]] SpeedOfLight speed_of_light(const Workload& workload, const Device& device, double launch_s);

/// The probe's metrics by their names, for a launch that takes so long.
[[nodiscard]] std::vector<std::pair<std::string, double>> metrics_of(const SpeedOfLight& light, double seconds);

}  // namespace gpumem::kernels
