#include "report/text/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "engine/base/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

// The phrases that follow from the ending of a name.
constexpr Phrase plain = {"{label} {value}", "{label}"};                                       // "op", "variant"
constexpr Phrase amount = {"{label} {value} {unit}", "{label}"};                               // "offset_elements"
constexpr Phrase size = {"{label} {value}", "{label} size"};                                   // "buffer_bytes"
constexpr Phrase rate = {"{value} {label} per {unit}", "number of {label} per {unit}", true};  // "elements_per_thread"
constexpr Phrase shape = {"{value} {unit} per {label}", "number of {unit} per {label}"};       // "block_threads"
constexpr Phrase share = {"{label} {value} %", "{label} percentage"};                          // "kernel_percent"
constexpr Phrase memory = {"{value} {label}", "kind of {label}"};                              // "host_memory"

struct ParsedName {
  const Phrase* form;
  std::string label;
  std::string unit;
};

/// The words of a name, those of hardware written as its documentation does.
std::string spaced(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  if (text == "gb per s") return "GB/s";
  for (const auto& [raw, written] : {std::pair{"l1", "L1"}, {"l2", "L2"}, {"tlb", "TLB"}}) {
    if (text == raw || text.starts_with(std::string(raw) + ' ')) text.replace(0, std::string_view(raw).size(), written);
  }
  return text;
}

ParsedName by_ending(std::string_view name) {
  static const std::set<std::string_view> units = {"elements", "words", "sectors", "lines", "rows", "columns"};
  if (name == "device") return {&plain, "GPU", ""};
  if (const auto per = name.find("_per_"); per != std::string_view::npos) {
    return {&rate, spaced(name.substr(0, per)), spaced(name.substr(per + 5))};
  }
  const auto last = name.rfind('_');
  if (last == std::string_view::npos) return {&plain, std::string(name), ""};
  const std::string label = spaced(name.substr(0, last));
  const std::string_view unit = name.substr(last + 1);
  if (unit == "bytes") return {&size, label, "bytes"};
  if (unit == "percent") return {&share, label, "%"};
  if (unit == "memory") return {&memory, spaced(name), ""};
  if (unit == "threads" || unit == "warps") return {&shape, label, std::string(unit)};
  if (units.contains(unit)) return {&amount, label, std::string(unit)};
  return {&plain, spaced(name), ""};
}

ParsedName parse(std::string_view name) {
  ParsedName parsed = by_ending(name);
  for (const Probe& probe : probes()) {  // a report may be of a probe that is not known, with parameters that are
    const Axis* axis = probe.find_axis(name);
    if (axis != nullptr && axis->phrase != nullptr) parsed.form = axis->phrase;
  }
  return parsed;
}

std::string singular(std::string_view plural) {
  if (plural.ends_with("ies")) return std::string(plural.substr(0, plural.size() - 3)) + "y";
  if (plural.ends_with("sses")) return std::string(plural.substr(0, plural.size() - 2));
  return std::string(plural.ends_with('s') ? plural.substr(0, plural.size() - 1) : plural);
}

}  // namespace

std::string heading_words(const Heading& heading) {
  if (heading.unit.empty()) return heading.name;
  return heading.unit.starts_with('/') ? heading.name + heading.unit : heading.name + " (" + heading.unit + ")";
}

Heading parameter_heading(std::string_view parameter) {
  const ParsedName name = parse(parameter);
  if (name.form == &rate) return {name.label, "/" + name.unit};
  if (name.form == &shape) return {name.unit, "/" + name.label};
  if (name.form == &size) return {name.label, ""};  // its values have units of their own
  return {name.label, name.unit};
}

Heading quantity_heading(std::string_view quantity) {
  // Units that stand for something per s.
  constexpr std::pair<std::string_view, std::string_view> rates[] = {{"gb_per_s", "GB/s"}, {"gflop_per_s", "GFLOP/s"}};
  for (const auto& [ending, unit] : rates) {
    if (quantity == ending) return {std::string(unit), ""};
    if (!quantity.ends_with(ending) || quantity[quantity.size() - ending.size() - 1] != '_') continue;
    return {spaced(quantity.substr(0, quantity.size() - ending.size() - 1)), std::string(unit)};
  }
  if (const auto per = quantity.rfind("_per_"); per != std::string_view::npos) {
    return {spaced(quantity.substr(0, per)), "/" + spaced(quantity.substr(per + 5))};
  }
  static const std::set<std::string_view> units = {"cycles",  "ns",    "us",      "ms",       "s",
                                                   "seconds", "bytes", "copies",  "passes",   "words",
                                                   "rows",    "lines", "sectors", "elements", "percent"};
  const auto last = quantity.rfind('_');
  if (last == std::string_view::npos || !units.contains(quantity.substr(last + 1))) return {spaced(quantity), ""};
  const std::string_view unit = quantity.substr(last + 1);
  return {spaced(quantity.substr(0, last)), unit == "percent" ? "%" : unit == "seconds" ? "s" : std::string(unit)};
}

bool is_size(std::string_view parameter) { return parse(parameter).form == &size; }

bool is_distance(std::string_view parameter) { return parse(parameter).form == &amount; }

std::string value_text(const Parameter& parameter) {
  const auto* number = std::get_if<std::uint64_t>(&parameter.value);
  if (number != nullptr && is_size(parameter.name)) return size_in_words(*number);
  return one_line(gpumem::to_string(parameter.value));
}

bool is_said(std::string_view probe, const Parameter& parameter) {
  const Probe* known = find_probe(probe);
  const Axis* axis = known == nullptr ? nullptr : known->find_axis(parameter.name);
  if (axis == nullptr || !axis->zero_follows) return true;
  return parameter.value != (axis->takes_numbers() ? Value(std::uint64_t{0}) : Value(axis->defaults));
}

std::string parameter_phrase(const Parameter& parameter) {
  ParsedName name = parse(parameter.name);
  const std::string value = value_text(parameter);
  if (parameter.name == "op") return value;
  std::string& counted = name.form->counts_label ? name.label : name.unit;
  if (value == "1") counted = singular(counted);
  return fmt::format(fmt::runtime(name.form->phrase), fmt::arg("label", name.label), fmt::arg("value", value),
                     fmt::arg("unit", name.unit));
}

std::string position_phrase(const Parameter& parameter) {
  const ParsedName name = parse(parameter.name);
  if (name.form == &amount || name.form == &plain) return name.label + " " + value_text(parameter);
  return parameter_phrase(parameter);
}

std::string parameter_noun(std::string_view parameter) {
  const ParsedName name = parse(parameter);
  if (name.form == &size && name.label == "size") return "size";
  return fmt::format(fmt::runtime(name.form->noun), fmt::arg("label", name.label), fmt::arg("unit", name.unit));
}

std::string quantity_words(std::string_view quantity) {
  const Heading heading = quantity_heading(quantity);
  if (heading.unit.empty()) return heading.name;
  if (heading.unit.starts_with('/')) return heading.name + " per " + heading.unit.substr(1);
  if (heading.name.ends_with(" from")) return heading.name + " so many " + heading.unit;
  return heading.name + " in " + heading.unit;
}

std::string quantity_title(std::string_view quantity) {
  const Heading heading = quantity_heading(quantity);
  return heading.unit.starts_with('/') ? quantity_words(quantity) : heading.name;
}

std::string unit_of(std::string_view quantity) {
  const Heading heading = quantity_heading(quantity);
  if (heading.unit.starts_with('/')) return heading.name + heading.unit;
  return heading.name.find('/') == std::string::npos ? heading.unit : heading.name;
}

std::string value_words(std::string_view quantity, double value) {
  constexpr int digits = 3;
  const Heading heading = quantity_heading(quantity);
  if (heading.unit == "s") return duration_words(value, digits);
  if (heading.unit == "bytes" && value >= 0) return size_text(static_cast<std::uint64_t>(std::llround(value)));
  const std::string number = significant(value, digits);
  if (heading.unit.starts_with('/')) return fmt::format("{} {} per {}", number, heading.name, heading.unit.substr(1));
  const std::string unit = unit_of(quantity);
  return unit.empty() ? number : number + " " + unit;
}

std::string stage_words(std::string_view stage) {
  static const std::map<std::string_view, std::string_view> words = {
      {"launch", "launch overhead"},
      {"latency", "latency (too little in flight)"},
      {"uneven_work", "the warps with most of the work"},
      {"barriers", "threads that wait for each other"},
      {"barrier_turns", "arrivals at barriers"},
      {"instructions", "issuing instructions"},
      {"fma", "multiply-adds of floats or integers"},
      {"integer", "arithmetic in integers"},
      {"special", "special functions and conversions"},
      {"tensor", "the tensor cores"},
      {"l1_lines", "lines that pass L1"},
      {"fp32", "arithmetic in float"},
      {"fp64", "arithmetic in double"},
      {"l2_sectors", "sectors moved between L1 and L2"},
      {"l2_requests", "requests of L1 to L2"},
      {"rewrites", "stores to the same lines at the same time"},
      {"atomics", "atomics that wait for each other"},
      {"addresses", "address arithmetic"},
      {"l2_lines", "lines fetched into L2"},
      {"dram", "device memory"},
      {"shared_wavefronts", "wavefronts of shared memory"},
      {"cluster", "the network between the blocks of a cluster"},
      {"pcie", "the host link"},
      {"nvlink", "the NVLinks"},
      {"copies", "calls that start copies"},
      {"host_copy", "the host's own copying"},
      {"kernel", "the kernel"},
      {"host", "the host's work"},
  };
  const auto found = words.find(stage);
  return std::string(found == words.end() ? stage : found->second);
}

}  // namespace gpumem::report
