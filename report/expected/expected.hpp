#pragma once
// The values that a GPU should reach, as plain data.

#include <optional>
#include <string>
#include <vector>

#include "engine/machine/device.hpp"

namespace gpumem::report {

struct ExpectedValue {
  std::string quantity;  ///< its name, which ends in the unit: "memory_read_gb_per_s"
  std::string group;     ///< its table among those of several GPUs: "bandwidth"
  std::string title;     ///< in words: "memory read"
  /// True if this is the value before it in another unit. Tables for people show it beside that value, without a row of
  /// its own.
  bool in_other_unit = false;
  double value = 0;
  /// The range in which measurements of healthy GPUs lie; absent if unknown.
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::optional<double> peak = {};  ///< the best that the hardware could do
  std::string rate;                 ///< of the profile, by its name: the one that decides the value
  std::string source;               ///< of the rate, for programs: "measured", "fitted", "published", "scaled", ...
  std::string source_words;         ///< of the rate, for people: "published (Jia et al.)"
  std::string how;                  ///< the profile's note on the rate
  std::string command;              ///< the command that measures it
};

struct ExpectedGpu {
  Device device;
  std::optional<std::string> profile;  ///< its name; absent if all follows from the device's attributes
  /// The name of the GPU among several: that of its profile, or if two profiles share it the text that chose this one.
  /// Without a profile it is the device's name.
  std::string label = {};
  bool is_own = false;                ///< the user's own: what one GPU reached, not what healthy ones do
  std::vector<ExpectedValue> values;  ///< unknown ones are left out
};

}  // namespace gpumem::report
