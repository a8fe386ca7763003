#include "report/advise/describe_sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"
#include "report/advise/caller_words.hpp"
#include "report/advise/describe_counts.hpp"
#include "report/advise/kernel_verdict.hpp"
#include "report/advise/repeated_words.hpp"
#include "report/advise/site_cures.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/rules/why_rules.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr double worth_saying = 0.02;  // of a kernel's time
constexpr std::size_t most_sites = 3;  // that sentences tell of

/// "9.8 of 10.9 ms".
std::string saved_words(double saved_s, double all_s) {
  return fmt::format("{} of {}", stage_time_words(saved_s), stage_time_words(all_s));
}

/// A wasteful site, and the change that would remove its waste.
struct CurableSite {
  const SiteRecord* site;
  SiteCure cure;
};

/// Returns the wasteful sites that have a cure, in the record's order: the largest saving first.
std::vector<CurableSite> curable_sites(const Record& record) {
  const bool atomics_wait = record.bottleneck && record.bottleneck->predicted == "atomics";
  const std::string kernel = text_of(record, kernel_parameter);
  std::vector<CurableSite> sites;
  for (const SiteRecord& site : record.access) {
    if (!is_wasteful(site) && !(atomics_wait && site.op == "atomic")) continue;
    const SiteCure cure = cure_of(site, kernel);
    if (!cure.words.empty()) sites.push_back({&site, cure});
  }
  return sites;
}

bool is_narrow(const Record& record) { return kernel_verdict(record).name == narrow_words_verdict; }

/// Returns true if something can be done about the kernel and it would save at least `worth_saying` of its time.
bool is_worth_saving(const Record& record, const std::vector<CurableSite>& sites) {
  const bool is_repeated = !repeated_cure(record).key.empty();
  if (sites.empty() && !is_repeated && !waits_for_loads(record.stages) && !is_narrow(record)) return false;
  const double saved = metric_value(record, could_save_name).value_or(0);
  const double all = metric_value(record, gpu_time_name).value_or(0);
  return all > 0 ? saved >= worth_saying * all : saved > 0;
}

/// "By the model 9.8 of 10.9 ms could be saved (8 to 10 ms)."
std::string saving_words(const Record& record) {
  const double all = metric_value(record, gpu_time_name).value_or(0);
  if (all <= 0) return "";
  const double saved = metric_value(record, could_save_name).value_or(0);
  const auto low = metric_value(record, could_save_low_name);
  const auto high = metric_value(record, could_save_high_name);
  const std::string within =
      low && high ? fmt::format(" ({} to {})", stage_time_words(*low), stage_time_words(*high)) : "";
  if (!record.no_prediction) return fmt::format("By the model {} could be saved{}.", saved_words(saved, all), within);
  return fmt::format("By the model {} could be saved{}, though {}.", saved_words(saved, all), within,
                     one_line(*record.no_prediction));
}

constexpr const char* launches_differ_words =
    "Its launches differ: the counted ones access memory in another way than the one seen access by access.";

/// Returns true if the verdict is told before the sites of a kernel with something that can be changed.
bool verdict_comes_first(const Record& record, const KernelVerdict& verdict, const std::vector<CurableSite>& sites) {
  if (sites.empty() && verdict.name == narrow_words_verdict) return true;
  return waits_for_loads(record.stages) && !verdict.brief.empty() && (!verdict.is_settled || sites.empty());
}

/// Returns the verdict on a kernel of which this site wastes most.
std::string_view verdict_on(const SiteRecord& site) {
  if (site.op == "atomic") return atomics_verdict;
  if (is_spill(site)) return spilled_registers_verdict;
  return site.space == "local" ? local_memory_verdict : wasteful_accesses_verdict;
}

/// Explains a kernel that could save something.
Explanation wasteful_explanation(const Record& record, const std::vector<CurableSite>& sites) {
  std::vector<std::string> sentences = {saving_words(record)};
  std::string brief = repeated_words(record);
  if (!brief.empty()) sentences.push_back(capitalised(brief) + ".");
  if (const KernelVerdict verdict = kernel_verdict(record); verdict_comes_first(record, verdict, sites)) {
    if (brief.empty()) brief = verdict.brief;
    sentences.push_back(capitalised(verdict.full) + ".");
  }
  for (std::size_t i = 0; i < std::min(sites.size(), most_sites); ++i) {
    const std::string words = site_words(*sites[i].site) + "; " + std::string(sites[i].cure.words);
    if (brief.empty()) brief = words;
    sentences.push_back(capitalised(words) + ".");
  }
  if (sites.size() > most_sites) {
    sentences.push_back(fmt::format("And {} more.", counted(sites.size() - most_sites, "site")));
  }
  std::erase(sentences, "");
  return {.brief = brief, .full = join(sentences, " ")};
}

/// Explains a kernel that wastes next to nothing, or whose waste has no cure.
Explanation limited_explanation(const Record& record, const std::vector<CurableSite>& sites) {
  KernelVerdict verdict = kernel_verdict(record);
  if (verdict.name.empty()) {
    if (record.no_prediction) {
      const std::string brief = "no saving is known: " + one_line(*record.no_prediction);
      return {.brief = brief, .full = capitalised(brief) + "."};
    }
    verdict.is_fine = true;
    if (record.bottleneck) verdict.full = "it is limited by " + stage_words(record.bottleneck->predicted);
  }
  if (verdict.is_fine) verdict.brief = fine_brief;
  std::vector<std::string> words;
  if (verdict.is_fine) {
    words.emplace_back(sites.empty() ? "its requests waste little" : "the waste of its requests costs next to no time");
  }
  if (!verdict.full.empty()) words.push_back((words.empty() ? "" : "by the model ") + verdict.full);
  return {.brief = verdict.brief, .full = capitalised(join(words, "; ")) + "."};
}

}  // namespace

std::string site_words(const SiteRecord& site) {
  const std::string what =
      (site.space == "global" ? std::string() : site.space + " ") + site.op + "s" + array_words(site);
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

Explanation kernel_explanation(const Record& record) {
  if (!record.ran()) return {.brief = "", .full = ""};
  if (record.access.empty() && record.counters) return counted_explanation(record);
  const std::vector<CurableSite> sites = curable_sites(record);
  const bool worth = is_worth_saving(record, sites);
  Explanation said = worth ? wasteful_explanation(record, sites) : limited_explanation(record, sites);
  if (record.has_flag("counts_differ")) {
    if (!worth) said.brief = "its launches differ";
    said.full += (said.full.empty() ? "" : " ") + std::string(launches_differ_words);
  }
  return said;
}

KernelRemedy kernel_remedy(const Record& record) {
  if (!record.ran() || record.access.empty()) return {};
  const std::vector<CurableSite> sites = curable_sites(record);
  const KernelVerdict verdict = kernel_verdict(record);
  const bool worth = is_worth_saving(record, sites);
  if (!worth && record.has_flag("counts_differ")) return {.cause = verdict.name, .cure = {}};
  if (const RepeatedCure repeated = repeated_cure(record); worth && !repeated.key.empty()) {
    const auto site = std::ranges::find_if(record.access, [&](const SiteRecord& any) {
      return any.site == record.repeated_traffic->site && any.op == "load" && any.space == "global";
    });
    return {.cause = repeated.cause, .cure = repeated.key, .site = site == record.access.end() ? nullptr : &*site};
  }
  if (!worth || sites.empty() || verdict_comes_first(record, verdict, sites)) {
    return {.cause = verdict.name, .cure = verdict.cure};
  }
  const SiteRecord& site = *sites.front().site;
  const std::string_view cause =
      site.op != "atomic" && site.space == "shared" ? bank_conflicts_cause : verdict_on(site);
  return {.cause = cause, .cure = sites.front().cure.key, .site = &site};
}

std::string kernel_verdict_name(const Record& record) {
  if (!record.ran() || record.access.empty()) return "";
  const std::vector<CurableSite> sites = curable_sites(record);
  const bool worth = is_worth_saving(record, sites);
  if (const RepeatedCure repeated = repeated_cure(record); worth && !repeated.key.empty()) {
    return std::string(repeated.cause);
  }
  if (worth && !sites.empty() && !waits_for_loads(record.stages)) {
    return std::string(verdict_on(*sites.front().site));
  }
  return std::string(kernel_verdict(record).name);
}

}  // namespace gpumem::report
