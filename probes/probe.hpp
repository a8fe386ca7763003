#pragma once
// What a probe is: a value that declares its axes, describes each case to the model, and prepares it for a GPU.
// Each probe lives in one file that ends in `GPUMEM_PROBE(make_probe);`.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "probes/access/site.hpp"
#include "probes/device.hpp"

namespace gpumem {

namespace measure {
class Session;
class Experiment;
}  // namespace measure

/// The value of an axis: a non-negative integer or a name. The name "auto" stands for a choice yet to be made.
using Value = std::variant<std::uint64_t, std::string>;
[[nodiscard]] std::string to_string(const Value& value);

/// One thing a probe can vary. `flag` is what the user types (without dashes), `parameter` the name in reports.
struct Axis {
  std::string flag;
  std::string parameter;
  std::string unit = {};                    ///< "elements", "bytes", ...; empty for names
  std::string purpose;                      ///< one line: what it varies and why one would
  std::string defaults;                     ///< in the syntax of the command line: "0..32"
  std::string quick = {};                   ///< values in the quick default set; empty: as `defaults`
  std::vector<std::string> names = {};      ///< the names it takes; empty: it takes numbers
  std::vector<std::uint64_t> numbers = {};  ///< the only numbers it takes; empty: any in [minimum, maximum]
  std::uint64_t minimum = 0;
  std::uint64_t maximum = std::uint64_t{1} << 40U;
  bool takes_auto = false;
  /// With takes_auto: the values to try at the baseline case, in order of preference; the fastest is held for the whole
  /// sweep. Empty: the probe's `size` decides from the device instead.
  std::vector<std::uint64_t> candidates = {};
};

struct Parameter {
  std::string name;
  Value value;
  bool operator==(const Parameter&) const = default;
};

struct Probe;

/// A probe with one value on every axis, in the order of the axes.
struct Case {
  const Probe* probe = nullptr;
  std::vector<Parameter> parameters = {};

  [[nodiscard]] const Value& value(std::string_view parameter) const;    ///< throws std::logic_error if unknown
  [[nodiscard]] std::uint64_t number(std::string_view parameter) const;  ///< throws std::logic_error if not a number
  [[nodiscard]] const std::string& name(std::string_view parameter) const;
  [[nodiscard]] bool is_auto(std::string_view parameter) const;
  void set(std::string_view parameter, Value value);
};

/// What one launch of a case does, independent of any GPU: what the model reads and the counters confirm.
struct Workload {
  /// The theoretical rate that `fraction_of_peak` refers to.
  enum class Peak { device_memory, shared_memory };

  std::string kernel;  ///< demangled name of the kernel in the compiled code
  std::vector<access::Site> sites;
  std::uint64_t useful_bytes_read = 0;     ///< per launch
  std::uint64_t useful_bytes_written = 0;  ///< per launch
  std::uint64_t allocated_bytes = 0;       ///< device memory the case needs at once
  std::uint64_t blocks = 0;
  unsigned block_threads = 0;
  unsigned shared_bytes_per_block = 0;
  Peak peak = Peak::device_memory;

  [[nodiscard]] std::uint64_t useful_bytes() const { return useful_bytes_read + useful_bytes_written; }
};

/// A number a probe reports where bandwidth is not the whole point. The name carries the unit: "cycles_per_request".
struct Metric {
  std::string name;
  std::string purpose;
};

/// A case in one line: "offset offset_elements=1 op=copy ...". Progress shows it, and profilers as the range of its
/// work.
[[nodiscard]] std::string to_string(const Case& one);

struct Probe {
  std::string name;
  std::string purpose;     ///< one line
  std::vector<Axis> axes;  ///< the first is the one a sweep varies; its flag alone selects the probe
  Value baseline;          ///< the first axis' value that the rest of a sweep is related to
  std::vector<Metric> metrics = {};

  /// Describes a case all of whose values are decided. Host only; needs no GPU.
  std::function<Workload(const Case&, const Device&)> describe = {};
  /// Throws a usage error when values that are each valid do not go together. May be empty.
  std::function<void(const Case&)> validate = {};
  /// Decides, for a whole sweep at once, the `auto` values without candidates, given what memory the device has free.
  std::function<void(std::span<Case>, const Device&)> size = {};
  /// Readies a case on the GPU of the session. Throws a probe error if it cannot run.
  std::function<std::unique_ptr<measure::Experiment>(const Case&, measure::Session&)> prepare = {};

  [[nodiscard]] const Axis* find_axis(std::string_view parameter) const;
};

/// All registered probes, by name. The only global state.
[[nodiscard]] const std::vector<Probe>& probes();
[[nodiscard]] const Probe* find_probe(std::string_view name);

/// Called through GPUMEM_PROBE before main; returns true so that it can initialise a constant.
bool register_probe(Probe probe);

#define GPUMEM_PROBE(factory) [[maybe_unused]] static const bool gpumem_registered = ::gpumem::register_probe(factory())

}  // namespace gpumem
