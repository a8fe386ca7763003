#include "app/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/ranges.hpp"
#include "app/suggest.hpp"
#include "probes/error.hpp"
#include "report/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

struct Selection {
  std::vector<const Probe*> probes;
  bool quick = false;  ///< whether axes that were not given take their values of the quick default set
};

bool has_flag(const Probe& probe, const std::string& flag) {
  return std::ranges::find(probe.axes, flag, &Axis::flag) != probe.axes.end();
}

bool sweeps_flag(const Probe& probe, const std::string& flag) {
  return !probe.axes.empty() && probe.axes.front().flag == flag;
}

std::vector<std::string> names_with_flag(const std::vector<Probe>& registry, const std::string& flag) {
  std::vector<std::string> names;
  for (const Probe& probe : registry) {
    if (has_flag(probe, flag)) names.push_back(probe.name);
  }
  return names;
}

std::vector<const Probe*> named_probes(const std::vector<Probe>& registry, const std::vector<std::string>& names) {
  std::vector<const Probe*> selected;
  for (const std::string& name : names) {
    const Probe& probe = require_probe(registry, name);
    if (std::ranges::find(selected, &probe) == selected.end()) selected.push_back(&probe);
  }
  return selected;
}

Selection select(const std::vector<Probe>& registry, const std::vector<std::string>& names,
                 const std::vector<GivenAxis>& given) {
  if (!names.empty()) return {.probes = named_probes(registry, names)};
  Selection selection;
  for (const Probe& probe : registry) {
    const auto swept = [&](const GivenAxis& axis) { return sweeps_flag(probe, axis.flag); };
    if (std::ranges::any_of(given, swept)) selection.probes.push_back(&probe);
  }
  if (!selection.probes.empty()) return selection;
  selection.quick = true;
  for (const Probe& probe : registry) {
    const auto known = [&](const GivenAxis& axis) { return has_flag(probe, axis.flag); };
    if (std::ranges::all_of(given, known)) selection.probes.push_back(&probe);
  }
  return selection;
}

void require_every_axis_used(const std::vector<Probe>& registry, const Selection& selection,
                             const std::vector<GivenAxis>& given) {
  for (const GivenAxis& axis : given) {
    const auto uses = [&](const Probe* probe) { return has_flag(*probe, axis.flag); };
    if (std::ranges::any_of(selection.probes, uses)) continue;
    if (selection.probes.empty()) {
      throw usage_error(fmt::format("no probe has all of the axes given; --{} is an axis of: {}", axis.flag,
                                    join(names_with_flag(registry, axis.flag), ", ")));
    }
    std::vector<std::string> selected;
    for (const Probe* probe : selection.probes) selected.push_back(probe->name);
    throw usage_error(fmt::format("--{} is not an axis of {}, but of: {}", axis.flag, join(selected, ", "),
                                  join(names_with_flag(registry, axis.flag), ", ")));
  }
}

std::vector<Value> values_of(const Axis& axis, const std::vector<GivenAxis>& given, bool quick) {
  const auto found = std::ranges::find(given, axis.flag, &GivenAxis::flag);
  if (found != given.end()) return parse_axis_values(axis, found->texts);
  const std::string& text = quick && !axis.quick.empty() ? axis.quick : axis.defaults;
  return parse_axis_values(axis, std::vector{text});
}

/// The values of every axis of a probe, in the order of its axes.
struct Grid {
  const Probe* probe;
  std::vector<std::vector<Value>> values;

  /// Number of cases, or more than `maximum_cases` when there are too many to count on.
  [[nodiscard]] std::size_t size() const {
    std::size_t cases = 1;
    for (const auto& axis : values) cases = cases > maximum_cases ? cases : cases * axis.size();
    return cases;
  }

  [[nodiscard]] std::vector<PlannedSweep> sweeps() const {
    std::vector<PlannedSweep> all;
    std::vector<std::size_t> index(values.size(), 0);
    for (;;) {
      all.push_back(sweep(index));
      std::size_t axis = values.size();
      while (axis > 1 && ++index[axis - 1] == values[axis - 1].size()) index[--axis] = 0;
      if (axis <= 1) return all;
    }
  }

 private:
  [[nodiscard]] PlannedSweep sweep(std::vector<std::size_t> index) const {
    PlannedSweep sweep{.probe = probe, .cases = {}};
    for (index[0] = 0; index[0] < values[0].size(); ++index[0]) {
      Case one{.probe = probe, .parameters = {}};
      for (std::size_t axis = 0; axis < values.size(); ++axis) {
        one.parameters.push_back({.name = probe->axes[axis].parameter, .value = values[axis][index[axis]]});
      }
      if (probe->validate) probe->validate(one);
      sweep.cases.push_back(std::move(one));
    }
    return sweep;
  }
};

}  // namespace

std::size_t Plan::size() const {
  std::size_t cases = 0;
  for (const PlannedSweep& sweep : sweeps) cases += sweep.cases.size();
  return cases;
}

const Probe& require_probe(const std::vector<Probe>& registry, const std::string& name) {
  std::vector<std::string> known;
  for (const Probe& probe : registry) {
    if (probe.name == name) return probe;
    known.push_back(probe.name);
  }
  const std::string hint = did_you_mean(name, known);
  throw usage_error(
      fmt::format("unknown probe '{}'{}", name, hint.empty() ? "; there are: " + join(known, ", ") : hint));
}

Plan make_plan(const std::vector<Probe>& registry, const std::vector<std::string>& names,
               const std::vector<GivenAxis>& given) {
  const Selection selection = select(registry, names, given);
  require_every_axis_used(registry, selection, given);
  std::vector<Grid> grids;
  std::size_t cases = 0;
  for (const Probe* probe : selection.probes) {
    Grid grid{.probe = probe, .values = {}};
    for (const Axis& axis : probe->axes) grid.values.push_back(values_of(axis, given, selection.quick));
    cases += grid.size();
    if (cases > maximum_cases) {
      throw usage_error(
          fmt::format("the axes multiply to more than the {} cases one run takes; give fewer values", maximum_cases));
    }
    grids.push_back(std::move(grid));
  }
  Plan plan;
  for (const Grid& grid : grids) {
    for (PlannedSweep& sweep : grid.sweeps()) plan.sweeps.push_back(std::move(sweep));
  }
  return plan;
}

}  // namespace gpumem::app
