#include "probes/host/transfer/transfer_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"
#include "engine/measure/host_memory.hpp"
#include "engine/statistics/linear_cost.hpp"

namespace gpumem::host {

namespace {

/// Rates closer than this are called the same: runs differ by as much.
constexpr double same_within = 0.03;
/// Two copies that take less than this of their times in a row overlap; fully, they would take half.
constexpr double overlapping_share = 0.75;

/// The cases of one kind of host memory.
struct Kind {
  std::string name;
  std::map<std::uint64_t, const Outcome*> by_size = {};
  std::optional<measure::LinearCost> cost = {};
};

std::vector<Kind> kinds_of(std::span<const Outcome> outcomes) {
  std::vector<Kind> kinds;
  for (const std::string_view name : memory_names) {  // in this order, whatever the order of the cases
    Kind kind{.name = std::string(name)};
    std::vector<measure::TimedSize> readings;
    for (const Outcome& outcome : outcomes) {
      if (outcome.one.name("host_memory") != name || outcome.seconds <= 0) continue;
      const std::uint64_t bytes = outcome.one.number("size_bytes");
      kind.by_size[bytes] = &outcome;
      readings.push_back({static_cast<double>(bytes), measure::Seconds(outcome.seconds)});
    }
    if (kind.by_size.empty()) continue;
    kind.cost = measure::fit_linear_cost(readings);
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

std::optional<std::uint64_t> largest_common_size(std::span<const Kind> kinds) {
  std::optional<std::uint64_t> largest;
  for (const auto& [size, outcome] : kinds.front().by_size) {
    if (std::ranges::all_of(kinds, [size = size](const Kind& kind) { return kind.by_size.contains(size); })) {
      largest = size;
    }
  }
  return largest;
}

std::string sentence(std::string_view text) { return capitalised(text) + "."; }

/// The kinds at one size that all of them have.
class Comparison {
 public:
  Comparison(std::span<const Kind> kinds, std::uint64_t size)
      : kinds_(kinds), size_(size), direction_(kinds.front().by_size.at(size)->one.name("direction")) {
    fastest_ = &*std::ranges::max_element(kinds_, {}, [&](const Kind& kind) { return rate(kind); });
    example_ = &*std::ranges::find_if(kinds_, [&](const Kind& kind) { return same(kind, *fastest_); });
  }

  [[nodiscard]] std::string which_kind() const {
    const Kind* pageable = find("pageable");
    const std::string speed = rate_words(rate(*fastest_) / 1e9) + " " + where();
    if (kinds_.size() == 1) return sentence(fmt::format("{} memory copies {} at {}", fastest_->name, size(), speed));
    if (pageable != nullptr && same(*pageable, *fastest_)) {
      return sentence(
          fmt::format("at {} pageable memory is as fast as any, {}: page-locking gains nothing", size(), speed));
    }
    std::vector<std::string> equals;
    for (const Kind& kind : kinds_) {
      if (same(kind, *fastest_)) equals.push_back(kind.name);
    }
    std::string text = fmt::format("at {} {} memory {}: {}", size(), join_in_words(equals),
                                   equals.size() == 1 ? "is fastest" : "are equally fast", speed);
    if (pageable != nullptr)
      text += fmt::format(", {} pageable memory", times_words(rate(*fastest_) / rate(*pageable)));
    return sentence(text + write_combining());
  }

  /// After how many copies page-locking has saved what it costs.
  [[nodiscard]] std::string what_locking_costs() const {
    const Kind* pageable = find("pageable");
    const Kind* registered = find("registered");
    const Kind* locked = registered != nullptr ? registered : find("pinned");
    if (pageable == nullptr || locked == nullptr || same(*pageable, *locked)) return {};
    const double saved_s = at(*pageable).seconds - at(*locked).seconds;
    const auto setup_us = at(*locked).metric("setup_us");
    if (!setup_us || saved_s <= 0) return {};
    const double copies = std::max(std::ceil(*setup_us * 1e-6 / saved_s), 1.0);
    return sentence(
        fmt::format("{} takes {}, which {}",
                    registered != nullptr ? "registering memory of that size that is already there"
                                          : "allocating pinned memory of that size",
                    duration_words(*setup_us * 1e-6, 3),
                    copies == 1 ? "the first copy makes up for" : fmt::format("{:.0f} copies make up for", copies)));
  }

  [[nodiscard]] std::string what_small_copies_lose() const {
    if (!example_->cost) return {};
    return sentence(fmt::format("{} of {} {} half of the asymptotic {}: put smaller ones together",
                                kinds_.size() == 1 ? "copies" : example_->name + " copies",
                                size_text(static_cast<std::uint64_t>(example_->cost->half_size_bytes())),
                                both() ? "each way reach" : "reach",
                                rate_words(example_->cost->bytes_per_s * ways() / 1e9)));
  }

  /// Whether copies in both directions overlap.
  [[nodiscard]] std::string what_both_ways_gain() const {
    const Kind* pageable = find("pageable");
    const auto share = share_of_serial(*example_);
    if (!both() || !share) return {};
    if (*share >= overlapping_share) {
      return sentence(fmt::format("{} copies in both directions run one after the other: both at once gain nothing",
                                  example_->name));
    }
    std::string text = fmt::format("{} copies run both ways at once, {} to the device and {} to the host",
                                   example_->name, rate_words(*at(*example_).metric("to_device_gb_per_s")),
                                   rate_words(*at(*example_).metric("to_host_gb_per_s")));
    if (pageable != nullptr && share_of_serial(*pageable).value_or(0) >= overlapping_share) {
      text += "; pageable ones one after the other";
    }
    return sentence(text);
  }

 private:
  [[nodiscard]] const Outcome& at(const Kind& kind) const { return *kind.by_size.at(size_); }
  [[nodiscard]] double rate(const Kind& kind) const { return at(kind).bytes_per_s; }
  [[nodiscard]] bool same(const Kind& a, const Kind& b) const {
    return std::abs(rate(a) - rate(b)) <= same_within * std::max(rate(a), rate(b));
  }
  [[nodiscard]] const Kind* find(std::string_view name) const {
    const auto found = std::ranges::find(kinds_, name, &Kind::name);
    return found == kinds_.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool both() const { return direction_ == "both"; }
  [[nodiscard]] double ways() const { return both() ? 2 : 1; }
  [[nodiscard]] std::string size() const { return size_text(size_) + (both() ? " each way" : ""); }
  [[nodiscard]] std::string where() const {
    if (both()) return "both ways together";
    return direction_ == "to-device" ? "to the device" : "to the host";
  }

  [[nodiscard]] std::string write_combining() const {
    const Kind* pinned = find("pinned");
    const Kind* combined = find("write-combined");
    if (pinned == nullptr || combined == nullptr) return {};
    if (same(*pinned, *combined)) return "; write-combining gains nothing";
    const double gain = rate(*combined) / rate(*pinned) - 1;
    return fmt::format("; write-combining {} {:.0f} %", gain > 0 ? "gains" : "loses", std::abs(gain) * 100);
  }

  /// Of the times of each way in a row, how much both at once take. Absent without each way's rate.
  [[nodiscard]] std::optional<double> share_of_serial(const Kind& kind) const {
    const auto to_device = at(kind).metric("to_device_gb_per_s");
    const auto to_host = at(kind).metric("to_host_gb_per_s");
    if (!to_device || !to_host) return std::nullopt;
    const double in_a_row_s = static_cast<double>(size_) / 1e9 * (1 / *to_device + 1 / *to_host);
    return at(kind).seconds / in_a_row_s;
  }

  std::span<const Kind> kinds_;
  std::uint64_t size_;
  std::string direction_;
  const Kind* fastest_ = nullptr;
  const Kind* example_ = nullptr;  ///< the first of those as fast, whose order is noise
};

std::string advice_of(std::span<const Kind> kinds) {
  if (kinds.empty()) return {};
  const auto size = largest_common_size(kinds);
  if (!size) return {};  // nothing to compare them at
  const Comparison comparison(kinds, *size);
  return paragraph(std::vector{comparison.which_kind(), comparison.what_locking_costs(),
                               comparison.what_both_ways_gain(), comparison.what_small_copies_lose()});
}

}  // namespace

Conclusion conclude_transfer(std::span<const Outcome> outcomes) {
  const std::vector<Kind> kinds = kinds_of(outcomes);
  Conclusion conclusion{.advice = advice_of(kinds)};
  for (const Kind& kind : kinds) {
    if (!kind.cost) continue;
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].one.name("host_memory") == kind.name) own.push_back(i);
    }
    const double ways = outcomes[own.front()].one.name("direction") == "both" ? 2 : 1;
    conclusion.found.push_back({"fixed_cost_us", kind.cost->fixed.count() * 1e6, own});
    conclusion.found.push_back({"asymptotic_gb_per_s", kind.cost->bytes_per_s * ways * per_giga, own});
    conclusion.found.push_back({"half_size_bytes", kind.cost->half_size_bytes(), own});
  }
  return conclusion;
}

}  // namespace gpumem::host
