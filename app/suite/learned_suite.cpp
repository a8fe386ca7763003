#include "app/suite/learned_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/run/case_records.hpp"
#include "app/run/probe_names.hpp"
#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using Json = nlohmann::ordered_json;
using report::LearnedCase;
using report::LearnedFleet;

/// The most expectations that a suite may have (read_entries).
constexpr std::size_t most_cases = 1000;

/// Cases of one probe that have the same parameters.
using Grid = std::vector<const LearnedCase*>;
/// A case by its values.
using Point = std::vector<Value>;

class Entries {
 public:
  Entries(const LearnedFleet& fleet, const Suite* like, const std::vector<Probe>& registry)
      : fleet_(fleet), like_(like), registry_(registry) {
    std::vector<std::pair<std::vector<std::string>, Grid>> grids;  // by the probe and the names of parameters
    for (const LearnedCase& learned : fleet.cases) {
      std::vector<std::string> key = {asked(learned).probe};
      for (const Parameter& parameter : asked(learned).parameters) key.push_back(parameter.name);
      auto found = std::ranges::find(grids, key, [](const auto& grid) { return grid.first; });
      if (found == grids.end()) found = grids.insert(grids.end(), {key, {}});
      found->second.push_back(&learned);
    }
    for (const auto& [key, grid] : grids) add(grid);
  }

  [[nodiscard]] const std::vector<Json>& probes() const { return probes_; }
  [[nodiscard]] const std::set<const LearnedCase*>& named() const { return named_; }

  /// The probe of a case and the value of each axis, as an expectation names them.
  [[nodiscard]] Json selection(const LearnedCase& learned) const {
    Json json = {{"probe", asked(learned).probe}};
    const Json axes = axes_of({&learned});  // items() refers to it
    for (const auto& [flag, values] : axes.items()) json[flag] = values.front();
    return json;
  }

 private:
  [[nodiscard]] const report::Record& asked(const LearnedCase& learned) const {
    return fleet_.names->case_name(learned.name).asked;
  }
  [[nodiscard]] Point point_of(const LearnedCase& learned) const {
    Point point;
    for (const Parameter& parameter : asked(learned).parameters) point.push_back(parameter.value);
    return point;
  }
  [[nodiscard]] const Probe* probe_of(const Grid& grid) const {
    const auto found = std::ranges::find(registry_, asked(*grid.front()).probe, &Probe::name);
    return found == registry_.end() ? nullptr : &*found;
  }

  /// Every value of every parameter, in the order of the cases, by the flags of the axes. Empty if the probe has no
  /// axis for one of the parameters.
  [[nodiscard]] Json axes_of(const Grid& grid) const {
    Json axes = Json::object();
    const Probe* probe = probe_of(grid);
    if (probe == nullptr) return axes;
    for (const LearnedCase* learned : grid) {
      for (const auto& [name, value] : asked(*learned).parameters) {
        const auto axis = std::ranges::find(probe->axes, name, &Axis::parameter);
        if (axis == probe->axes.end()) return Json::object();
        Json& values = axes[axis->flag];
        const Json text = std::visit([](const auto& held) { return Json(held); }, value);
        if (std::ranges::find(values, text) == values.end()) values.push_back(text);
      }
    }
    return axes;
  }

  /// True if an entry with these axes runs the grid's cases and no others.
  [[nodiscard]] bool runs_exactly(const Grid& grid, const Json& axes) const {
    std::vector<GivenAxis> given;
    for (const auto& [flag, values] : axes.items()) {
      GivenAxis& axis = given.emplace_back(GivenAxis{.flag = flag, .texts = {}});
      for (const Json& value : values) {
        axis.texts.push_back(value.is_string() ? value.get<std::string>() : value.dump());
      }
    }
    std::set<Point> wanted;
    for (const LearnedCase* learned : grid) wanted.insert(point_of(*learned));
    try {
      std::set<Point> planned;
      for (const report::Record& record : planned_records(make_plan(registry_, {probe_of(grid)->name}, given))) {
        Point point;
        for (const Parameter& parameter : asked(*grid.front()).parameters) {
          const auto found = std::ranges::find(record.parameters, parameter.name, &Parameter::name);
          if (found == record.parameters.end()) return false;
          point.push_back(found->value);
        }
        if (!wanted.contains(point) || !planned.insert(point).second) return false;
      }
      return planned.size() == wanted.size();
    } catch (const Error&) {
      return false;  // values that do not go together, or that the axis does not take any more
    }
  }

  /// The grid in parts, each with all values of the parameter that occur with the same values of the others.
  [[nodiscard]] std::vector<Grid> parted(const Grid& grid, std::size_t parameter) const {
    std::map<Value, std::set<Point>> others;
    for (const LearnedCase* learned : grid) {
      Point rest = point_of(*learned);
      const Value value = rest[parameter];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(parameter));
      others[value].insert(rest);
    }
    std::vector<std::pair<std::set<Point>, Grid>> parts;
    for (const LearnedCase* learned : grid) {
      const std::set<Point>& own = others.at(point_of(*learned)[parameter]);
      auto part = std::ranges::find(parts, own, [](const auto& known) { return known.first; });
      if (part == parts.end()) part = parts.insert(parts.end(), {own, {}});
      part->second.push_back(learned);
    }
    std::vector<Grid> grids;
    for (auto& [rest, part] : parts) grids.push_back(std::move(part));
    return grids;
  }

  /// Adds the entries that run the grid: one if it is whole, else one for each of its parts.
  void add(const Grid& grid) {
    const Json axes = axes_of(grid);
    if (axes.empty()) return;
    if (runs_exactly(grid, axes)) {
      add_entry(grid, axes);
      return;
    }
    // The first parameter is what a sweep varies, so it is the last to be parted.
    std::vector<Grid> fewest;
    for (std::size_t i = asked(*grid.front()).parameters.size(); i-- > 0;) {
      std::vector<Grid> parts = parted(grid, i);
      if (parts.size() > 1 && (fewest.empty() || parts.size() < fewest.size())) fewest = std::move(parts);
    }
    if (fewest.empty() && grid.size() > 1) {
      for (const LearnedCase* learned : grid) fewest.push_back({learned});
    }
    for (const Grid& part : fewest) add(part);
  }

  void add_entry(const Grid& grid, const Json& axes) {
    Json& entry = probes_.emplace_back(Json{{"probe", asked(*grid.front()).probe}, {"axes", axes}});
    named_.insert(grid.begin(), grid.end());
    if (like_ == nullptr) return;
    const auto sweep = std::ranges::find_if(
        like_->plan.sweeps, [&](const PlannedSweep& planned) { return planned.probe == probe_of(grid); });
    if (sweep == like_->plan.sweeps.end()) return;
    Json options = Json::object();
    const Effort& effort = sweep->effort;
    if (effort.ci_width) options["ci_width"] = fmt::format("{:g}%", 100 * *effort.ci_width);
    if (effort.time_budget) options["time_budget"] = fmt::format("{:g}s", effort.time_budget->count());
    if (!options.empty()) entry["options"] = options;
  }

  const LearnedFleet& fleet_;
  const Suite* like_;
  const std::vector<Probe>& registry_;
  std::vector<Json> probes_;
  std::set<const LearnedCase*> named_;
};

/// To six digits, away from the median, so that no value that just passes is lost.
double rounded_bound(double bound, Better better) {
  constexpr double half_a_digit = 5e-6;  // at most, of a number with six
  const double beyond = bound * (1 + (better == Better::less ? half_a_digit : -half_a_digit));
  return std::stod(fmt::format("{:.6g}", beyond));
}

Json expectation(const LearnedFleet& fleet, const LearnedCase& learned, const Entries& entries) {
  const report::ComparedQuantity& quantity = fleet.names->case_name(learned.name).quantity;
  return {
      {"name", learned.label},
      {"gpu", fleet.gpu},
      {"cases", entries.selection(learned)},
      {"quantity", quantity.name},
      {quantity.better == Better::less ? "at_most" : "at_least", rounded_bound(learned.bounds.bound, quantity.better)},
      {"because", learned_words(fleet, learned)}};
}

std::string lines_of(const std::vector<Json>& entries) {
  std::string text;
  for (const Json& entry : entries) {
    text += (text.empty() ? "\n    " : ",\n    ") + entry.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text;
}

}  // namespace

LearnedSuite learned_suite(const report::LearnedFleet& fleet, const std::string& name, const Suite* like,
                           const std::vector<Probe>& registry) {
  if (fleet.cases.size() > most_cases) {
    throw usage_error(fmt::format(
        "the reports have {} cases in common, and a suite holds at most {} expectations; learn from reports "
        "of a smaller suite",
        fleet.cases.size(), most_cases));
  }
  const Entries entries(fleet, like, registry);
  if (entries.named().empty()) {
    throw usage_error("there is nothing to learn: no probe of this gpumem has the cases of the reports");
  }
  std::vector<Json> expectations;
  for (const LearnedCase& learned : fleet.cases) {
    if (entries.named().contains(&learned)) expectations.push_back(expectation(fleet, learned, entries));
  }
  const std::string purpose = fmt::format("Is this GPU as {} of its kind were? Learned from reports of {}.", fleet.gpus,
                                          report::one_line(fleet.gpu));
  LearnedSuite suite;
  suite.unnamed = fleet.cases.size() - entries.named().size();
  suite.json = fmt::format(
      "{{\n  \"schema_version\": 1,\n  \"name\": {},\n  \"purpose\": {},\n  \"probes\": [{}\n  ],\n"
      "  \"expectations\": [{}\n  ]\n}}\n",
      Json(name).dump(-1, ' ', false, Json::error_handler_t::replace),
      Json(purpose).dump(-1, ' ', false, Json::error_handler_t::replace), lines_of(entries.probes()),
      lines_of(expectations));
  return suite;
}

std::string learned_words(const report::LearnedFleet& fleet, const report::LearnedCase& learned) {
  const std::string& quantity = fleet.names->case_name(learned.name).quantity.name;
  const measure::Criterion& bounds = learned.bounds;
  std::string words = fmt::format("learned from {}: median {}, spread {} %", report::counted(bounds.count, "GPU"),
                                  report::value_words(quantity, bounds.median), significant(100 * bounds.deviation, 2));
  if (bounds.left_out > 0) words += fmt::format(", without {} beyond the bound", bounds.left_out);
  if (bounds.groups) {
    words += fmt::format(", in two groups, {} at {} and {} at {}", bounds.groups->slower,
                         report::value_words(quantity, bounds.groups->slower_median), bounds.groups->faster,
                         report::value_words(quantity, bounds.groups->faster_median));
  }
  return words + fmt::format("; finds {:.1f} % slower with {:g} % certainty, false alarm 1 in {:.0f} checks of a GPU",
                             100 * bounds.finds, 100 * measure::certainty_of_finding, 1 / fleet.false_alarms);
}

}  // namespace gpumem::app
