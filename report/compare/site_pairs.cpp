#include "report/compare/site_pairs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gpumem::report {

namespace {

using SiteList = std::vector<const SiteRecord*>;

/// A site's name in its parts: "copy.cu:11" is line 11 of the file, "copy+0x1b0" is an offset in the function.
struct SiteName {
  std::string_view owner;
  std::uint64_t position = 0;
};

SiteName split_name(const SiteRecord& site) {
  const std::string_view name = site.site;
  for (const auto& [mark, base] : {std::pair(std::string_view("+0x"), 16), std::pair(std::string_view(":"), 10)}) {
    const std::size_t at = name.rfind(mark);
    if (at == std::string_view::npos) continue;
    const char* const end = name.data() + name.size();
    std::uint64_t position = 0;
    const auto [stop, error] = std::from_chars(name.data() + at + mark.size(), end, position, base);
    if (error == std::errc() && stop == end) return {name.substr(0, at), position};
  }
  return {name};
}

/// The parts of a site that have to be equal for two of them to be one.
struct SiteLikeness {
  bool owner = false;
  bool word = false;
};

std::string site_key(const SiteRecord& site, const SiteLikeness& likeness) {
  std::string key = site.space + '\x1f' + site.op;
  if (likeness.word) key.append(1, '\x1f').append(std::to_string(site.word_bytes));
  if (likeness.owner) key.append(1, '\x1f').append(split_name(site).owner);
  return key;
}

using Weight = std::vector<double>;

/// The costs of a launch and its requests; of a request if these are unknown, or not exact.
Weight weight_of(const SiteRecord& site, bool exact) {
  Weight weight;
  for (const CostRecord& cost : site.costs) {
    const double each = cost.per_request.predicted.value_or(cost.per_request.counted.value_or(0));
    weight.push_back(exact ? total_of(site, cost.unit).value_or(each) : each);
  }
  if (exact) weight.push_back(static_cast<double>(site.requests.value_or(0)));
  return weight;
}

void sort_by_position(SiteList& sites) {
  std::ranges::stable_sort(sites, {}, [](const SiteRecord* site) {
    const SiteName name = split_name(*site);
    return std::tuple(name.owner, name.position, weight_of(*site, true));
  });
}

const std::string& name_of_site(const SiteRecord* site) { return site->site; }

bool has_all_names(const SiteList& sites, const SiteList& of) {
  return std::ranges::all_of(
      of, [&](const SiteRecord* site) { return std::ranges::find(sites, site->site, name_of_site) != sites.end(); });
}

class SitePairing {
 public:
  SitePairing(std::span<const SiteRecord> olds, std::span<const SiteRecord> news, std::optional<double> tolerance)
      : tolerance_(tolerance), olds_(with_counts(olds)), news_(with_counts(news)) {}

  [[nodiscard]] std::vector<SitePair> pairs() && {
    constexpr SiteLikeness steps[] = {{.owner = true, .word = true}, {.word = true}, {.owner = true}, {}};
    for (const SiteLikeness& likeness : steps) pair_alike(likeness);
    for (const SiteRecord* site : olds_) pairs_.push_back({.old_site = site, .new_site = nullptr});
    for (const SiteRecord* site : news_) pairs_.push_back({.old_site = nullptr, .new_site = site});
    return std::move(pairs_);
  }

 private:
  static SiteList with_counts(std::span<const SiteRecord> sites) {
    SiteList kept;
    for (const SiteRecord& site : sites) {
      if (has_counts(site)) kept.push_back(&site);
    }
    sort_by_position(kept);
    return kept;
  }

  void pair_alike(const SiteLikeness& likeness) {
    std::map<std::string, std::pair<SiteList, SiteList>> groups;
    for (const SiteRecord* site : olds_) groups[site_key(*site, likeness)].first.push_back(site);
    for (const SiteRecord* site : news_) groups[site_key(*site, likeness)].second.push_back(site);
    olds_.clear();
    news_.clear();
    for (auto& [key, group] : groups) pair_group(group.first, group.second);
    sort_by_position(olds_);
    sort_by_position(news_);
  }

  /// Pairs as many as there are on both sides, and keeps the others for the next step.
  void pair_group(SiteList& olds, SiteList& news) {
    if (olds.size() != news.size()) {
      const auto weight = [&](const SiteRecord* site) { return weight_of(*site, !tolerance_); };
      // If all names of one side are on the other, the code is the same, and some of it did not run.
      const bool same_code = has_all_names(olds, news) || has_all_names(news, olds);
      if (!same_code) pair_first(olds, news, weight);
      pair_first(olds, news, name_of_site);
    }
    if (olds.size() != news.size() || any_grows(olds, news)) order_by_weight(olds, news);
    const std::size_t both = std::min(olds.size(), news.size());
    const std::size_t lightest = olds.size() - both;  // of OLD: if sites went, as many as can are no heavier in NEW
    for (std::size_t i = 0; i < both; ++i) pairs_.push_back({.old_site = olds[lightest + i], .new_site = news[i]});
    for (std::size_t i = 0; i < lightest; ++i) olds_.push_back(olds[i]);
    for (std::size_t i = both; i < news.size(); ++i) news_.push_back(news[i]);
  }

  [[nodiscard]] bool any_grows(const SiteList& olds, const SiteList& news) const {
    for (std::size_t i = 0; i < olds.size(); ++i) {
      const Weight before = weight_of(*olds[i], !tolerance_);
      const Weight after = weight_of(*news[i], !tolerance_);
      for (std::size_t k = 0; k < std::min(before.size(), after.size()); ++k) {
        if (after[k] > before[k] * (1 + tolerance_.value_or(0))) return true;
      }
    }
    return false;
  }

  /// Orders both by their counts, unless as many sites are left on both sides and one would grow in any order.
  void order_by_weight(SiteList& olds, SiteList& news) const {
    SiteList lighter_olds = olds;
    SiteList lighter_news = news;
    for (SiteList* sites : {&lighter_olds, &lighter_news}) {
      std::ranges::stable_sort(*sites, {}, [&](const SiteRecord* site) { return weight_of(*site, !tolerance_); });
    }
    if (olds.size() == news.size() && any_grows(lighter_olds, lighter_news)) return;
    olds = std::move(lighter_olds);
    news = std::move(lighter_news);
  }

  /// Pairs sites that are equal in something, each with the first of its equals that is left.
  template <class Something>
  void pair_first(SiteList& olds, SiteList& news, const Something& something) {
    std::map<std::decay_t<std::invoke_result_t<Something, const SiteRecord*>>, SiteList> free;
    for (const SiteRecord* site : news) free[something(site)].push_back(site);
    std::erase_if(olds, [&](const SiteRecord* site) {
      const auto equal = free.find(something(site));
      if (equal == free.end() || equal->second.empty()) return false;
      const SiteRecord* partner = equal->second.front();
      equal->second.erase(equal->second.begin());
      pairs_.push_back({.old_site = site, .new_site = partner});
      std::erase(news, partner);
      return true;
    });
  }

  std::optional<double> tolerance_;
  SiteList olds_;
  SiteList news_;
  std::vector<SitePair> pairs_ = {};
};

}  // namespace

CostPair cost_pair(const SiteRecord& old_site, const SiteRecord& new_site, std::string_view unit) {
  const Reading before = old_site.per_request(unit);
  const Reading after = new_site.per_request(unit);
  if (before.predicted && after.predicted) return {before.predicted, after.predicted};
  if (before.counted && after.counted) return {before.counted, after.counted};
  return {};
}

std::optional<double> total_of(const SiteRecord& site, std::string_view unit) {
  const Reading cost = site.per_request(unit);
  if (!site.requests || !cost.predicted) return std::nullopt;
  return std::round(static_cast<double>(*site.requests) * *cost.predicted);
}

std::vector<std::string> units_of(std::span<const SiteRecord* const> sites) {
  std::vector<std::string> units;
  for (const SiteRecord* site : sites) {
    for (const CostRecord& cost : site->costs) {
      if (std::ranges::find(units, cost.unit) == units.end()) units.push_back(cost.unit);
    }
  }
  return units;
}

bool has_counts(const SiteRecord& site) {
  return std::ranges::any_of(
      site.costs, [](const CostRecord& cost) { return cost.per_request.predicted || cost.per_request.counted; });
}

std::vector<SitePair> pair_sites(std::span<const SiteRecord> old_sites, std::span<const SiteRecord> new_sites,
                                 std::optional<double> tolerance) {
  return SitePairing(old_sites, new_sites, tolerance).pairs();
}

}  // namespace gpumem::report
