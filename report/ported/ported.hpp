#pragma once
// The kernels of a recorded program on other GPUs, as plain data: "here" is the GPU of the recording, "there" another.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/machine/device.hpp"

namespace gpumem::report {

/// A time with the interval that nine of ten lie in.
struct PortedTime {
  double seconds = 0;
  double low = 0;
  double high = 0;
};

/// The things that a price does not know of a kernel on another GPU. The names are keys that stay.
struct PortNote {
  std::string_view name;
  std::string_view mark;   ///< in tables
  std::string_view words;  ///< a sentence without its end
};
inline constexpr const char* other_algorithm_note = "library_may_choose_another";
inline constexpr const char* grid_note = "grid_follows_multiprocessors";
inline constexpr const char* l2_note = "fits_one_l2_only";
inline constexpr const char* limit_note = "another_limit";
inline constexpr PortNote port_notes[] = {
    {other_algorithm_note, "a", "its library may choose another kernel there"},
    {grid_note, "b",
     "it has a few blocks for each multiprocessor here: there it probably has another number of blocks"},
    {l2_note, "c", "what it touches fits the larger L2 of the two alone"},
    {limit_note, "d", "something else limits it there, so that only a part of the model's error here is carried over"},
};

/// A kernel of the report on another GPU. Times are of one launch.
struct PortedKernel {
  std::size_t result = 0;                  ///< index into the report's results
  std::optional<double> here_s = {};       ///< measured here, the median
  std::optional<double> all_here_s = {};   ///< of all launches, measured here
  std::optional<double> predicted_s = {};  ///< there, by the model alone
  std::optional<PortedTime> there = {};    ///< as far off the model as here
  std::string limit_here = {};             ///< stages of the model; empty if not known
  std::string limit_there = {};
  std::optional<std::size_t> place_here = {};  ///< by the time of all launches, from 1, of the kernels with both times
  std::optional<std::size_t> place_there = {};
  std::string no_time = {};             ///< why there is no time; empty if there is one
  std::vector<std::string> notes = {};  ///< names of port_notes

  /// The time of all launches there.
  [[nodiscard]] std::optional<PortedTime> all_there() const {
    if (!there || !all_here_s || !here_s || *here_s <= 0) return std::nullopt;
    const double launches = *all_here_s / *here_s;
    return PortedTime{there->seconds * launches, there->low * launches, there->high * launches};
  }
};

/// The kernels of a report on one other GPU.
struct PortedGpu {
  Device device;
  std::string profile;                     ///< its name
  std::vector<PortedKernel> kernels = {};  ///< the longest here first
  bool other_machine_code = false;         ///< code for the GPU here does not run there, or another is compiled
  double here_s = 0;                       ///< sums over the kernels with both times
  PortedTime there = {};
  std::optional<double> time_share = {};  ///< of the program's GPU time here, these kernels'
};

/// A program on other GPUs.
struct Ported {
  std::string name;  ///< of the report
  std::vector<PortedGpu> gpus;
};

}  // namespace gpumem::report
