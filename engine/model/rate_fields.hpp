#pragma once
// The rates as lines of a table. The reader and the writer of profiles, how a rate scales to another GPU, the schema of
// profile files and docs/rates.md follow from it.

#include <span>

#include "engine/model/rates.hpp"

namespace gpumem::model {

/// The quantity that a rate is counted by, and by which it differs from one GPU to another (docs/method.md, What a
/// profile leaves out).
enum class Scale {
  nothing,   ///< nothing that a device says of itself
  memory,    ///< bytes that memory moves: channels x their width x the memory's clock
  channels,  ///< rows that memory opens: each channel some a second, whatever its width and clock
  l2,        ///< what slices of L2 serve: their number x the clock of L2
  chip,      ///< what multiprocessors do: their number x their clock
  link,      ///< bytes that the host link moves
  clock      ///< a time by nature, told in cycles of the multiprocessors
};

/// The values that a profile may give a rate.
struct RateRange {
  double least = 1e-18;  ///< no sum or product gets near the ends of what a double holds
  double most = 1e24;
};

struct RateField {
  const char* name = nullptr;  ///< in profile files; it ends in the unit
  RateId id = {};
  Scale scale = Scale::nothing;
  const char* sentence = nullptr;  ///< for docs/rates.md
  RateRange range = {};
  bool read_off = false;  ///< no launch depends on it: of copies, of the host, of chases, of other GPUs
  bool carried = false;   ///< a constant of the model's formulas: `gpumem calibrate` carries it over, never fits it
  /// True if neither the device's attributes nor measurements of another GPU tell the rate. A profile that leaves it
  /// out does not know it: it is 0 then, and cases whose subject needs it are not predicted (needed_rates()).
  bool measured_only = false;
};

/// The rates by name, in the order of profile files: the one place that lists them.
[[nodiscard]] std::span<const RateField> rate_fields();

[[nodiscard]] const RateField& field_of(RateId rate);

}  // namespace gpumem::model
