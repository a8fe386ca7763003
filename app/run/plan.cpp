#include "app/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "app/command_line/values.hpp"
#include "app/run/probe_names.hpp"
#include "engine/base/error.hpp"
#include "probes/user/indices/index_values.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

/// Of a case of the quick default set: where the host takes part, intervals stay wide however long one looks.
constexpr measure::Seconds quick_time_budget(0.5);

struct SelectedProbes {
  std::vector<const Probe*> probes;
  bool quick = false;  ///< whether axes that were not given take their values of the quick default set
};

bool has_flag(const Probe& probe, const std::string& flag) {
  return std::ranges::find(probe.axes, flag, &Axis::flag) != probe.axes.end();
}

bool has_every_flag(const Probe& probe, const std::vector<GivenAxis>& given) {
  return std::ranges::all_of(given, [&](const GivenAxis& axis) { return has_flag(probe, axis.flag); });
}

std::vector<Value> values_of(const Axis& axis, const std::vector<GivenAxis>& given, bool quick) {
  const auto found = std::ranges::find(given, axis.flag, &GivenAxis::flag);
  if (found != given.end()) {
    std::vector<std::string> texts = found->texts;
    std::ranges::replace(texts, std::string(), axis.alone.empty() ? axis.defaults : axis.alone);
    return parse_axis_values(axis, texts);
  }
  const std::string& text = quick && !axis.quick.empty() ? axis.quick : axis.defaults;
  return parse_axis_values(axis, std::vector{text});
}

bool takes_values(const Probe& probe, const std::vector<GivenAxis>& given) {
  try {
    for (const Axis& axis : probe.axes) static_cast<void>(values_of(axis, given, true));
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Refuses names that none of the probes takes, with those that any of them does.
void require_known_names(const std::vector<const Probe*>& probes, const std::vector<GivenAxis>& given) {
  for (const GivenAxis& given_axis : given) {
    Axis any;
    any.flag = given_axis.flag;
    for (const Probe* probe : probes) {
      const auto axis = std::ranges::find(probe->axes, given_axis.flag, &Axis::flag);
      if (any.defaults.empty()) any.defaults = axis->defaults;
      for (const std::string& name : axis->names) {
        if (std::ranges::find(any.names, name) == any.names.end()) any.names.push_back(name);
      }
    }
    if (!any.names.empty()) static_cast<void>(values_of(any, given, false));
  }
}

/// Leaves only the probes that suit, unless none does.
template <class Suits>
void prefer(std::vector<const Probe*>& probes, const Suits& suits) {
  if (std::ranges::any_of(probes, suits)) std::erase_if(probes, std::not_fn(suits));
}

SelectedProbes select(const std::vector<Probe>& registry, const std::vector<std::string>& names,
                      const std::vector<GivenAxis>& given) {
  SelectedProbes selection;
  for (const std::string& name : names) {
    const Probe& probe = require_probe(registry, name);
    if (std::ranges::find(selection.probes, &probe) == selection.probes.end()) selection.probes.push_back(&probe);
  }
  if (!names.empty()) return selection;
  std::vector<const Probe*> complete;
  for (const Probe& probe : registry) {
    const auto selected = [&](const GivenAxis& axis) { return probe.is_selected_by(axis.flag); };
    if (std::ranges::any_of(given, selected)) selection.probes.push_back(&probe);
    if (!probe.on_request && has_every_flag(probe, given)) complete.push_back(&probe);
  }
  if (selection.probes.empty()) {
    require_known_names(complete, given);
    // `--direction both`: batching has the axis too, but goes one way at a time.
    prefer(complete, [&](const Probe* probe) { return takes_values(*probe, given); });
    return {.probes = std::move(complete), .quick = true};
  }
  // `--zero-copy --offset 0..8` asks for one probe, which has both axes, and not for `offset` beside it.
  prefer(selection.probes, [&](const Probe* probe) { return has_every_flag(*probe, given); });
  return selection;
}

/// What to do instead of giving an axis the name of a probe for a value.
[[noreturn]] void refuse_probe_as_value(const Probe& owner, const Axis& axis, const std::string& name) {
  const std::string probes = owner.name == name ? name : owner.name + " " + name;
  std::string hint = "did you mean: gpumem probe " + probes;
  if (name != axis.flag && has_flag(owner, name)) {
    hint += fmt::format(", or for that axis of {}: --{} --{}", owner.name, axis.flag, name);
  }
  throw usage_error(
      fmt::format("--{}: '{}' is a probe and not one of {}; {}", axis.flag, name, join(axis.names, ", "), hint));
}

/// `--zero-copy offset` takes the probe for a value of the flag, which was meant to stand alone.
void refuse_probes_as_values(const std::vector<Probe>& registry, const std::vector<GivenAxis>& given) {
  for (const Probe& probe : registry) {
    for (const Axis& axis : probe.axes) {
      const auto found = std::ranges::find(given, axis.flag, &GivenAxis::flag);
      if (!axis.value_optional || found == given.end()) continue;
      for (const std::string& text : found->texts) {
        const bool is_value = std::ranges::find(axis.names, text) != axis.names.end();
        const bool is_probe = std::ranges::find(registry, text, &Probe::name) != registry.end();
        if (!is_value && is_probe) refuse_probe_as_value(probe, axis, text);
      }
    }
  }
}

void require_every_axis_used(const std::vector<Probe>& registry, const SelectedProbes& selection,
                             const std::vector<GivenAxis>& given) {
  for (const GivenAxis& axis : given) {
    const auto uses = [&](const Probe* probe) { return has_flag(*probe, axis.flag); };
    if (std::ranges::any_of(selection.probes, uses)) continue;
    std::vector<std::string> owners;
    for (const Probe& probe : registry) {
      if (has_flag(probe, axis.flag)) owners.push_back(probe.name);
    }
    std::vector<std::string> selected;
    for (const Probe* probe : selection.probes) selected.push_back(probe->name);
    const std::string what = selected.empty()
                                 ? fmt::format("no probe has all of the axes given; --{} is an axis of", axis.flag)
                                 : fmt::format("--{} is not an axis of {}, but of", axis.flag, join(selected, ", "));
    throw usage_error(what + ": " + join(owners, ", "));
  }
}

/// The values of every axis of a probe, in the order of its axes.
using AxisValues = std::vector<std::vector<Value>>;

/// The parameters of which values are given, and not only the flag.
std::vector<std::string> asked_parameters(const Probe& probe, const std::vector<GivenAxis>& given) {
  std::vector<std::string> asked;
  for (const Axis& axis : probe.axes) {
    const auto found = std::ranges::find(given, axis.flag, &GivenAxis::flag);
    const auto has_value = [](const std::string& text) { return !text.empty(); };
    if (found != given.end() && std::ranges::any_of(found->texts, has_value)) asked.push_back(axis.parameter);
  }
  return asked;
}

/// Takes out of the cases those of which an item of the user's cannot be used. Throws where none is left, and for all
/// else that is wrong with any.
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

Plan on_each_gpu(Plan plan, std::span<const std::uint64_t> gpus) {
  std::erase_if(plan.sweeps, [](const PlannedSweep& sweep) { return static_cast<bool>(sweep.probe->gpus); });
  if (plan.size() * gpus.size() > maximum_cases) {
    throw usage_error(
        fmt::format("{} cases on each of {} GPUs are more than the {} that one run takes; give fewer values",
                    plan.size(), gpus.size(), maximum_cases));
  }
  for (PlannedSweep& sweep : plan.sweeps) {
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
  refuse_probes_as_values(registry, given);
  const SelectedProbes selection = select(registry, names, given);
  require_every_axis_used(registry, selection, given);
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
      throw usage_error(
          fmt::format("the axes multiply to more than the {} cases one run takes; give fewer values", maximum_cases));
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
