#pragma once
// Names that programs write, in words for people: parameters, metrics and stages. Names end in their units.

#include <string>
#include <string_view>

#include "probes/probe.hpp"

namespace gpumem::report {

/// A name over its unit, as the two lines of a column's header: "offset" over "elements".
struct Heading {
  std::string name;
  std::string unit;  ///< empty if there is none to show
};

/// On one line: "offset (elements)", "cycles/request".
[[nodiscard]] std::string heading_words(const Heading& heading);

[[nodiscard]] Heading parameter_heading(std::string_view parameter);
/// "latency_cycles" is "latency" over "cycles", "cycles_per_request" "cycles" over "/request".
[[nodiscard]] Heading quantity_heading(std::string_view quantity);

/// True if the parameter's numbers are bytes, shown as "1 GiB".
[[nodiscard]] bool is_size(std::string_view parameter);

/// True if the parameter's numbers count places in memory: an offset in elements, a stride in words, a matrix's
/// columns. The divisors of such a number may matter more than its size, so nothing is known of the numbers between two
/// readings.
[[nodiscard]] bool is_distance(std::string_view parameter);

/// The value alone, for a cell under the heading: "7", "copy", "1 GiB".
[[nodiscard]] std::string value_text(const Parameter& parameter);

/// True if a title has to name the parameter. It does not if the value is 0 (texts and names: the default) and follows
/// from another parameter (Axis::zero_follows).
[[nodiscard]] bool is_said(std::string_view probe, const Parameter& parameter);

/// The parameter as a part of a title: "offset 1 element", "4-byte words", "buffer 1 GiB", "256 threads per block".
[[nodiscard]] std::string parameter_phrase(const Parameter& parameter);

/// The parameter as a place in a sweep: "offset 1", otherwise as the phrase.
[[nodiscard]] std::string position_phrase(const Parameter& parameter);

/// The noun for a parameter: "offset", "number of threads per block".
[[nodiscard]] std::string parameter_noun(std::string_view parameter);

/// A quantity's name in words, with its unit: "cycles per request", "latency in cycles".
[[nodiscard]] std::string quantity_words(std::string_view quantity);

/// The name alone, where the unit stands beside it: "bandwidth", "cycles per request".
[[nodiscard]] std::string quantity_title(std::string_view quantity);

/// The unit of the quantity: "GB/s", "cycles/request"; empty if it has none.
[[nodiscard]] std::string unit_of(std::string_view quantity);

/// A value with its unit, to three digits: "4227 GB/s", "1.33 cycles per request", "650 cycles", "1.21 ms".
[[nodiscard]] std::string value_words(std::string_view quantity, double value);

/// A stage of the model in words: "dram" is "device memory". An unknown stage is its own name.
[[nodiscard]] std::string stage_words(std::string_view stage);

}  // namespace gpumem::report
