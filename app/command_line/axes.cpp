#include "app/command_line/axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

/// An axis and the probe that has it.
struct OwnAxis {
  const Probe* probe;
  const Axis* axis;
};

std::vector<OwnAxis> with_flag(const std::string& flag, const std::vector<Probe>& registry) {
  std::vector<OwnAxis> all;
  for (const Probe& probe : registry) {
    for (const Axis& axis : probe.axes) {
      if (axis.flag == flag) all.push_back({&probe, &axis});
    }
  }
  return all;
}

Choices choices_of(const std::vector<OwnAxis>& all) {
  Choices choices{.words = {}, .files = Choices::Files::none, .list = true};
  for (const auto& [probe, axis] : all) {
    for (const std::string& name : axis->names) choices.add(name);
    for (const std::uint64_t number : axis->numbers) choices.add(std::to_string(number));
    for (const std::uint64_t candidate : axis->candidates) choices.add(std::to_string(candidate));
    // A range by default is an example of how to write one.
    const bool range = axis->takes_range() && axis->defaults.find(',') == std::string::npos;
    if (range && axis->defaults != "auto") choices.add(axis->defaults);
  }
  if (std::ranges::any_of(all, [](const OwnAxis& own) { return own.axis->takes_auto; })) {
    choices.add("auto");
  }
  return choices;
}

/// The option of axes that share a flag.
OptionEntry option_of(const std::vector<OwnAxis>& all, std::string help) {
  const bool optional = std::ranges::any_of(all, [](const OwnAxis& own) { return own.axis->value_optional; });
  return {.names = {"--" + all.front().axis->flag},
          .value = optional ? "[VALUES]" : "VALUES",
          .help = std::move(help),
          .group = axis_group,
          .takes = optional ? OptionEntry::Takes::optional_value : OptionEntry::Takes::value,
          .choices = choices_of(all)};
}

std::string shared_help(const std::vector<OwnAxis>& all) {
  const auto selects = [](const OwnAxis& own) { return own.probe->is_selected_by(own.axis->flag); };
  const auto same = [&](const OwnAxis& own) { return own.axis->purpose == all.front().axis->purpose; };
  if (std::ranges::count_if(all, selects) == 1) return capitalised(std::ranges::find_if(all, selects)->axis->purpose);
  if (std::ranges::all_of(all, same)) return capitalised(all.front().axis->purpose);
  std::vector<std::string> names;
  for (const OwnAxis& own : all) names.push_back(own.probe->name);
  return "An axis of " + join(names, ", ");
}

/// The only values that an axis takes, as a list; empty for an axis of ranges or texts.
std::string alternatives(const Axis& axis) {
  return axis.names.empty() ? fmt::format("{}", fmt::join(axis.numbers, ",")) : join(axis.names, ",");
}

/// The help of an axis: its purpose, its values if they are listed and more than the default, and its default.
std::string help_of(const Axis& axis) {
  const std::string only = alternatives(axis);
  const bool listed = !only.empty() && only != axis.defaults;
  return fmt::format("{} ({}default {})", capitalised(axis.purpose), listed ? allowed_values(axis) + "; " : "",
                     axis.defaults);
}

/// As many values of a list as fit the line of an example.
std::string shortened(const std::string& values) {
  constexpr std::size_t longest = 40;
  return values.size() <= longest ? values : values.substr(0, values.rfind(',', longest));
}

/// The values of a sweep, shortened to fit the line of an example.
std::string example_values(const Axis& axis) {
  constexpr std::size_t longest = 40;
  const bool quick = !axis.quick.empty() && (axis.texts || axis.defaults.size() > longest);
  const std::string& values = quick ? axis.quick : axis.defaults;
  if (axis.texts) return report::shell_quoted(values);
  return shortened(values);
}

/// The words that sweep the probe's first axis, or compare its alternatives.
std::string sweep_words(const Probe& probe) {
  const Axis* compared = probe.find_axis(probe.compared);
  const Axis& axis = compared != nullptr && compared->value_optional ? *compared : probe.axes.front();
  if (axis.all) return probe.name;
  if (axis.value_optional) return "--" + axis.flag;
  // The flag of a variant alone selects the other probe.
  const std::string name = probe.variant_of.empty() ? "" : probe.name + " ";
  return fmt::format("{}--{} {}", name, axis.flag, example_values(axis));
}

/// An axis of names that does not select the probe and takes more names than its default; null if there is none. Each
/// of its values gets a table of its own.
const Axis* further_axis(const Probe& probe) {
  const auto suits = [&](const Axis& axis) {
    return !probe.is_selected_by(axis.flag) && !axis.names.empty() && alternatives(axis) != axis.defaults;
  };
  const auto found = std::ranges::find_if(probe.axes, suits);
  return found == probe.axes.end() ? nullptr : &*found;
}

std::string examples_of(const Probe& probe) {
  std::string text = "Examples:\n";
  const auto add = [&](const std::string& words, const std::string& meaning) {
    constexpr std::size_t column = 47;
    text += report::two_columns("  gpumem probe " + words, meaning, 80, column);
  };
  add(sweep_words(probe) + " --why", "each case, and what limits it");
  if (const Axis* axis = further_axis(probe)) {
    add(fmt::format("{} --{} {}", probe.name, axis->flag, shortened(alternatives(*axis))), "a table for each value");
  } else {
    add(fmt::format("{} --backend model --gpu {}", probe.name, probe.gpus ? "h200x8" : "h200"),
        "predicted, without a GPU");
  }
  return text;
}

}  // namespace

std::string allowed_values(const Axis& axis) {
  std::string values = axis.takes;
  if (!axis.names.empty()) {
    values = join(axis.names, ", ");
  } else if (!axis.numbers.empty()) {
    values = fmt::format("{}", fmt::join(axis.numbers, ", "));
  } else if (axis.takes_range()) {
    values = fmt::format("{}..{}", axis.minimum, axis.maximum);
  }
  if (!axis.unit.empty()) values += " " + axis.unit;
  if (axis.takes_auto) values += ", or auto";
  return axis.all ? values + ", or all" : values;
}

std::vector<OptionEntry> axis_options(const Probe& probe) {
  std::vector<OptionEntry> options;
  for (const Axis& axis : probe.axes) options.push_back(option_of({{&probe, &axis}}, help_of(axis)));
  return options;
}

std::vector<OptionEntry> axis_options(const std::vector<Probe>& registry) {
  std::vector<std::string> flags;
  for (const bool selecting : {true, false}) {
    for (const Probe& probe : registry) {
      for (const Axis& axis : probe.axes) {
        const bool first = std::ranges::find(flags, axis.flag) == flags.end();
        if (first && probe.is_selected_by(axis.flag) == selecting) flags.push_back(axis.flag);
      }
    }
  }
  std::vector<OptionEntry> options;
  for (const std::string& flag : flags) {
    const std::vector<OwnAxis> all = with_flag(flag, registry);
    options.push_back(option_of(all, shared_help(all)));
  }
  return options;
}

CommandEntry probe_entry(const Probe& probe) {
  return {
      .name = "probe " + probe.name,
      .purpose = capitalised(probe.purpose),
      .options = axis_options(probe),
      .footer = examples_of(probe) +
                fmt::format("\nOptions of every probe: gpumem probe --help\nQuantities that it reports: gpumem list {}",
                            probe.name)};
}

}  // namespace gpumem::app
