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
  bool array = false;
};

std::string site_key(const SiteRecord& site, const SiteLikeness& likeness) {
  std::string key = site.space + '\x1f' + site.op;
  if (likeness.word) key.append(1, '\x1f').append(std::to_string(site.word_bytes));
  if (likeness.array) key.append(1, '\x1f').append(site.array ? std::to_string(site.array->bytes) : "-");
  if (likeness.owner) key.append(1, '\x1f').append(split_name(site).owner);
  return key;
}

/// The costs of a launch or, if the requests are unknown, of a request. SiteList that are equal in them are as good as
/// each other.
std::vector<double> weight_of(const SiteRecord& site) {
  std::vector<double> weight;
  for (const CostRecord& cost : site.costs) {
    weight.push_back(
        total_of(site, cost.unit).value_or(cost.per_request.predicted.value_or(cost.per_request.counted.value_or(0))));
  }
  weight.push_back(static_cast<double>(site.requests.value_or(0)));
  return weight;
}

/// True if a count of the second is larger. SiteList with other units cannot be told apart by them.
bool has_grown(const SiteRecord* old_site, const SiteRecord* new_site) {
  const std::vector<double> before = weight_of(*old_site);
  const std::vector<double> after = weight_of(*new_site);
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (after[i] > before[i]) return true;
  }
  return false;
}

bool any_grows(const SiteList& olds, const SiteList& news) {
  for (std::size_t i = 0; i < olds.size(); ++i) {
    if (has_grown(olds[i], news[i])) return true;
  }
  return false;
}

void sort_by_position(SiteList& sites) {
  std::ranges::stable_sort(sites, {}, [](const SiteRecord* site) {
    const auto& [owner, position] = split_name(*site);
    return std::tuple(owner, position, weight_of(*site));
  });
}

class SitePairing {
 public:
  SitePairing(std::span<const SiteRecord> olds, std::span<const SiteRecord> news)
      : olds_(with_counts(olds)), news_(with_counts(news)) {}

  [[nodiscard]] std::vector<SitePair> pairs() && {
    constexpr SiteLikeness steps[] = {{.owner = true, .word = true, .array = true},
                                      {.owner = true, .word = true},
                                      {.word = true, .array = true},
                                      {.word = true},
                                      {.owner = true},
                                      {}};
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
      pair_equal(olds, news);
    } else if (any_grows(olds, news)) {
      SiteList lighter_olds = olds;
      SiteList lighter_news = news;
      for (SiteList* sites : {&lighter_olds, &lighter_news}) std::ranges::stable_sort(*sites, {}, weight_of_site);
      if (!any_grows(lighter_olds, lighter_news)) {
        olds = std::move(lighter_olds);
        news = std::move(lighter_news);
      }
    }
    const std::size_t both = std::min(olds.size(), news.size());
    for (std::size_t i = 0; i < both; ++i) pairs_.push_back({.old_site = olds[i], .new_site = news[i]});
    for (std::size_t i = both; i < olds.size(); ++i) olds_.push_back(olds[i]);
    for (std::size_t i = both; i < news.size(); ++i) news_.push_back(news[i]);
  }

  static std::vector<double> weight_of_site(const SiteRecord* site) { return weight_of(*site); }

  /// Pairs sites with equal counts, so that a site that came or went among them does not shift the others.
  void pair_equal(SiteList& olds, SiteList& news) {
    std::map<std::vector<double>, SiteList> free;
    for (const SiteRecord* site : news) free[weight_of(*site)].push_back(site);
    std::erase_if(olds, [&](const SiteRecord* site) {
      const auto equal = free.find(weight_of(*site));
      if (equal == free.end() || equal->second.empty()) return false;
      const SiteRecord* partner = equal->second.front();
      equal->second.erase(equal->second.begin());
      pairs_.push_back({.old_site = site, .new_site = partner});
      std::erase(news, partner);
      return true;
    });
  }

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

std::vector<SitePair> pair_sites(std::span<const SiteRecord> old_sites, std::span<const SiteRecord> new_sites) {
  return SitePairing(old_sites, new_sites).pairs();
}

}  // namespace gpumem::report
