#include "report/explain/describe_sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"
#include "report/explain/describe_counts.hpp"
#include "report/explain/why_rules.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr double wasteful_from = 1.05;  // times what would do
constexpr double worth_saying = 0.02;   // of a kernel's time
constexpr std::size_t most_sites = 3;   // that sentences tell of
constexpr double few_lanes = 16;
constexpr double unexplained = 1.5;  // times the prediction

bool is(const SiteRecord& site, std::string_view space) { return site.space == space; }

/// How many times what would do.
double excess(const SiteRecord& site) {
  const auto cost = cost_of(site);
  return cost && cost->least > 0 ? cost->each / cost->least : 1;
}

/// Lines of its own for nearly every lane.
bool lanes_far_apart(const SiteRecord& site) {
  const auto lines = site.per_request(lines_unit).predicted;
  return lines && site.active_lanes && *lines > 0.75 * *site.active_lanes;
}

struct Cure {
  bool (*applies)(const SiteRecord&);
  const char* words;
};

/// The first that applies.
constexpr Cure cures[] = {
    {[](const SiteRecord& site) { return is(site, "local"); },
     "keep it in registers: indices known at compile time, fewer values alive, __launch_bounds__"},
    {[](const SiteRecord& site) { return is(site, "shared"); },
     "pad the rows of the tile by one word, or swizzle its columns"},
    {[](const SiteRecord& site) { return site.op == "atomic"; },
     "combine within the warp or block first, then one atomic for all"},
    {[](const SiteRecord& site) { return site.pattern.find("shifted off") != std::string::npos && excess(site) < 2; },
     "begin at a multiple of 32 bytes (pitched rows, aligned slices)"},
    {[](const SiteRecord& site) { return site.active_lanes && *site.active_lanes < few_lanes && excess(site) < 2; },
     "let more lanes take part in each request"},
    {[](const SiteRecord& site) { return site.pattern.find("at random") != std::string::npos; },
     "sort the indices, or keep what is used together side by side"},
    {lanes_far_apart, "let neighbouring lanes take neighbouring elements: transpose through shared memory"},
    {[](const SiteRecord&) { return true; },
     "let neighbouring lanes take neighbouring elements: a structure of arrays, or another loop order"},
};

/// "9.8 of 10.9 ms".
std::string saved_words(double saved_s, double all_s) {
  return fmt::format("{} of {}", stage_time_words(saved_s), stage_time_words(all_s));
}

std::string fine_words(const Record& record) {
  return record.bottleneck ? "its requests ask for little more than they use; by the model it is limited by " +
                                 stage_words(record.bottleneck->predicted)
                           : "its requests ask for little more than they use";
}

/// Of a kernel whose loads, one after another, take far longer than all else that it does.
std::optional<Explanation> waits_for_loads(const Record& record) {
  constexpr double far_longer = 1.5;
  if (!record.bottleneck || record.bottleneck->predicted != "latency") return std::nullopt;
  double latency = 0;
  double others = 0;
  for (const StageRecord& stage : record.stages) {
    double& longest = stage.stage == "latency" ? latency : others;
    longest = std::max(longest, stage.predicted_s.value_or(0));
  }
  if (latency < far_longer * others) return std::nullopt;
  return Explanation{
      .brief = "waits for loads: too few under way, or few warps have most",
      .full = fmt::format("its loads take {} one after another, where all that it does would take {}: too few are "
                          "under way, or few warps have most of them; let more threads share the work (a warp a row, "
                          "not a thread), or issue several loads before the first is used",
                          stage_time_words(latency), stage_time_words(others))};
}

/// Whether the kernel would be better off without what the site asks for.
bool is_wasteful_in(const Record& record, const SiteRecord& site) {
  const bool atomics_wait = record.bottleneck && record.bottleneck->predicted == "atomics";
  return is_wasteful(site) || (atomics_wait && site.op == "atomic");
}

/// Why its accesses do not explain its time, if they do not.
Explanation beyond_accesses(const Record& record) {
  if (std::ranges::find(record.flags, "counts_differ") != record.flags.end()) {
    return {.brief = "its launches are not alike",
            .full =
                "Its launches are not alike: those that were counted ask for something else than the one seen access "
                "by access."};
  }
  if (!record.time || !record.predicted_s || *record.predicted_s <= 0) return {.brief = "", .full = ""};
  const double times = record.time->summary.median.count() / *record.predicted_s;
  if (times < unexplained) return {.brief = "", .full = ""};
  return {.brief = "waits for something other than its accesses",
          .full = fmt::format("It takes {} x as long as its accesses explain: something else holds it up.",
                              trimmed(times, 1))};
}

}  // namespace

bool SiteCost::is_waste() const { return each > wasteful_from * least; }

std::optional<SiteCost> cost_of(const SiteRecord& site) {
  for (const char* unit : {sectors, wavefronts}) {
    const Reading reading = site.per_request(unit);
    const auto each = reading.predicted ? reading.predicted : reading.counted;
    const auto least = site.least(unit);
    if (each && least) return SiteCost{unit, *each, *least};
  }
  return std::nullopt;
}

bool is_wasteful(const SiteRecord& site) {
  if (is(site, "local")) return true;
  const auto cost = cost_of(site);
  return cost && cost->is_waste();
}

std::string site_words(const SiteRecord& site) {
  const std::string what = (is(site, "global") ? std::string() : site.space + " ") + site.op + "s";
  std::vector<std::string> said;
  if (!site.pattern.empty()) said.push_back(one_line(site.pattern));
  if (site.active_lanes && *site.active_lanes < few_lanes) {
    said.push_back(fmt::format("{} of 32 lanes active", trimmed(*site.active_lanes, 1)));
  }
  if (const auto cost = cost_of(site); cost && cost->is_waste()) {
    said.push_back(fmt::format("{} {} where {} would do", trimmed(cost->each, 1), cost->unit, trimmed(cost->least, 1)));
  }
  return fmt::format("{}: {} ({})", one_line(what), join(said, ", "), one_line(site.site));
}

std::string site_cure(const SiteRecord& site) {
  return std::ranges::find_if(cures, [&](const Cure& cure) { return cure.applies(site); })->words;
}

Explanation kernel_explanation(const Record& record) {
  if (!record.ran()) return {.brief = "", .full = ""};
  if (record.access.empty() && record.counters) return counted_explanation(record);
  std::vector<const SiteRecord*> wasteful;
  for (const SiteRecord& site : record.access) {
    if (is_wasteful_in(record, site)) wasteful.push_back(&site);
  }
  const double saved = metric_value(record, could_save_name).value_or(0);
  const double all = metric_value(record, gpu_time_name).value_or(0);
  const Explanation beyond = beyond_accesses(record);
  const bool worth = all > 0 ? saved >= worth_saying * all : saved > 0;
  if (wasteful.empty() || !worth) {
    const std::string fine =
        wasteful.empty() ? fine_words(record) : "what its requests ask for beyond what they use costs next to no time";
    const Explanation own = waits_for_loads(record).value_or(Explanation{std::string(fine_brief), fine});
    return {.brief = beyond.brief.empty() ? own.brief : beyond.brief,
            .full = capitalised(own.full) + "." + (beyond.full.empty() ? "" : " " + beyond.full)};
  }
  const std::string first = site_words(*wasteful.front());
  const std::string cure = site_cure(*wasteful.front());
  std::vector<std::string> sentences;
  if (all > 0) sentences.push_back("By the model " + saved_words(saved, all) + " could be saved.");
  for (std::size_t i = 0; i < std::min(wasteful.size(), most_sites); ++i) {
    sentences.push_back(capitalised(site_words(*wasteful[i])) + "; " + site_cure(*wasteful[i]) + ".");
  }
  if (wasteful.size() > most_sites) {
    sentences.push_back(fmt::format("And {} more.", counted(wasteful.size() - most_sites, "site")));
  }
  if (!beyond.full.empty()) sentences.push_back(beyond.full);
  return {.brief = first + "; " + cure, .full = join(sentences, " ")};
}

}  // namespace gpumem::report
