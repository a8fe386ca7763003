#include "report/advise/kernel_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "engine/access/request.hpp"
#include "engine/base/words.hpp"
#include "engine/model/stages.hpp"
#include "report/advise/libraries.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/rules/why_rules.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr double far_longer = 1.5;
constexpr double most_of_limit = 0.8;  // of its time, from which on a kernel is as good as what limits it
constexpr double explained_from = 2.0 / 3;
constexpr double short_s = 10e-6;  // up to which launch overhead may be most of a kernel

bool waits(std::string_view stage) { return stage == "latency" || stage == "uneven_work"; }

/// The longest stage in which a kernel waits, and the longest in which it works.
struct LongestStages {
  const StageRecord* waiting = nullptr;
  const StageRecord* working = nullptr;  ///< keeps hardware busy

  explicit LongestStages(const std::vector<StageRecord>& stages) {
    for (const StageRecord& stage : stages) {
      if (stage.stage == "launch" || !stage.predicted_s) continue;
      const StageRecord*& longest = waits(stage.stage) ? waiting : working;
      if (longest == nullptr || *stage.predicted_s > *longest->predicted_s) longest = &stage;
    }
  }

  static double seconds(const StageRecord* stage) { return stage == nullptr ? 0 : *stage->predicted_s; }
  [[nodiscard]] bool mostly_wait() const { return seconds(waiting) > far_longer * seconds(working); }
};

/// A way to spend less time in an arithmetic stage.
struct ArithmeticCure {
  std::string_view stage;
  std::string_view key;  ///< as in report/schema/report.schema.json
  std::string_view words;
};
ArithmeticCure arithmetic_cure(std::string_view stage) {
  static constexpr ArithmeticCure cures[] = {
      {"fma", "indices_once", "products of integers count here too: compute indices once, without a division"},
      {"fp64", "float_for_double", "use float where it is exact enough"},
      {"integer", "cheaper_indices",
       "use cheaper indices: 32 bits, computed once, without a division by what is known only at run time"},
      {"special", "approximate_functions", "use fewer or approximate functions (__expf, __fdividef, rsqrtf)"},
      {"tensor", "narrower_type", "use a narrower type"},
      {"barrier_turns", "fewer_barriers", "let threads do more between barriers, or exchange values within warps"},
  };
  const auto* found = std::ranges::find(cures, stage, &ArithmeticCure::stage);
  if (found != std::end(cures)) return *found;
  return {stage, "fewer_instructions", "issue fewer: wider loads, unrolled loops, values computed once"};
}

/// Returns true if the words for an arithmetic stage are plural: they "take", not "takes".
bool is_plural(std::string_view stage) {
  return stage == "fma" || stage == "special" || stage == "tensor" || stage == "barrier_turns";
}

std::string library_words(const LibraryKernel& library, std::string_view what) {
  return fmt::format("a kernel of {}, {}", library.library, what);
}

/// Returns the warps of a launch; 0 if the record does not say.
double warps_of(const Record& record) {
  const Parameter* threads = find_parameter(record, block_threads_parameter);
  if (threads == nullptr || !std::holds_alternative<std::uint64_t>(threads->value)) return 0;
  double warps = std::ceil(static_cast<double>(std::get<std::uint64_t>(threads->value)) / access::warp_lanes);
  std::istringstream grid(text_of(record, grid_parameter));  // "64x64"
  for (std::string extent; std::getline(grid, extent, 'x');) warps *= std::strtod(extent.c_str(), nullptr);
  return warps;
}

/// Returns true if warps come to a load so often that `elements` of its words together would save them rounds.
bool takes_turns(const Record& record, unsigned elements) {
  const double warps = warps_of(record);
  return std::ranges::any_of(record.access, [&](const SiteRecord& site) {
    return site.op == "load" && site.space != "shared" && site.requests &&
           static_cast<double>(*site.requests) >= elements * std::max(1.0, warps);
  });
}

/// `elements` is how many small words a thread could take at once, 1 if that would not help.
KernelVerdict waiting_verdict(const LongestStages& longest, const std::optional<LibraryKernel>& library,
                              unsigned elements) {
  const bool uneven = longest.waiting->stage == "uneven_work";
  KernelVerdict verdict;
  verdict.name = uneven ? "uneven_work" : "too_little_in_flight";
  verdict.cure = library ? "more_work_at_once" : uneven ? "share_out_work" : "more_loads_in_flight";
  const std::string times = fmt::format("take {} one after another; everything else takes {}",
                                        stage_time_words(LongestStages::seconds(longest.waiting)),
                                        stage_time_words(LongestStages::seconds(longest.working)));
  if (library) {
    verdict.is_settled = true;
    verdict.brief = library_words(*library, "too little work at once");
    verdict.full = fmt::format("its loads {}; hand {} more work at once", times, library->library);
  } else if (uneven) {
    verdict.brief = "uneven work: few warps have most of the loads; share them out (a warp a row, not a thread)";
    verdict.full = fmt::format(
        "the loads of its busiest warps {}; share them out (a warp a row, not a thread; long rows in parts)", times);
  } else {
    const std::string wider =
        elements > 1 ? fmt::format("let a thread take {} neighbours at once", elements) : std::string();
    verdict.brief = elements > 1 ? "too few bytes in flight: " + wider + ", or more threads share the work"
                                 : "too few loads in flight: let more threads share the work";
    verdict.full = fmt::format(
        "its loads {}; too few are in flight: {}let more threads share the work, or issue several loads before the "
        "first is used",
        times, elements > 1 ? wider + " as one word, " : "");
  }
  return verdict;
}

KernelVerdict unexplained_verdict(double times) {
  return {.name = "unexplained",
          .brief = "waits for something other than its accesses",
          .full = fmt::format("it takes {} x as long as its accesses explain; something else holds it up",
                              trimmed(times, 1))};
}

/// "device memory 60 %, lines fetched into L2 40 %".
std::string shares_words(const Record& record, double time_s) {
  constexpr std::size_t most = 3;
  std::vector<const StageRecord*> stages;
  for (const StageRecord& stage : record.stages) {
    if (stage.predicted_s) stages.push_back(&stage);
  }
  std::ranges::sort(stages, std::ranges::greater{}, [](const StageRecord* stage) { return *stage->predicted_s; });
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(most, stages.size()); ++i) {
    words.push_back(
        fmt::format("{} {} %", stage_words(stages[i]->stage), fixed(*stages[i]->predicted_s / time_s * 100, 0)));
  }
  return join(words, ", ");
}

/// Returns the bytes of the widest access outside shared memory; 0 if there is none.
unsigned widest_access_bytes(const Record& record) {
  unsigned widest = 0;
  for (const SiteRecord& site : record.access) {
    if (site.space != "shared") widest = std::max(widest, site.word_bytes);
  }
  return widest;
}

double seconds_of(const std::vector<StageRecord>& stages, std::string_view name) {
  const auto stage = std::ranges::find(stages, name, &StageRecord::stage);
  return stage == stages.end() ? 0 : stage->predicted_s.value_or(0);
}

/// Returns true if launching blocks takes longer than anything that they do, or nearly as long.
bool launch_limits(const std::vector<StageRecord>& stages) {
  constexpr double nearly = 0.9;
  double longest = 0;
  for (const StageRecord& stage : stages) longest = std::max(longest, stage.predicted_s.value_or(0));
  const double launch_s = seconds_of(stages, "launch");
  return launch_s > short_s && launch_s > nearly * longest;
}

/// Returns the verdict on a kernel whose threads take so little each that they cost more than its bytes. The verdict
/// has no name if the kernel is not like that.
KernelVerdict narrow_verdict(const Record& record, double time_s) {
  const unsigned widest = widest_access_bytes(record);
  const unsigned elements = elements_of_word(widest, record.stages);
  if (elements == 1) return {};
  return {.name = narrow_words_verdict,
          .cure = "wider_words",
          .brief = fmt::format("small words: let a thread take {} neighbours at once", elements),
          .full = fmt::format("none of its accesses is wider than {}, so that much of its time, {}, is spent on many "
                              "threads with little each: let a thread take {} neighbouring elements as one word",
                              counted(widest, "byte"), shares_words(record, time_s), elements)};
}

}  // namespace

unsigned elements_of_word(unsigned widest_bytes, const std::vector<StageRecord>& stages) {
  constexpr unsigned narrow_bytes = 4;
  constexpr unsigned word_bytes = 16;
  const bool narrow = widest_bytes > 0 && (widest_bytes < narrow_bytes || launch_limits(stages));
  return narrow ? std::max(1U, word_bytes / widest_bytes) : 1;
}

bool waits_for_loads(const std::vector<StageRecord>& stages) { return LongestStages(stages).mostly_wait(); }

KernelVerdict kernel_verdict(const Record& record) {
  if (!record.predicted_s) return {.name = ""};
  const double time_s = record.time ? record.time->summary.median.count() : *record.predicted_s;
  if (*record.predicted_s < explained_from * time_s) return unexplained_verdict(time_s / *record.predicted_s);
  if (record.stages.empty()) return {.name = ""};
  const LongestStages longest(record.stages);
  const auto library = library_kernel(text_of(record, kernel_parameter));
  const KernelVerdict narrow = library ? KernelVerdict{} : narrow_verdict(record, time_s);
  // If launching the blocks takes about as long as waiting does, there are enough threads.
  const bool enough_threads = 2 * seconds_of(record.stages, "launch") > LongestStages::seconds(longest.waiting);
  if (longest.mostly_wait()) {
    if (enough_threads && !narrow.name.empty()) return narrow;
    const unsigned elements = elements_of_word(widest_access_bytes(record), record.stages);
    return waiting_verdict(longest, library, takes_turns(record, elements) ? elements : 1);
  }
  if (longest.working == nullptr) return {.name = ""};
  const double share = LongestStages::seconds(longest.working) / time_s;
  const std::string limit = stage_words(longest.working->stage);
  if (share < 0.5 && time_s < short_s) {
    return {.name = "launch",
            .cure = "fuse_kernels",
            .brief = "so short that the launch is most of it: fuse it with its neighbours",
            .full = fmt::format("it takes {}, most of which is the launch: fuse it with its neighbours, or launch it "
                                "from a CUDA graph",
                                stage_time_words(time_s))};
  }
  if (model::is_arithmetic(longest.working->stage) && share >= 0.5) {
    const bool tensor = longest.working->stage == "tensor";
    const std::string full =
        fmt::format("{} {} {} of its {}", limit, is_plural(longest.working->stage) ? "take" : "takes",
                    stage_time_words(LongestStages::seconds(longest.working)), stage_time_words(time_s));
    const ArithmeticCure cure = arithmetic_cure(longest.working->stage);
    return {.name = tensor ? "tensor_cores" : "arithmetic",
            .cure = library ? std::string_view() : cure.key,
            .is_fine = share >= most_of_limit,
            .is_settled = library.has_value(),
            .brief = "limited by " + limit,
            .full = library ? full : full + ": " + std::string(cure.words)};
  }
  if (share >= most_of_limit) {
    return {.name = "memory", .is_fine = true, .brief = "fine", .full = "it is limited by " + limit};
  }
  if (!narrow.name.empty()) return narrow;
  return {.name = "nothing_alone",
          .is_settled = library.has_value(),
          .brief = "nothing alone limits it: " + shares_words(record, time_s),
          .full = "nothing alone limits it; shares of its time: " + shares_words(record, time_s)};
}

}  // namespace gpumem::report
