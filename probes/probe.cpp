#include "probes/probe.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "engine/model/arithmetic.hpp"
#include "engine/model/predict.hpp"

namespace gpumem {

namespace {

std::vector<Probe>& registry() {
  static std::vector<Probe> all;
  return all;
}

}  // namespace

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

const Value& Case::value(std::string_view parameter) const {
  const auto found = std::ranges::find(parameters, parameter, &Parameter::name);
  if (found == parameters.end()) throw std::logic_error("case has no parameter " + std::string(parameter));
  return found->value;
}

std::uint64_t Case::number(std::string_view parameter) const {
  const auto* number = std::get_if<std::uint64_t>(&value(parameter));
  if (number == nullptr) throw std::logic_error("parameter " + std::string(parameter) + " is not a number");
  return *number;
}

const std::string& Case::name(std::string_view parameter) const {
  const auto* name = std::get_if<std::string>(&value(parameter));
  if (name == nullptr) throw std::logic_error("parameter " + std::string(parameter) + " is not a name");
  return *name;
}

bool Case::is_auto(std::string_view parameter) const {
  const auto* name = std::get_if<std::string>(&value(parameter));
  return name != nullptr && *name == "auto";
}

void Case::set(std::string_view parameter, Value new_value) {
  const auto found = std::ranges::find(parameters, parameter, &Parameter::name);
  if (found == parameters.end()) throw std::logic_error("case has no parameter " + std::string(parameter));
  found->value = std::move(new_value);
}

std::string to_string(const Case& tested) {
  std::string words = tested.probe->name;
  for (const Parameter& parameter : tested.parameters) words += " " + parameter.name + "=" + to_string(parameter.value);
  return words;
}

std::optional<double> device_memory_peak(const Workload& /*workload*/, const Device& device) {
  const double peak = device.theoretical_bandwidth_bytes_per_s() * per_giga;
  return peak > 0 ? std::optional(peak) : std::nullopt;
}

std::optional<double> link_peak(const Workload& workload, const Device& device) {
  if (device.integrated) return device_memory_peak(workload, device);
  const auto one_way = device.link_bytes_per_s();
  if (!one_way) return std::nullopt;
  const bool both_ways = workload.useful_bytes_read > 0 && workload.useful_bytes_written > 0;
  return (both_ways ? 2 : 1) * *one_way * per_giga;
}

Headline bandwidth(decltype(Headline::peak) peak) {
  return {.quantity = {std::string(bandwidth_name), "useful bytes over time", Better::more},
          .from_seconds = [](const Workload& workload, double seconds) -> std::optional<double> {
            const auto bytes = static_cast<double>(workload.useful_bytes());
            return bytes > 0 && seconds > 0 ? std::optional(bytes / seconds * per_giga) : std::nullopt;
          },
          .peak = std::move(peak)};
}

Headline flop_rate(std::string purpose) {
  return {.quantity = {"gflop_per_s", std::move(purpose), Better::more},
          .from_seconds = [](const Workload& workload, double seconds) -> std::optional<double> {
            if (!workload.useful_flops || !(seconds > 0)) return std::nullopt;
            return static_cast<double>(*workload.useful_flops) / seconds * per_giga;
          },
          .peak = attainable_gflop_per_s};
}

Headline request_cycles(decltype(Headline::peak) peak) {
  return {
      .quantity = {"cycles_per_request", "cycles of a multiprocessor per warp request, by its own clock", Better::less},
      .predict = [](const Workload&, const model::Prediction& prediction,
                    const model::Profile& profile) -> std::optional<double> {
        return prediction.sites.front().cost.wavefronts_per_request / profile.rates.shared.wavefronts_per_cycle;
      },
      .peak = std::move(peak)};
}

Metric intensity() {
  return {.quantity = {"intensity_flop_per_byte", "useful flops for each useful byte", Better::neither},
          .from_seconds = [](const Workload& workload, double) { return intensity_flop_per_byte(workload); }};
}

std::optional<double> Outcome::metric(std::string_view name) const {
  const auto found = std::ranges::find(metrics, name, &std::pair<std::string, double>::first);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

std::string_view to_string(Family family) {
  constexpr std::string_view titles[] = {"global memory", "your own patterns", "shared memory", "constant memory",
                                         "textures",      "local memory",      "cache control", "memory hierarchy",
                                         "host link",     "between GPUs",      "kernels"};
  return titles[static_cast<std::size_t>(family)];
}

std::vector<std::size_t> all_of(std::span<const Outcome> outcomes) {
  std::vector<std::size_t> indices(outcomes.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

const Axis* Probe::find_axis(std::string_view parameter) const {
  const auto found = std::ranges::find(axes, parameter, &Axis::parameter);
  return found == axes.end() ? nullptr : &*found;
}

bool Probe::is_selected_by(std::string_view flag) const {
  const auto has = [&](const Axis* axis) { return axis != nullptr && axis->flag == flag; };
  const bool first = variant_of.empty() && has(&axes.front());
  // Alternatives do not say whose file they are for.
  return first || (!reads_files && has(find_axis(compared))) || has(find_axis(across));
}

const std::vector<Probe>& probes() { return registry(); }

const Probe* find_probe(std::string_view name) {
  const auto found = std::ranges::find(registry(), name, &Probe::name);
  return found == registry().end() ? nullptr : &*found;
}

bool register_probe(Probe probe) {
  // Static initialisers run in link order; sorting by name keeps lists and reports independent of it.
  auto& all = registry();
  const auto place = std::ranges::lower_bound(all, probe.name, {}, &Probe::name);
  all.insert(place, std::move(probe));
  return true;
}

}  // namespace gpumem
