#include "report/check/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "engine/base/words.hpp"
#include "report/record/matrix.hpp"
#include "report/record/sweep.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Share of the median by which comparable pairs may differ: twice as far as the interval of pairs over NVLink, the
/// only healthy ones that were measured (docs/suites.md).
constexpr double pairs_tolerance = 0.04;

Device device_at(const Report& report, std::uint64_t gpu) {
  Device device = device_of(report, gpu);
  // Without an index, a report has all GPUs of a machine in their order.
  if (!device.index && gpu < report.devices.size() && !report.devices[gpu].index) device = report.devices[gpu];
  return device;
}

PeerLink link_of(const Report& report, const GpuPair& pair) {
  const std::vector<PeerLink> links = device_at(report, pair.source).links;
  return pair.target < links.size() ? links[pair.target] : PeerLink{};
}

bool is_measured(const Record& record) { return record.ran() && record.headline.measured; }

/// Leaves the pairs of a matrix that have no telling prediction, and returns their number.
std::size_t keep_unpredicted(CaseMatrix& matrix, const Report& report) {
  std::size_t kept = 0;
  for (Cases& row : matrix.cells) {
    for (const Record*& cell : row) {
      const auto pair = cell == nullptr ? std::nullopt : gpu_pair(*cell);
      if (!pair || !is_measured(*cell) || !why_pair_unpredicted(report, *cell, *pair)) cell = nullptr;
      if (cell != nullptr) ++kept;
    }
  }
  return kept;
}

}  // namespace

bool is_about_pairs(const Expectation& expectation) {
  const auto is_of_pairs = [](const std::string& name) {
    const Probe* probe = find_probe(name);
    return probe != nullptr && probe->gpus;
  };
  return !expectation.cases.probes.empty() && std::ranges::all_of(expectation.cases.probes, is_of_pairs);
}

std::string pair_words(const Report& report, const Record& record, const GpuPair& pair) {
  const auto name = [&](std::uint64_t gpu) { return short_gpu_identity(gpu, device_at(report, gpu)); };
  const std::string way = parameter_words(record, {record.compared});
  return fmt::format("{} to {}{}", name(pair.source), name(pair.target), way.empty() ? "" : ", " + way);
}

std::string against_prediction(const Record& record) {
  const HeadlineRecord& headline = record.headline;
  const std::string predicted = value_words(headline.quantity, *headline.predicted);
  const double share = *headline.measured / *headline.predicted;
  return fmt::format("{}, {} {} the predicted {}", value_words(headline.quantity, *headline.measured),
                     percent_with_tenths(share < 1 ? 1 - share : share - 1), share < 1 ? "below" : "above", predicted);
}

std::string common_gpu(std::span<const GpuPair> pairs) {
  if (pairs.size() < 2) return {};
  for (const auto& [end, way] : {std::pair(&GpuPair::source, "from"), std::pair(&GpuPair::target, "to")}) {
    const std::uint64_t gpu = pairs.front().*end;
    if (std::ranges::all_of(pairs, [&, end = end](const GpuPair& pair) { return pair.*end == gpu; })) {
      return fmt::format(", all {} GPU {}", way, gpu);
    }
  }
  for (const std::uint64_t gpu : {pairs.front().source, pairs.front().target}) {
    const auto has = [&](const GpuPair& pair) { return pair.source == gpu || pair.target == gpu; };
    if (std::ranges::all_of(pairs, has)) return fmt::format(", all from or to GPU {}", gpu);
  }
  return {};
}

std::optional<std::string> why_pair_unpredicted(const Report& report, const Record& record, const GpuPair& pair) {
  std::string why;
  if (!record.headline.predicted) {
    why = record.no_prediction.value_or("nothing is predicted") + " ('nvidia-smi topo -m' on the host may tell it)";
  } else if (link_of(report, pair).path != PeerLink::Path::nvlink) {
    why = "no NVLink joins the two GPUs, and no healthy ones without were measured";
  } else if (record.has_flag("predicted_from_attributes")) {
    why = "this GPU has no profile to compare with";
  } else if (record.has_flag("predicted_from_guesses")) {
    why = "the profile assumes the rate of NVLinks, or scales it from another GPU's";
  } else {
    return std::nullopt;
  }
  return fmt::format("{}; pairs are compared with each other if {} are alike", why, measure::fewest_comparable);
}

std::optional<PairsAgreement> pairs_agreement(const Report& between) {
  PairsAgreement found;
  CheckRecord& check = found.check;
  check.name = "the pairs of GPUs agree with each other";
  std::vector<UnlikeCase> slow;
  std::size_t unpredicted = 0;
  for (const Members& table : tables(between.results)) {
    for (CaseMatrix& matrix : matrices(cases_of(between.results, table), 1)) {
      const std::size_t kept = keep_unpredicted(matrix, between);
      if (kept == 0) continue;
      unpredicted += kept;
      const Record& first = *matrix.cases().front();
      const MatrixJudgement judged =
          judge_matrix(matrix, first.headline.quantity, first.headline.better, pairs_tolerance);
      found.judged += judged.judged;
      std::ranges::copy_if(judged.unlike, std::back_inserter(slow),
                           [](const UnlikeCase& unlike) { return unlike.by.is_worse(); });
    }
  }
  if (unpredicted == 0) return std::nullopt;
  found.unjudged = unpredicted - found.judged;
  for (const UnlikeCase& unlike : slow) {
    check.cases.push_back(static_cast<std::size_t>(unlike.record - between.results.data()));
  }
  std::ranges::sort(check.cases);
  if (slow.empty()) {
    check.verdict = Verdict::pass;
    check.reason = fmt::format("{} without a prediction, none of them an outlier", counted(found.judged, "pair"));
    return found;
  }
  check.verdict = Verdict::fail;
  const UnlikeCase& worst =
      *std::ranges::max_element(slow, {}, [](const UnlikeCase& unlike) { return unlike.by.loss; });
  const GpuPair pair = *gpu_pair(*worst.record);
  check.source = pair.source;
  check.target = pair.target;
  const HeadlineRecord& headline = worst.record->headline;
  check.reason =
      fmt::format("{}: {}, {} below the median of pairs that are as near{}", pair_words(between, *worst.record, pair),
                  value_words(headline.quantity, *headline.measured), percent_with_tenths(worst.by.loss),
                  slow.size() > 1 ? fmt::format("; {} of {} are slow", slow.size(), found.judged) : "");
  return found;
}

}  // namespace gpumem::report
