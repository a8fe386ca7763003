#pragma once
// Hand-made records of each limit and each kind of waste, and how they are explained.

#include <string>
#include <vector>

#include "report/explain/explain.hpp"
#include "tests/report/examples.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::report::why_cases {

class Why : public Sentences {
 public:
  Why() : Sentences("why.txt") {}
};

constexpr double gib = 1073741824;

/// A case that wrote, read or copied 1 GiB of 4-byte words in 250 us, limited by `limit` for 245 of them.
inline Record case_of(const std::string& limit, const std::string& op = "read", double cost = 4) {
  Record record;
  record.probe = "any";
  record.swept = "offset_elements";
  record.baseline = std::uint64_t{0};
  record.parameters = {{"offset_elements", std::uint64_t{1}}, {"op", op}};
  record.useful_bytes_read = op == "write" ? 0 : static_cast<std::uint64_t>(gib);
  record.useful_bytes_written = op == "read" ? 0 : static_cast<std::uint64_t>(gib);
  if (op != "write") record.access.push_back(examples::global_site("source", "load", cost));
  if (op != "read") record.access.push_back(examples::global_site("target", "store", cost));
  record.stages = {{"launch", 20e-6, {}}, {limit, 245e-6, {}}};
  record.bottleneck = Bottleneck{limit, {}};
  record.predicted_s = 250e-6;
  record.headline.predicted = record.useful_bytes() / 250e-6 / 1e9;
  record.fraction_of_peak = 0.5;
  return record;
}

/// The same at another offset, so many times as fast and with so many sectors per request.
inline Record faster(const Record& record, double gain, double cost) {
  Record other = record;
  other.parameters.front().value = std::uint64_t{0};
  *other.headline.predicted *= gain;
  *other.predicted_s /= gain;
  if (other.headline.measured) *other.headline.measured *= gain;
  for (StageRecord& stage : other.stages) *stage.predicted_s /= gain;
  for (SiteRecord& site : other.access) site.cost(sectors).predicted = cost;
  return other;
}

inline std::string why(const std::vector<Record>& results) { return explanations(results).front().full; }
inline std::string brief(const std::vector<Record>& results) { return explanations(results).front().brief; }

inline Record bank_case(double cost, unsigned word_bytes = 4) {
  Record record = case_of("shared_wavefronts");
  record.access = {{"tile", "shared", "load", word_bytes, {{wavefronts, {cost, {}}}}}};
  return record;
}

}  // namespace gpumem::report::why_cases
