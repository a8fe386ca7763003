#include "report/compare/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/access/request.hpp"
#include "report/advise/libraries.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Sums of floats may be taken in another order.
constexpr double rounding = 1e-9;

struct CountGapWords {
  CountGap kind = CountGap::no;
  std::string words = {};
};

CountGapWords gap_of_side(const Record& record, const char* side) {
  if (!is_kernel(record)) {
    if (std::ranges::any_of(record.access, has_counts)) return {};
    return {CountGap::no_counts, fmt::format("no counts by site in {}", side)};
  }
  if (is_seen_by_another_grid(record)) {
    return {CountGap::not_looked_at, fmt::format("not looked at in {}: a launch of another grid stands for it", side)};
  }
  if (record.status != Status::ok) {
    return {CountGap::not_looked_at,
            fmt::format("not looked at in {}{}", side, record.reason ? ": " + one_line(*record.reason) : "")};
  }
  if (has_seen_accesses(record)) return {};
  return {
      CountGap::no_counts,
      fmt::format("counted as a whole in {}, not by site; record it without --counters, or with --sites too", side)};
}

bool is_same_case(const Record& before, const Record& after) {
  return std::ranges::all_of(before.parameters, [&](const Parameter& parameter) {
    const Parameter* other = find_parameter(after, parameter.name);
    return other == nullptr || other->value == parameter.value;
  });
}

bool is_seen_in_part(const Record& before, const Record& after) {
  return before.has_flag("partly_seen") || after.has_flag("partly_seen");
}

/// True if some cost is predicted in both, or counted in both.
bool has_common_reading(const Record& before, const Record& after) {
  return std::ranges::any_of(before.access, [&](const SiteRecord& old_site) {
    return std::ranges::any_of(after.access, [&](const SiteRecord& new_site) {
      return std::ranges::any_of(old_site.costs, [&](const CostRecord& cost) {
        return cost_pair(old_site, new_site, cost.unit).old_value.has_value();
      });
    });
  });
}

CountGapWords gap_between(const Record& before, const Record& after, const char* new_side) {
  for (const auto& [record, side] : {std::pair(&before, "old"), std::pair(&after, new_side)}) {
    if (CountGapWords gap = gap_of_side(*record, side); gap.kind != CountGap::no) return gap;
  }
  if (!is_kernel(before) && !has_common_reading(before, after)) {
    return {CountGap::no_counts, "predicted in one, counted in the other"};
  }
  if (is_same_case(before, after)) return {};
  if (!is_kernel(before)) return {CountGap::other_work, "another launch shape or size, which auto chose"};
  const bool same_work =
      before.useful_bytes_read == after.useful_bytes_read && before.useful_bytes_written == after.useful_bytes_written;
  // Bytes that were inferred from a part of the blocks tell nothing.
  if (same_work && !is_seen_in_part(before, after)) return {};
  return {CountGap::other_work, "another name, grid or block, and not surely the same work"};
}

Inexact inexactness(const Record& before, const Record& after, bool varies) {
  if (!is_kernel(before)) return Inexact::no;
  if (is_seen_in_part(before, after)) return Inexact::seen_in_part;
  if (varies) return Inexact::varies;
  const Parameter* name = find_parameter(before, kernel_parameter);
  const auto library = name == nullptr ? std::nullopt : library_kernel(gpumem::to_string(name->value));
  return library && library->choice == CallersChoice::nothing ? Inexact::library : Inexact::no;
}

CountVerdict verdict_of(double old_value, double new_value) {
  return new_value > old_value ? CountVerdict::grew : CountVerdict::fell;
}

/// The sites of a pair that are there.
std::vector<const SiteRecord*> sites_of(const SitePair& pair) {
  std::vector<const SiteRecord*> sites;
  for (const SiteRecord* site : {pair.old_site, pair.new_site}) {
    if (site != nullptr) sites.push_back(site);
  }
  return sites;
}

double requests_in(const SiteRecord* site) {
  return site == nullptr ? 0 : static_cast<double>(site->requests.value_or(0));
}

double total_in(const SiteRecord* site, std::string_view unit) {
  return site == nullptr ? 0 : total_of(*site, unit).value_or(0);
}

/// The changes of whole launches. A total is shown per request if both have as many requests.
std::vector<CountChange> launch_changes(const SitePair& pair) {
  std::vector<CountChange> changes;
  const double before = requests_in(pair.old_site);
  const double after = requests_in(pair.new_site);
  if (before != after) {
    changes.push_back({requests_unit, CountBasis::launch, before, after, after - before, verdict_of(before, after)});
  }
  for (const std::string& unit : units_of(sites_of(pair))) {
    const double old_total = total_in(pair.old_site, unit);
    const double new_total = total_in(pair.new_site, unit);
    if (old_total == new_total) continue;
    CountChange change{unit,      CountBasis::launch,    old_total,
                       new_total, new_total - old_total, verdict_of(old_total, new_total)};
    if (before == after && before > 0) {
      change.basis = CountBasis::request;
      change.old_value /= before;
      change.new_value /= after;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

/// Costs of requests of a site of which NEW or OLD has none.
std::vector<CountChange> one_sided_changes(const SitePair& pair, CountVerdict verdict) {
  std::vector<CountChange> changes;
  for (const CostRecord& cost : pair.any().costs) {
    const auto value = cost.per_request.predicted ? cost.per_request.predicted : cost.per_request.counted;
    if (!value) continue;
    CountChange change{.unit = cost.unit, .verdict = verdict};
    (pair.new_site == nullptr ? change.old_value : change.new_value) = *value;
    changes.push_back(std::move(change));
  }
  return changes;
}

/// The KiB that a request's lanes ask for.
double kib_per_request(const SiteRecord& site) {
  return site.active_lanes.value_or(access::warp_lanes) * std::max(1U, site.word_bytes) / 1024;
}

/// The changes of the costs of a request beyond `tolerance`; of a KiB if the words of the two are not equally wide.
std::vector<CountChange> request_changes(const SitePair& pair, double tolerance) {
  const SiteRecord& old_site = *pair.old_site;
  const SiteRecord& new_site = *pair.new_site;
  const bool per_kib = old_site.word_bytes != new_site.word_bytes;
  const double old_kib = per_kib ? kib_per_request(old_site) : 1;
  const double new_kib = per_kib ? kib_per_request(new_site) : 1;
  std::vector<CountChange> changes;
  const auto add = [&](const std::string& unit, double before, double after) {
    const auto [less, more] = std::minmax(before, after);
    if (!(more > less * (1 + tolerance))) return;
    changes.push_back({unit, per_kib ? CountBasis::kib : CountBasis::request, before, after, std::nullopt,
                       verdict_of(before, after)});
  };
  if (per_kib && old_kib > 0 && new_kib > 0) add(requests_unit, 1 / old_kib, 1 / new_kib);
  for (const std::string& unit : units_of(sites_of(pair))) {
    const CostPair costs = cost_pair(old_site, new_site, unit);
    if (!costs.old_value || !costs.new_value || !(old_kib > 0 && new_kib > 0)) continue;
    add(unit, *costs.old_value / old_kib, *costs.new_value / new_kib);
  }
  return changes;
}

/// The same for one site in several runs of one program.
std::string identity_of(const SiteRecord& site) {
  return site.site + ' ' + site.space + ' ' + site.op + ' ' + std::to_string(site.word_bytes);
}

/// The pairs of a kernel with one space and operation.
struct Family {
  bool is_settled = true;                                        ///< no site came, went, or is not counted
  std::map<std::string, std::pair<double, double>> totals = {};  ///< by unit, OLD's and NEW's
};

class CaseCounting {
 public:
  CaseCounting(const Record& before, const Record& after, CountedCase& counted, double tolerance)
      : before_(before),
        after_(after),
        counted_(counted),
        tolerance_(tolerance),
        is_exact_(counted.inexact == Inexact::no) {}

  /// Fills the changes. Sites of OLD that vary are counted and left out.
  void fill(const std::set<std::string>& varying) {
    const std::vector<SitePair> pairs =
        pair_sites(before_.access, after_.access, is_exact_ ? std::nullopt : std::optional(tolerance_));
    for (const SitePair& pair : pairs) {
      if (pair.old_site != nullptr && varying.contains(identity_of(*pair.old_site))) {
        ++counted_.varying_sites;
        continue;
      }
      std::vector<CountChange> changes = changes_of(pair);
      if (changes.empty()) {
        ++counted_.same_sites;
      } else {
        counted_.changes.push_back({pair, std::move(changes)});
      }
    }
    const auto is_uncounted = [](const SiteRecord& site) { return !has_counts(site); };
    counted_.uncounted_sites = static_cast<std::size_t>(std::ranges::count_if(after_.access, is_uncounted));
    if (!is_exact_ || !is_kernel(before_)) return;
    settle(pairs);
    counted_.old_counts = sums_of(before_);
    counted_.new_counts = sums_of(after_);
  }

 private:
  [[nodiscard]] std::vector<CountChange> changes_of(const SitePair& pair) const {
    const bool one_sided = pair.old_site == nullptr || pair.new_site == nullptr;
    const bool whole = is_exact_ && is_kernel(before_) &&
                       std::ranges::all_of(sites_of(pair), [](const auto* site) { return site->requests.has_value(); });
    if (whole) return launch_changes(pair);
    if (!one_sided) return request_changes(pair, is_exact_ ? rounding : tolerance_);
    const CountVerdict verdict = pair.old_site == nullptr ? CountVerdict::grew : CountVerdict::fell;
    return one_sided_changes(pair, is_exact_ ? verdict : CountVerdict::unsure);
  }

  static std::string family_of(const SiteRecord& site) { return site.space + ' ' + site.op; }

  /// Decides by the sum what has grown, if sites came or went.
  void settle(const std::vector<SitePair>& pairs) {
    std::map<std::string, Family> families;
    for (const SitePair& pair : pairs) {
      Family& family = families[family_of(pair.any())];
      if (pair.old_site == nullptr || pair.new_site == nullptr) family.is_settled = false;
      const auto add = [&](const std::string& unit, double old_total, double new_total) {
        family.totals[unit].first += old_total;
        family.totals[unit].second += new_total;
      };
      add(requests_unit, requests_in(pair.old_site), requests_in(pair.new_site));
      for (const std::string& unit : units_of(sites_of(pair))) {
        add(unit, total_in(pair.old_site, unit), total_in(pair.new_site, unit));
      }
    }
    std::set<std::string> uncounted;
    for (const Record* record : {&before_, &after_}) {
      for (const SiteRecord& site : record->access) {
        if (!has_counts(site)) uncounted.insert(family_of(site));
      }
    }
    for (SiteChange& site : counted_.changes) {
      const std::string family = family_of(site.site.any());
      const bool one_sided = site.site.old_site == nullptr || site.site.new_site == nullptr;
      for (CountChange& change : site.counts) {
        const auto& [old_total, new_total] = families.at(family).totals.at(change.unit);
        const bool in_all = change.verdict == CountVerdict::grew ? new_total > old_total : new_total < old_total;
        if (!families.at(family).is_settled && !in_all) change.verdict = CountVerdict::moved;
        if (one_sided && uncounted.contains(family)) change.verdict = CountVerdict::unsure;
      }
    }
  }

  static LaunchCounts sums_of(const Record& record) {
    LaunchCounts sums;
    for (const SiteRecord& site : record.access) {
      const double requests = requests_in(&site);
      sums.requests += requests;
      sums.asked_bytes += requests * kib_per_request(site) * 1024;
      sums.sector_bytes += total_in(&site, sectors) * access::sector_bytes;
      sums.wavefronts += total_in(&site, wavefronts);
    }
    return sums;
  }

  const Record& before_;
  const Record& after_;
  CountedCase& counted_;
  double tolerance_;
  bool is_exact_;
};

/// The sites of a kernel that differ between runs of OLD, in any grid. A kernel may be here without sites, if some of
/// its grids are only in one of the runs.
using Varying = std::map<std::string, std::set<std::string>>;

std::string kernel_name_of(const Record& record) { return text_of(record, kernel_parameter); }

/// Holds OLD against its repeated runs, which follow NEW in the comparison.
Varying varying_in_repeats(const Comparison& comparison, double tolerance) {
  Varying varying;
  for (const ComparedCase& compared : comparison.cases) {
    if (!is_kernel(*compared.record)) continue;
    for (std::size_t n = 2; n < compared.readings.size(); ++n) {
      if (!compared.in_either(n - 1)) continue;
      const std::string name = kernel_name_of(*compared.record);
      if (!compared.in_both(n - 1)) {
        varying[name];
        continue;
      }
      const Record& before = *compared.readings[0]->record;
      const Record& after = *compared.readings[n]->record;
      if (gap_between(before, after, "repeat").kind != CountGap::no) continue;
      CountedCase counted{.compared = &compared, .inexact = inexactness(before, after, false)};
      CaseCounting(before, after, counted, tolerance).fill({});
      for (const SiteChange& change : counted.changes) varying[name].insert(identity_of(change.site.any()));
    }
  }
  return varying;
}

CountedCase counted_case(const ComparedCase& compared, double tolerance, const Varying& varying) {
  CountedCase counted{.compared = &compared};
  if (!compared.in_both(0)) {
    counted.gap = compared.readings[0] ? CountGap::only_old : CountGap::only_new;
    counted.gap_words = compared.readings[0] ? "only in old" : "only in new";
    return counted;
  }
  const Record& before = counted.old_record();
  const Record& after = counted.new_record();
  CountGapWords gap = gap_between(before, after, "new");
  if (gap.kind == CountGap::no) {
    const auto own = varying.find(kernel_name_of(before));
    counted.inexact = inexactness(before, after, own != varying.end());
    CaseCounting(before, after, counted, tolerance).fill(own == varying.end() ? std::set<std::string>() : own->second);
  }
  counted.gap = gap.kind;
  counted.gap_words = std::move(gap.words);
  return counted;
}

}  // namespace

CountComparison compare_counts(const Comparison& comparison, double tolerance) {
  CountComparison counts{.comparison = &comparison, .tolerance = tolerance, .cases = {}};
  const Varying varying = varying_in_repeats(comparison, tolerance);
  for (const ComparedCase& compared : comparison.cases) {
    if (compared.in_either(0)) counts.cases.push_back(counted_case(compared, tolerance, varying));
  }
  return counts;
}

}  // namespace gpumem::report
