#pragma once
// What a GPU should reach, as plain data.

#include <optional>
#include <string>
#include <vector>

#include "engine/machine/device.hpp"

namespace gpumem::report {

struct ExpectedValue {
  std::string quantity;  ///< whose name ends in its unit: "memory_read_gb_per_s"
  std::string group;     ///< which table of several GPUs it stands in: "bandwidth"
  std::string title;     ///< in words: "memory read"
  /// Of what says the same as the value before in another unit: then only programs get a row of it.
  bool in_other_unit = false;
  double value = 0;
  /// Within which measurements of healthy GPUs lie; absent where nobody knows.
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::optional<double> peak = {};  ///< the best that the hardware could do
  std::string source;               ///< for programs: "measured", "fitted", "published", "scaled", ...
  std::string source_words;         ///< for people: "published (Jia et al.)"
  std::string how;                  ///< what the profile says of the rate that decides it
  std::string command;              ///< that measures it
};

struct ExpectedGpu {
  Device device;
  std::optional<std::string> profile;  ///< its name; absent where all follows from the device's attributes
  bool is_own = false;                 ///< the user's: it tells what one GPU reached, not what healthy ones do
  std::vector<ExpectedValue> values;   ///< what is not known is left out
};

}  // namespace gpumem::report
