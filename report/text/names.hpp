#pragma once
// How people read names that programs write: parameters, metrics and stages in words. Units come from the names
// themselves, which end in them.

#include <string>
#include <string_view>

#include "probes/probe.hpp"

namespace gpumem::report {

/// A name over its unit, as the two lines of a column's header: "offset" over "elements".
struct Heading {
  std::string name;
  std::string unit;  ///< empty if there is none to show
};

[[nodiscard]] Heading parameter_heading(std::string_view parameter);
[[nodiscard]] Heading metric_heading(std::string_view metric);

/// The value alone, for a cell under the heading: "7", "copy", "1 GiB".
[[nodiscard]] std::string value_text(const Parameter& parameter);

/// The parameter as a part of a title: "offset 1 element", "4-byte words", "buffer 1 GiB", "256 threads per block".
[[nodiscard]] std::string parameter_phrase(const Parameter& parameter);

/// The parameter as a place in a sweep: "offset 1", otherwise as the phrase.
[[nodiscard]] std::string position_phrase(const Parameter& parameter);

/// What several values of a swept parameter are called: "offset" and "offsets", "value of threads per block" and ...
struct Noun {
  std::string singular;
  std::string plural;
};
[[nodiscard]] Noun parameter_noun(std::string_view parameter);

/// A metric's name in words: "cycles per request".
[[nodiscard]] std::string metric_words(std::string_view metric);

/// A stage of the model in words: "dram" is "device memory". An unknown stage is its own name.
[[nodiscard]] std::string stage_words(std::string_view stage);

/// What an `op` does, as the subject of a sentence: "copies". Empty for an unknown op.
[[nodiscard]] std::string_view op_subject(std::string_view op);

}  // namespace gpumem::report
