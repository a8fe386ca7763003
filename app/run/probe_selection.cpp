#include "app/run/probe_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "app/command_line/values.hpp"
#include "app/run/probe_names.hpp"
#include "engine/base/error.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

bool has_flag(const Probe& probe, const std::string& flag) {
  return std::ranges::find(probe.axes, flag, &Axis::flag) != probe.axes.end();
}

bool has_every_flag(const Probe& probe, const std::vector<GivenAxis>& given) {
  return std::ranges::all_of(given, [&](const GivenAxis& axis) { return has_flag(probe, axis.flag); });
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

/// True if the probe takes the values that were given of an axis, or none were given.
bool takes_values_of(const Axis& axis, const std::vector<GivenAxis>& given) {
  try {
    static_cast<void>(values_of(axis, given, false));
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// True if the variant of a probe is meant, and not the probe: by a name that only one of them takes on an axis of both
/// (`--space shared`), else by a flag that only the variant has.
bool is_meant(const Probe& variant, const Probe& probe, const std::vector<GivenAxis>& given) {
  for (const Axis& axis : variant.axes) {
    const Axis* const other = probe.find_axis(axis.parameter);
    if (axis.names.empty() || other == nullptr || std::ranges::find(given, axis.flag, &GivenAxis::flag) == given.end())
      continue;
    const bool takes = takes_values_of(axis, given);
    if (takes != takes_values_of(*other, given)) return takes;
  }
  return std::ranges::any_of(
      given, [&](const GivenAxis& axis) { return has_flag(variant, axis.flag) && !has_flag(probe, axis.flag); });
}

/// True if the variant would run in the probe's place if another name was given on one axis.
bool may_be_meant(const Probe& variant, const std::string& but_for_flag, const std::vector<GivenAxis>& given) {
  return has_every_flag(variant, given) && std::ranges::all_of(variant.axes, [&](const Axis& axis) {
           return axis.names.empty() || axis.flag == but_for_flag || takes_values_of(axis, given);
         });
}

/// Refuses a name that neither the probe nor a variant takes, with those that any of them does: `--space shard`.
void require_names_of_variants(const Probe& probe, const std::vector<Probe>& registry,
                               const std::vector<GivenAxis>& given) {
  for (const Axis& axis : probe.axes) {
    if (axis.names.empty() || takes_values_of(axis, given)) continue;
    Axis any = axis;
    for (const Probe& variant : registry) {
      const Axis* const other = variant.variant_of == probe.name ? variant.find_axis(axis.parameter) : nullptr;
      if (other == nullptr || !may_be_meant(variant, axis.flag, given)) continue;
      for (const std::string& name : other->names) {
        if (std::ranges::find(any.names, name) == any.names.end()) any.names.push_back(name);
      }
    }
    if (any.names.size() == axis.names.size()) continue;
    static_cast<void>(values_of(any, given, false));
    const auto texts = std::ranges::find(given, axis.flag, &GivenAxis::flag)->texts;
    throw usage_error(
        fmt::format("--{}: '{}' has names of several probes, and only {} are of '{}'; ask for one probe "
                    "at a time",
                    axis.flag, join(texts, ","), join(axis.names, ", "), probe.name));
  }
}

/// The variant of the probe that is meant, else the probe.
const Probe& variant_or_itself(const Probe& probe, const std::vector<Probe>& registry,
                               const std::vector<GivenAxis>& given) {
  const auto found = std::ranges::find_if(registry, [&](const Probe& variant) {
    return variant.variant_of == probe.name && is_meant(variant, probe, given);
  });
  return found == registry.end() ? probe : *found;
}

/// True if a flag alone selects the probe, or the one that it is a variant of.
bool selects(const std::string& flag, const Probe& probe, const std::vector<Probe>& registry) {
  const auto base = std::ranges::find(registry, probe.variant_of, &Probe::name);
  return probe.is_selected_by(flag) || (base != registry.end() && base->is_selected_by(flag));
}

/// Puts variants in the place of the probes that they are variants of, if they are meant. Probes that only flags of the
/// variant selected are left out: `--pattern EXPR --space shared` is not about other probes that have spaces.
void choose_variants(std::vector<const Probe*>& probes, const std::vector<Probe>& registry,
                     const std::vector<GivenAxis>& given) {
  std::vector<const Probe*> variants;
  std::vector<const Probe*> all;
  for (const Probe* const chosen : probes) {
    const Probe& meant = variant_or_itself(*chosen, registry, given);
    if (&meant != chosen) variants.push_back(&meant);
    // A flag of the variant's own may have selected it besides.
    if (std::ranges::find(all, &meant) == all.end()) all.push_back(&meant);
  }
  probes = std::move(all);
  std::erase_if(probes, [&](const Probe* probe) {
    return std::ranges::find(variants, probe) == variants.end() &&
           std::ranges::any_of(variants, [&](const Probe* variant) {
             return std::ranges::all_of(given, [&](const GivenAxis& axis) {
               return !selects(axis.flag, *probe, registry) || has_flag(*variant, axis.flag);
             });
           });
  });
}

/// Returns true if a flag says by itself that the probe is to run: it is the flag of the probe's swept axis, or the
/// probe's name. A flag of other alternatives (`--space shared`) may as well be meant for another probe.
bool is_named_by(const Probe& probe, const std::string& flag) {
  return flag == probe.name || flag == probe.axes.front().flag;
}

/// `--offset 1 --space shared`: each flag selects a probe that does not have the other, and nobody asked for two.
void refuse_unasked_probes(const std::vector<const Probe*>& selected, const std::vector<Probe>& registry,
                           const std::vector<GivenAxis>& given) {
  if (selected.size() < 2 || has_every_flag(*selected.front(), given)) return;
  std::vector<std::string> reasons;
  std::vector<std::string> names;
  bool each_named = true;
  for (const Probe* probe : selected) {
    const auto is_selecting = [&](const GivenAxis& axis) { return selects(axis.flag, *probe, registry); };
    const auto flag = std::ranges::find_if(given, is_selecting);
    reasons.push_back(fmt::format("--{} selects the probe '{}'", flag->flag, probe->name));
    names.push_back(probe->name);
    each_named = each_named && std::ranges::any_of(given, [&](const GivenAxis& axis) {
                   return is_selecting(axis) && is_named_by(*probe, axis.flag);
                 });
  }
  if (each_named) return;
  throw usage_error(fmt::format("{}, and none has all of these axes; leave one out, or name both: gpumem probe {} ...",
                                join(reasons, ", "), join(names, " ")));
}

/// Refuses the name of a probe as a value of an axis, and says what to do instead.
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

SelectedProbes chosen_probes(const std::vector<Probe>& registry, const std::vector<std::string>& names,
                             const std::vector<GivenAxis>& given) {
  SelectedProbes selection;
  for (const std::string& name : names) {
    const Probe& probe = require_probe(registry, name);
    if (std::ranges::find(selection.probes, &probe) == selection.probes.end()) selection.probes.push_back(&probe);
  }
  if (!names.empty()) {
    for (const Probe*& probe : selection.probes) probe = &variant_or_itself(*probe, registry, given);
    return selection;
  }
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
  choose_variants(selection.probes, registry, given);
  // `--zero-copy --offset 0..8` asks for one probe, which has both axes, and not for `offset` beside it.
  prefer(selection.probes, [&](const Probe* probe) { return has_every_flag(*probe, given); });
  refuse_unasked_probes(selection.probes, registry, given);
  return selection;
}

}  // namespace

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

SelectedProbes select_probes(const std::vector<Probe>& registry, const std::vector<std::string>& names,
                             const std::vector<GivenAxis>& given) {
  refuse_probes_as_values(registry, given);
  SelectedProbes selection = chosen_probes(registry, names, given);
  for (const Probe* probe : selection.probes) require_names_of_variants(*probe, registry, given);
  require_every_axis_used(registry, selection, given);
  return selection;
}

}  // namespace gpumem::app
