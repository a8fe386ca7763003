#include "app/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ranges>
#include <set>
#include <utility>

#include "app/run/probe_selection.hpp"
#include "engine/base/error.hpp"
#include "engine/base/ranges.hpp"
#include "probes/user/indices/index_values.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::app {

namespace {

/// The time budget of a case of the quick default set. If the host takes part in a case, its interval stays wide
/// however long it is repeated.
constexpr measure::Seconds quick_time_budget(0.25);

/// The values of every axis of a probe, in the order of its axes.
using AxisValues = std::vector<std::vector<Value>>;

/// Returns the parameters whose flags are given with a value.
std::vector<std::string> asked_parameters(const Probe& probe, const std::vector<GivenAxis>& given) {
  std::vector<std::string> asked;
  for (const Axis& axis : probe.axes) {
    const auto found = std::ranges::find(given, axis.flag, &GivenAxis::flag);
    const auto has_value = [](const std::string& text) { return !text.empty(); };
    if (found != given.end() && std::ranges::any_of(found->texts, has_value)) asked.push_back(axis.parameter);
  }
  return asked;
}

/// Removes the cases that need an item of the user's which cannot be used, and returns them. Throws if none is left, or
/// if anything else is wrong with a case.
std::vector<PlannedSweep::Unusable> take_unusable(std::vector<Case>& cases, const Probe& probe) {
  std::vector<PlannedSweep::Unusable> unusable;
  if (!probe.validate) return unusable;
  std::optional<UnusableItem> first;
  std::erase_if(cases, [&](const Case& tested) {
    try {
      probe.validate(tested);
      return false;
    } catch (const UnusableItem& error) {
      if (!first) first = error;
      unusable.push_back({tested, error.what()});
      return true;
    }
  });
  if (cases.empty()) throw UnusableItem(*first);
  return unusable;
}

void add_sweeps(Plan& plan, const Probe& probe, const AxisValues& values, const std::vector<std::string>& asked) {
  Case first{.probe = &probe};
  std::vector<std::size_t> within;  // axes that vary within a sweep, the others between sweeps
  std::vector<std::size_t> between;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& parameter = probe.axes[i].parameter;
    first.parameters.push_back({.name = parameter, .value = values[i].front()});
    const bool varies_within = i == 0 || parameter == probe.compared || parameter == probe.across;
    (varies_within ? within : between).push_back(i);
  }
  std::vector<Case> firsts = {first};
  for (const std::size_t i : between) firsts = with_each(firsts, probe.axes[i].parameter, values[i]);
  for (const Case& start : firsts) {
    std::vector<Case> cases = {start};
    for (const std::size_t i : std::views::reverse(within)) {
      cases = with_each(cases, probe.axes[i].parameter, values[i]);
    }
    std::vector<PlannedSweep::Unusable> unusable = take_unusable(cases, probe);
    plan.sweeps.push_back(
        {.probe = &probe, .cases = std::move(cases), .asked = asked, .unusable = std::move(unusable)});
  }
}

/// Suggests a step for the largest axis that was given, such that one run takes all cases; empty if that is no help.
std::string fewer_values(const Probe& probe, const AxisValues& values, const std::vector<GivenAxis>& given,
                         std::size_t others) {
  const GivenAxis* largest = nullptr;
  std::size_t most = 0;
  double product = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    product *= static_cast<double>(values[i].size());
    const auto found = std::ranges::find(given, probe.axes[i].flag, &GivenAxis::flag);
    if (found == given.end() || found->texts.size() != 1 || values[i].size() <= most) continue;
    largest = &*found;
    most = values[i].size();
  }
  const double room = static_cast<double>(maximum_cases - std::min(others, maximum_cases));
  if (largest == nullptr || largest->texts.front().find_first_of(",'\"") != std::string::npos) return "";
  const auto points = static_cast<std::uint64_t>(room / (product / static_cast<double>(most)));
  const auto text = thinned(largest->texts.front(), points);
  return text ? fmt::format(", such as --{} {}", largest->flag, *text) : "";
}

/// `values` are of the axes that were read until there were too many cases. `others` is the number of other probes'
/// cases.
[[noreturn]] void refuse_too_many(const Probe& probe, AxisValues values, const std::vector<GivenAxis>& given,
                                  std::size_t others) {
  for (std::size_t i = values.size(); i < probe.axes.size(); ++i)
    values.push_back(values_of(probe.axes[i], given, false));
  throw usage_error(fmt::format("the axes multiply to more than the {} cases one run takes; give fewer values{}",
                                maximum_cases, fewer_values(probe, values, given, others)));
}

bool may_name_files(const Axis& axis) { return axis.takes.starts_with("files"); }

}  // namespace

measure::StoppingRule stopping_rule(const Effort& first, const Effort& second) {
  measure::StoppingRule rule;
  rule.ci_width = first.ci_width.value_or(second.ci_width.value_or(rule.ci_width));
  rule.time_budget = first.time_budget.value_or(second.time_budget.value_or(rule.time_budget));
  return rule;
}

std::size_t Plan::size() const {
  std::size_t cases = 0;
  for (const PlannedSweep& sweep : sweeps) cases += sweep.cases.size() + sweep.unusable.size();
  return cases;
}

std::vector<Case> with_each(const std::vector<Case>& cases, const std::string& parameter,
                            std::span<const Value> values) {
  std::vector<Case> all;
  for (const Case& tested : cases) {
    for (const Value& value : values) all.emplace_back(tested).set(parameter, value);
  }
  return all;
}

void spell_out_all(PlannedSweep& sweep, const Device& device) {
  for (const Axis& axis : sweep.probe->axes) {
    if (!axis.all) continue;
    std::vector<Case> cases;
    for (const Case& tested : sweep.cases) {
      const bool all = tested.value(axis.parameter) == Value("all");
      const std::vector<Case> own = all ? with_each({tested}, axis.parameter, axis.all(device)) : std::vector{tested};
      cases.insert(cases.end(), own.begin(), own.end());
      if (all) std::erase(sweep.asked, axis.parameter);
    }
    sweep.cases = std::move(cases);
  }
}

void leave_out_unfit(PlannedSweep& sweep, const Device& device) {
  if (!sweep.probe->fits) return;
  const auto asked_of = [&](const Case& tested) {
    std::vector<Value> values;
    for (const std::string& parameter : sweep.asked) {
      if (parameter != sweep.probe->across) values.push_back(tested.value(parameter));
    }
    return values;
  };
  const auto fits = [&](const Case& tested) { return sweep.probe->fits(tested, device); };
  std::set<std::vector<Value>> to_be_had;
  for (const Case& tested : sweep.cases) {
    if (fits(tested)) to_be_had.insert(asked_of(tested));
  }
  std::erase_if(sweep.cases, [&](const Case& tested) { return !fits(tested) && to_be_had.contains(asked_of(tested)); });
}

Plan fitted(Plan plan, const Device& device) {
  for (PlannedSweep& sweep : plan.sweeps) {
    spell_out_all(sweep, device);
    leave_out_unfit(sweep, device);
  }
  return plan;
}

bool is_between_gpus(const PlannedSweep& sweep) { return static_cast<bool>(sweep.probe->gpus); }

bool is_between_gpus(const Plan& plan) {
  return std::ranges::any_of(plan.sweeps, [](const PlannedSweep& sweep) { return is_between_gpus(sweep); });
}

Plan on_each_gpu(Plan plan, std::span<const std::uint64_t> gpus) {
  if (plan.size() * gpus.size() > maximum_cases) {
    throw usage_error(
        fmt::format("{} cases on each of {} GPUs are more than the {} that one run takes; give fewer values",
                    plan.size(), gpus.size(), maximum_cases));
  }
  const auto is_among = [&](const Case& tested) {
    return std::ranges::all_of(tested.probe->gpus(tested),
                               [&](std::uint64_t gpu) { return std::ranges::find(gpus, gpu) != gpus.end(); });
  };
  const auto pairs =
      std::ranges::stable_partition(plan.sweeps, [](const auto& sweep) { return !is_between_gpus(sweep); });
  for (PlannedSweep& sweep : pairs) std::erase_if(sweep.cases, std::not_fn(is_among));
  std::erase_if(plan.sweeps, [](const PlannedSweep& sweep) { return sweep.cases.empty(); });
  for (PlannedSweep& sweep : plan.sweeps) {
    if (is_between_gpus(sweep)) continue;
    std::vector<Case> cases;
    for (const Case& tested : sweep.cases) {
      for (const std::uint64_t gpu : gpus) {
        cases.emplace_back(tested).parameters.push_back({report::device_parameter, gpu});
      }
    }
    sweep.cases = std::move(cases);
    std::vector<PlannedSweep::Unusable> unusable;
    for (const PlannedSweep::Unusable& left_out : sweep.unusable) {
      for (const std::uint64_t gpu : gpus) {
        unusable.emplace_back(left_out).tested.parameters.push_back({report::device_parameter, gpu});
      }
    }
    sweep.unusable = std::move(unusable);
  }
  return plan;
}

Plan on_one_gpu(Plan plan) {
  const auto is_pairs = [](const PlannedSweep& sweep) { return is_between_gpus(sweep); };
  if (plan.suite && !std::ranges::all_of(plan.sweeps, is_pairs)) std::erase_if(plan.sweeps, is_pairs);
  return plan;
}

std::optional<std::string> named_file(const Axis& axis, const std::string& text) {
  if (!may_name_files(axis) || text == axis.defaults) return std::nullopt;
  return global::file_of_index_text(text);
}

std::vector<std::string> files_of(const Plan& plan) {
  std::set<std::string> files;
  for (const PlannedSweep& sweep : plan.sweeps) {
    for (const Axis& axis : sweep.probe->axes) {
      if (!may_name_files(axis)) continue;
      for (const Case& tested : sweep.cases) {
        if (const auto file = named_file(axis, tested.name(axis.parameter))) files.insert(*file);
      }
    }
  }
  return {files.begin(), files.end()};
}

Plan make_plan(const std::vector<Probe>& registry, const std::vector<std::string>& names,
               const std::vector<GivenAxis>& given) {
  const SelectedProbes selection = select_probes(registry, names, given);
  std::vector<AxisValues> values;
  std::size_t cases = 0;
  for (const Probe* probe : selection.probes) {
    AxisValues& own = values.emplace_back();
    std::size_t product = 1;  // or more than `maximum_cases`, when there are too many to count on
    for (const Axis& axis : probe->axes) {
      own.push_back(values_of(axis, given, selection.quick));
      if (product <= maximum_cases) product *= own.back().size();
    }
    cases += product;
    if (cases > maximum_cases) {
      refuse_too_many(*probe, own, given, cases - product);
    }
  }
  Plan plan;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Probe& probe = *selection.probes[i];
    add_sweeps(plan, probe, values[i], asked_parameters(probe, given));
  }
  if (selection.quick) {
    for (PlannedSweep& sweep : plan.sweeps) sweep.effort.time_budget = quick_time_budget;
  }
  return plan;
}

}  // namespace gpumem::app
