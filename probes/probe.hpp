#pragma once
// A probe is a value that declares its axes, describes each case to the model, and prepares it for a GPU. Each probe
// lives in one file that ends in `GPUMEM_PROBE(make_probe);`.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/machine/device.hpp"
#include "engine/model/workload.hpp"
#include "probes/axis.hpp"
#include "probes/bank_grid.hpp"
#include "probes/fact.hpp"

namespace gpumem {

namespace measure {
class Session;
class Experiment;
}  // namespace measure

namespace model {
struct Prediction;
struct Profile;
}  // namespace model

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

  /// The value of a parameter, as the type that it has in the probe.
  template <class T>
  [[nodiscard]] T operator[](const Number<T>& parameter) const {
    return static_cast<T>(number(parameter));
  }
  template <class T>
  [[nodiscard]] const T& operator[](const Choice<T>& parameter) const {
    return parameter.value_of(name(parameter));
  }
  [[nodiscard]] const std::string& operator[](const Text& parameter) const { return name(parameter); }

  void set(std::string_view parameter, Value value);
};

/// The main number of a probe: its table shows it first, and its cases are judged by it.
struct Headline {
  Quantity quantity;
  /// Returns its value for a run of the workload that takes so many seconds, measured or predicted. Empty: every run
  /// samples it (measure::Experiment::sample), for example by the multiprocessor's own clock.
  std::function<std::optional<double>(const Workload&, double seconds)> from_seconds = {};
  /// Predicts a number that the runs sample. Empty: no prediction.
  std::function<std::optional<double>(const Workload&, const model::Prediction&, const model::Profile&)> predict = {};
  /// Returns the best that the hardware could do, a floor where less is better; nullopt if that is not known.
  std::function<std::optional<double>(const Workload&, const Device&)> peak = {};
};

/// The theoretical bandwidth of device memory, in GB/s; nullopt if it is not known.
[[nodiscard]] std::optional<double> device_memory_peak(const Workload& workload, const Device& device);
/// The bandwidth of the link to the host, in GB/s: one way, or the sum of both if the workload moves bytes both ways;
/// nullopt if it is not known. A GPU that shares the host's memory has no link: its peak is that of the memory.
[[nodiscard]] std::optional<double> link_peak(const Workload& workload, const Device& device);

/// Useful bytes over time, in GB/s.
[[nodiscard]] Headline bandwidth(decltype(Headline::peak) peak = device_memory_peak);

/// Useful flops over time, in GFLOP/s. The peak is the roofline at the case's intensity.
[[nodiscard]] Headline flop_rate(std::string purpose);

/// Cycles of a multiprocessor per warp request of the first site, by its own clock. Every run samples them.
[[nodiscard]] Headline request_cycles(decltype(Headline::peak) peak);

/// A further number of a case. The experiment measures it (measure::Experiment::metrics), or it is computed from the
/// time.
struct Metric {
  Quantity quantity;
  std::function<std::optional<double>(const Workload&, double seconds)> from_seconds = {};
  std::function<std::optional<double>(const Workload&, const model::Prediction&, const model::Profile&)> predict = {};
  bool essential = false;  ///< as important to the probe as its headline: tables drop other columns first
};

/// Useful flops for each useful byte.
[[nodiscard]] Metric intensity();

/// A case in one line: "offset offset_elements=1 op=copy ...". Progress shows it, and profilers as the range of its
/// work.
[[nodiscard]] std::string to_string(const Case& tested);

/// So many per warp request of the loads and of the stores, on average over their sites; nullopt if there are none, or
/// if that is not known.
struct PerRequest {
  std::optional<double> load = {};
  std::optional<double> store = {};

  [[nodiscard]] bool any() const { return load || store; }
  [[nodiscard]] double sum() const { return load.value_or(0) + store.value_or(0); }
};

/// A case that ran (or was predicted), as far as conclusions need it.
struct Outcome {
  Case tested;
  double headline = 0;  ///< measured, or predicted
  /// The predicted headline of a measured case; nullopt if the model cannot predict it.
  std::optional<double> predicted = {};
  double seconds = 0;      ///< median measured, or predicted; 0 where it is not known
  double bytes_per_s = 0;  ///< useful ones; 0 if the workload has none
  std::vector<std::pair<std::string, double>> metrics = {};
  std::size_t index = 0;  ///< among those that the probe concludes from
  /// The 95 % confidence interval of the measured headline; nullopt if it was predicted, or sampled too little.
  std::optional<std::pair<double, double>> interval = {};
  std::optional<double> share_of_peak = {};  ///< of the headline; 1 is the best
  PerRequest sectors = {};                   ///< predicted, or counted if nothing was predicted; likewise wavefronts
  PerRequest wavefronts = {};
  std::string limit = {};  ///< the stage that is predicted to limit the case; empty if that is not known

  [[nodiscard]] std::optional<double> metric(std::string_view name) const;
};

/// The facts and numbers that several cases show together.
struct Conclusion {
  /// A number that follows from several cases, such as the latency and the asymptotic bandwidth of a fitted line.
  struct DerivedQuantity {
    std::string name;                   ///< one of the probe's `concluded`
    double value = 0;                   ///< in the unit that `concluded` tells
    std::vector<std::size_t> outcomes;  ///< indices of the cases that show it
  };
  std::vector<Fact> facts = {};  ///< the most important first
  std::vector<DerivedQuantity> quantities = {};
};

/// The subject of a probe, which is the folder under probes/ that it lies in. In the order of lists.
enum class Family { global, user, shared, constant, texture, local, cache, hierarchy, host, peer, kernels };
/// As headings call it: "global memory".
[[nodiscard]] std::string_view to_string(Family family);

/// The indices of all outcomes.
[[nodiscard]] std::vector<std::size_t> all_of(std::span<const Outcome> outcomes);

struct Probe {
  std::string name;
  std::string purpose;  ///< one line, of at most 60 characters: a screen has 80 columns
  Family family = Family::global;
  /// The probe that this one is a variant of, for another space: it runs in its place if a value or a flag is given
  /// that only this one takes. Its first flag alone selects the other. Empty: none.
  std::string variant_of = {};
  bool on_request = false;  ///< runs only where its name is given, or an axis that selects it
  std::vector<Axis> axes;   ///< the first is the one a sweep varies; its flag alone selects the probe
  /// The parameter whose values are alternatives for the same job ("host_memory": pageable or pinned). Their sweeps
  /// stand in one table, and its flag alone selects the probe too, unless the probe reads files. Empty: none.
  std::string compared = {};
  /// The parameter whose values stand side by side, so that a table is a matrix: its rows are those of the first axis.
  /// Empty: none.
  std::string across = {};
  /// The metric along the x axis of a plot, instead of what is swept. Empty: none.
  std::string drawn_over = {};
  Value baseline;  ///< value of the compared parameter, else of the first axis, that other cases are related to
  Headline headline = bandwidth();
  std::vector<Metric> metrics = {};
  std::vector<Quantity> concluded = {};  ///< what several cases of it may show together
  /// Columns that its tables keep beside the headline if space is short: "time_seconds", or names of counters, which
  /// are columns only if a probe lists them here.
  std::vector<std::string> reported = {};

  /// Returns the GPUs that a case is about, by their index, for a probe of several GPUs of a machine. The first one
  /// times the case; the case is described for that GPU, with its links. May be empty: the GPU that the user chose.
  std::function<std::vector<std::uint64_t>(const Case&)> gpus = {};
  /// Describes a case all of whose values are decided. Host only; needs no GPU.
  std::function<Workload(const Case&, const Device&)> describe = {};
  /// Throws a usage error when values that are each valid do not go together. May be empty.
  std::function<void(const Case&)> validate = {};
  bool reads_files = false;  ///< validate() reads the files that a case names
  /// True if the values of a case that are not still `auto` go together on a device. Combinations that do not are
  /// dropped, unless the user asked for their values. May be empty: then all go together.
  std::function<bool(const Case&, const Device&)> fits = {};
  /// Decides, for a whole sweep at once, the `auto` values without candidates, given what memory the device has free.
  std::function<void(std::span<Case>, const Device&)> size = {};
  /// Readies a case on the GPU of the session. Throws a probe error if it cannot run.
  std::function<std::unique_ptr<measure::Experiment>(const Case&, measure::Session&)> prepare = {};

  /// Concludes from the cases of one table, which differ in nothing but the first axis, the compared parameter and the
  /// one across. Takes at least one outcome. May be empty: the report then describes the readings alone.
  std::function<Conclusion(std::span<const Outcome>)> conclude = {};

  /// Returns what would remove the bank conflicts of a case, as an imperative; empty if nothing is known to. May be
  /// empty: explanations then advise to pad rows.
  std::function<std::string(const Case&)> conflict_cure = {};

  /// Returns the picture of a case's tile in shared memory. Takes a case that was described. May be empty: its cases
  /// have no such picture.
  std::function<BankGrid(const Case&)> bank_grid = {};

  [[nodiscard]] const Axis* find_axis(std::string_view parameter) const;
  /// True if this flag of an axis alone selects the probe.
  [[nodiscard]] bool is_selected_by(std::string_view flag) const;
  /// The parameter that `baseline` is a value of.
  [[nodiscard]] const std::string& baseline_parameter() const {
    return compared.empty() ? axes.front().parameter : compared;
  }
};

/// For `Probe::prepare`: an experiment of that class, made of the case and the session.
template <class Experiment>
[[nodiscard]] std::unique_ptr<measure::Experiment> prepared(const Case& decided, measure::Session& session) {
  return std::make_unique<Experiment>(decided, session);
}

/// All registered probes, by name. The only global state.
[[nodiscard]] const std::vector<Probe>& probes();
[[nodiscard]] const Probe* find_probe(std::string_view name);

/// Called through GPUMEM_PROBE before main; returns true so that it can initialise a constant.
bool register_probe(Probe probe);

#define GPUMEM_PROBE(factory) \
  [[maybe_unused]] static const bool factory##_registered = ::gpumem::register_probe(factory())

}  // namespace gpumem
