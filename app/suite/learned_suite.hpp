#pragma once
// A fleet's criteria as a suite: the probes that measure its cases again, and an expectation for each.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/suite/suite.hpp"
#include "report/fleet/learn.hpp"

namespace gpumem::app {

struct LearnedSuite {
  std::string json;         ///< parse_suite() reads it
  std::size_t unnamed = 0;  ///< cases left out, because no axes of a probe of this version ask for them
};

/// Returns the suite called `name`. Each of its entries of `probes` is a grid of cases, as large as the cases allow, so
/// that a sweep's cases stay in one sweep: `auto` chooses once for all of them. `like` is the suite that the reports
/// are of, whose effort they had; null if that is not known. Throws a usage error if no case can be named, and for
/// more cases than a suite has expectations.
[[nodiscard]] LearnedSuite learned_suite(const report::LearnedFleet& fleet, const std::string& name, const Suite* like,
                                         const std::vector<Probe>& registry);

/// Returns in words what a case's bound rests on, and what it can tell: "learned from 120 GPUs: median 4542 GB/s,
/// spread 0.31 %; finds 2.4 % slower with 95 % certainty, false alarm 1 in 1000 checks".
[[nodiscard]] std::string learned_words(const report::LearnedFleet& fleet, const report::LearnedCase& learned);

}  // namespace gpumem::app
