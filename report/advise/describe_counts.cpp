#include "report/advise/describe_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/words.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr double limiting = 0.6;  // of the time, for a stage to be what limits a kernel

std::optional<double> each(const std::optional<double>& units, const std::optional<double>& requests) {
  if (!units || !requests || *requests <= 0) return std::nullopt;
  return *units / *requests;
}

/// "limited by device memory, at 91 % of its rate": the stage nearest to its rate, by what was counted.
std::string stage_sentence(const Record& record) {
  const auto slowest = std::ranges::max_element(record.stages, {},
                                                [](const StageRecord& stage) { return stage.counted_s.value_or(-1); });
  if (slowest == record.stages.end() || !slowest->counted_s || !record.time) return "";
  const double share = *slowest->counted_s / record.time->summary.median.count();
  const std::string words = stage_words(slowest->stage);
  if (share < limiting && slowest->stage == "launch") return "";  // of no stage of memory much is known
  if (slowest->stage == "launch")
    return fmt::format("{} is {} of its time", words, whole_percent(std::min(share, 1.0)));
  if (share >= limiting)
    return fmt::format("limited by {}, at {} of its rate", words, whole_percent(std::min(share, 1.0)));
  return fmt::format("waits for something other than bandwidth; the busiest stage is {}, at {} of its rate", words,
                     whole_percent(share));
}

/// "loads take 32 sectors a request, stores 4".
std::string request_words(const measure::Counts& counts) {
  struct Part {
    const char* what;
    std::optional<double> each;
    const char* unit;
  };
  const Part parts[] = {
      {"loads", each(counts.global_load_sectors, counts.global_load_requests), sectors},
      {"stores", each(counts.global_store_sectors, counts.global_store_requests), sectors},
      {"shared loads", each(counts.shared_load_wavefronts, counts.shared_load_requests), wavefronts},
      {"shared stores", each(counts.shared_store_wavefronts, counts.shared_store_requests), wavefronts},
      {"spills and local arrays: loads", each(counts.local_load_sectors, counts.local_load_requests), sectors},
      {"local stores", each(counts.local_store_sectors, counts.local_store_requests), sectors},
  };
  std::vector<std::string> said;
  for (const Part& part : parts) {
    if (!part.each) continue;
    const std::string number = trimmed(*part.each, 1);
    const std::string_view unit(part.unit);
    said.push_back(fmt::format("{} {} {}", part.what, number, number == "1" ? unit.substr(0, unit.size() - 1) : unit));
  }
  return said.empty() ? "" : "a request takes: " + join(said, ", ");
}

std::string occupancy_words(const Record& record) {
  const auto& achieved = record.counters->achieved_occupancy;
  if (!achieved) return "";
  if (!record.occupancy) return fmt::format("occupancy {}", whole_percent(*achieved));
  if (record.occupancy->possible >= 1) return fmt::format("occupancy {} of 100 %", whole_percent(*achieved));
  return fmt::format("occupancy {} of the {} that {} {}", whole_percent(*achieved),
                     whole_percent(record.occupancy->possible), record.occupancy->limited_by,
                     record.occupancy->limited_by == "shared memory" ? "allows" : "allow");
}

}  // namespace

Explanation counted_explanation(const Record& record) {
  Explanation explanation;
  std::vector<std::string> sentences;
  for (const std::string& part : {stage_sentence(record), request_words(*record.counters)}) {
    if (!part.empty()) sentences.push_back(part);
  }
  explanation.brief = join(sentences, "; ");  // a table has columns for the rest
  if (const std::string occupancy = occupancy_words(record); !occupancy.empty()) sentences.push_back(occupancy);
  for (const std::string& sentence : sentences) {
    explanation.full += (explanation.full.empty() ? "" : " ") + capitalised(sentence) + ".";
  }
  return explanation;
}

}  // namespace gpumem::report
