#include "report/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "report/text.hpp"

namespace gpumem::report {

namespace {

/// How a parameter's name is made.
enum class Kind {
  plain,   ///< "op", "variant"
  amount,  ///< "offset_elements": a label and what it counts
  size,    ///< "buffer_bytes": a label and a number of bytes
  word,    ///< "word_bytes": as amount, but said "4-byte words"
  rate,    ///< "elements_per_thread": the label is the unit
  shape,   ///< "block_threads": so many units per label
};

struct ParsedName {
  Kind kind = Kind::plain;
  std::string label;
  std::string unit;
};

std::string spaced(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text == "gb per s" ? "GB/s" : text;
}

ParsedName parse(std::string_view name) {
  if (name == "word_bytes") return {Kind::word, "word", "bytes"};
  if (const auto per = name.find("_per_"); per != std::string_view::npos) {
    return {Kind::rate, spaced(name.substr(0, per)), spaced(name.substr(per + 5))};
  }
  const auto last = name.rfind('_');
  if (last == std::string_view::npos) return {Kind::plain, std::string(name), ""};
  const std::string label = spaced(name.substr(0, last));
  const std::string_view unit = name.substr(last + 1);
  if (unit == "bytes") return {Kind::size, label, ""};
  if (unit == "threads" || unit == "warps") return {Kind::shape, label, std::string(unit)};
  constexpr std::array<std::string_view, 6> counted_units = {"elements", "words", "sectors",
                                                             "lines",    "rows",  "columns"};
  if (std::ranges::find(counted_units, unit) != counted_units.end()) {
    return {Kind::amount, label, std::string(unit)};
  }
  return {Kind::plain, spaced(name), ""};
}

std::string singular(std::string_view plural) {
  return std::string(plural.ends_with('s') ? plural.substr(0, plural.size() - 1) : plural);
}

}  // namespace

Heading parameter_heading(std::string_view parameter) {
  const ParsedName name = parse(parameter);
  if (name.kind == Kind::rate) return {name.label, "/" + name.unit};
  if (name.kind == Kind::shape) return {name.unit, "/" + name.label};
  return {name.label, name.unit};
}

Heading metric_heading(std::string_view metric) {
  constexpr std::string_view rate = "_gb_per_s";  // one unit, not something per s
  if (metric.ends_with(rate)) return {spaced(metric.substr(0, metric.size() - rate.size())), "GB/s"};
  if (const auto per = metric.rfind("_per_"); per != std::string_view::npos) {
    return {spaced(metric.substr(0, per)), "/" + spaced(metric.substr(per + 5))};
  }
  const auto last = metric.rfind('_');
  if (last == std::string_view::npos) return {std::string(metric), ""};
  return {spaced(metric.substr(0, last)), std::string(metric.substr(last + 1))};
}

std::string value_text(const Parameter& parameter) {
  const auto* number = std::get_if<std::uint64_t>(&parameter.value);
  if (number != nullptr && parse(parameter.name).kind == Kind::size) return size_in_words(*number);
  return one_line(to_string(parameter.value));
}

std::string parameter_phrase(const Parameter& parameter) {
  const ParsedName name = parse(parameter.name);
  const std::string value = value_text(parameter);
  const std::string unit = value == "1" ? singular(name.unit) : name.unit;
  switch (name.kind) {
    case Kind::plain:
      return parameter.name == "op" ? value : name.label + " " + value;
    case Kind::amount:
      return fmt::format("{} {} {}", name.label, value, unit);
    case Kind::size:
      return name.label + " " + value;
    case Kind::word:
      return value + "-byte words";
    case Kind::rate:
      return fmt::format("{} {} per {}", value, value == "1" ? singular(name.label) : name.label, name.unit);
    case Kind::shape:
      return fmt::format("{} {} per {}", value, unit, name.label);
  }
  return parameter.name + " " + value;
}

std::string position_phrase(const Parameter& parameter) {
  const ParsedName name = parse(parameter.name);
  if (name.kind == Kind::amount || name.kind == Kind::plain) return name.label + " " + value_text(parameter);
  return parameter_phrase(parameter);
}

Noun parameter_noun(std::string_view parameter) {
  const ParsedName name = parse(parameter);
  switch (name.kind) {
    case Kind::plain:
    case Kind::amount:
      return {name.label, name.label.ends_with('s') ? name.label : name.label + "s"};
    case Kind::size:
    case Kind::word:
      return {name.label + " size", name.label + " sizes"};
    case Kind::rate:
    case Kind::shape:
      break;
  }
  const std::string what =
      name.kind == Kind::rate ? name.label + " per " + name.unit : name.unit + " per " + name.label;
  return {"number of " + what, "numbers of " + what};
}

std::string metric_words(std::string_view metric) {
  const Heading heading = metric_heading(metric);
  if (heading.unit.empty()) return heading.name;
  if (heading.unit.starts_with('/')) return heading.name + " per " + heading.unit.substr(1);
  return heading.name + " in " + heading.unit;
}

std::string stage_words(std::string_view stage) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> words = {{
      {"launch", "the launch itself"},
      {"latency", "latency (too little in flight)"},
      {"l2_sectors", "the sectors moved between L1 and L2"},
      {"l2_lines", "the lines fetched into L2"},
      {"dram", "device memory"},
      {"shared_wavefronts", "the wavefronts of shared memory"},
  }};
  const auto* const found = std::ranges::find(words, stage, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == words.end() ? stage : found->second);
}

std::string_view op_subject(std::string_view op) {
  if (op == "copy") return "copies";
  if (op == "read") return "reads";
  if (op == "write") return "writes";
  return {};
}

}  // namespace gpumem::report
