#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "engine/base/words.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/portraits/chart.hpp"
#include "report/write/portraits/style.hpp"
#include "report/write/portraits/svg.hpp"

namespace gpumem::report {

namespace {

/// A column of the table of levels: what is drawn of each.
struct Measure {
  std::string_view heading;
  std::optional<Figure> PortraitLevel::*figure;
  std::function<std::string(const PortraitLevel&)> words;
  std::optional<double> PortraitLevel::*limit = nullptr;
};

std::string capacity_words(const PortraitLevel& level) {
  const std::string size = value_words("capacity_bytes", level.capacity_bytes->value);
  return level.per_multiprocessor ? size + " in each multiprocessor" : size;
}

std::string latency_words(const Figure& cycles, const std::optional<Figure>& ns) {
  const std::string words = value_words("latency_cycles", cycles.value);
  return ns ? fmt::format("{}, {}", words, value_words("latency_ns", ns->value)) : words;
}

std::string latency_of(const PortraitLevel& level) { return latency_words(*level.latency_cycles, level.latency_ns); }

std::string read_words(const PortraitLevel& level) {
  const std::string rate = rate_words(level.read_gb_per_s->value);
  if (!level.fraction_of_peak || !level.peak_gb_per_s) return rate;
  return fmt::format("{}, {} % of {}", rate, fixed(*level.fraction_of_peak * 100, 0), rate_words(*level.peak_gb_per_s));
}

const std::vector<Measure>& measures() {
  static const std::vector<Measure> all = {
      {"holds", &PortraitLevel::capacity_bytes, capacity_words},
      {"a load takes", &PortraitLevel::latency_cycles, latency_of},
      {"is read at", &PortraitLevel::read_gb_per_s, read_words, &PortraitLevel::peak_gb_per_s}};
  return all;
}

constexpr double shortest_bar = 4;  // percent of its room

/// One scale for all GPUs: logarithmic, in percent of a bar's room.
std::optional<Scale> scale_of(const std::vector<Portrait>& portraits, const Measure& measure) {
  std::vector<double> values;
  for (const Portrait& portrait : portraits) {
    for (const PortraitLevel& level : portrait.levels) {
      if (level.*measure.figure) values.push_back((level.*measure.figure)->value);
      if (measure.limit != nullptr && level.*measure.limit) values.push_back(*(level.*measure.limit));
    }
  }
  if (values.empty()) return std::nullopt;
  return scale_for(values, true, shortest_bar, 100);
}

/// The badge behind a title if figures are predicted: all of them, or those that are hatched. Empty if none is.
std::string badge(const std::vector<Portrait>& portraits) {
  const auto predicted = std::ranges::count(portraits, true, &Portrait::is_prediction);
  if (predicted == 0) return "";
  const bool all = predicted == std::ssize(portraits);
  return fmt::format(R"( <span class="badge">{}PREDICTED</span>)", all ? "" : "hatched: ");
}

/// A bar with its words above, in a GPU's colour; hatched where it is predicted.
std::string bar(const Figure& figure, const std::string& words, const Scale& scale, std::size_t gpu,
                const std::string& limit = "") {
  return fmt::format(
      R"(<div class="value">{}</div><div class="track"><div class="bar c{}{}" style="width:{:.1f}%"></div>{}</div>)",
      xml_escaped(words), gpu % colours, figure.predicted ? " predicted" : "", scale.at(figure.value), limit);
}

std::string cell(const PortraitLevel& level, const Measure& measure, const Scale& scale, std::size_t gpu) {
  const auto& figure = level.*measure.figure;
  if (!figure) return "";
  std::string limit;
  if (measure.limit != nullptr && level.*measure.limit) {
    limit = fmt::format(R"~(<div class="limit" style="left:calc({:.1f}% - 2px)"></div>)~",
                        scale.at(*(level.*measure.limit)));
  }
  return bar(*figure, measure.words(level), scale, gpu, limit);
}

/// The names of all levels, in the order of the GPU that has most.
std::vector<std::string> level_names(const std::vector<Portrait>& portraits) {
  const auto most =
      std::ranges::max_element(portraits, {}, [](const Portrait& portrait) { return portrait.levels.size(); });
  std::vector<std::string> names;
  for (const PortraitLevel& level : most->levels) names.push_back(level.name);
  return names;
}

/// Writes the colour of each GPU, if there are several.
void write_key(std::ostream& out, const std::vector<Portrait>& portraits) {
  if (portraits.size() < 2) return;
  out << "<ul class=\"legend\">";
  for (std::size_t g = 0; g < portraits.size(); ++g) {
    out << fmt::format(R"(<li><span class="swatch c{}"></span>{}</li>)", g % colours, xml_escaped(portraits[g].label));
  }
  out << "</ul>\n";
}

}  // namespace

void write_levels(std::ostream& out, const std::vector<Portrait>& portraits) {
  const std::vector<std::string> names = level_names(portraits);
  if (names.empty()) return;
  out << "<section><h2>The levels of memory" << badge(portraits) << "</h2>\n";
  write_key(out, portraits);
  out << "<table class=\"levels\"><thead><tr><th></th>";
  std::vector<std::optional<Scale>> scales;
  for (const Measure& measure : measures()) {
    out << "<th>" << measure.heading << "</th>";
    scales.push_back(scale_of(portraits, measure));
  }
  out << "</tr></thead><tbody>\n";
  for (const std::string& name : names) {
    out << "<tr><th scope=\"row\">" << xml_escaped(capitalised(name)) << "</th>";
    for (std::size_t column = 0; column < scales.size(); ++column) {
      out << "<td>";
      for (std::size_t g = 0; g < portraits.size() && scales[column]; ++g) {
        const auto& levels = portraits[g].levels;
        const auto level = std::ranges::find(levels, name, &PortraitLevel::name);
        if (level != levels.end()) out << cell(*level, measures()[column], *scales[column], g);
      }
      out << "</td>";
    }
    out << "</tr>\n";
  }
  out << "</tbody></table>\n<p class=\"about\">Bars are to scale, a logarithmic one for each column. The mark beside a "
         "bar is the best that the hardware could do.</p></section>\n";
}

void write_ladder(std::ostream& out, const std::vector<Portrait>& portraits) {
  std::vector<std::string> names;
  std::vector<double> values;
  for (const Portrait& portrait : portraits) {
    for (const PortraitStep& step : portrait.ladder) {
      if (std::ranges::find(names, step.level) == names.end()) names.push_back(step.level);
      values.push_back(step.latency_cycles.value);
    }
  }
  if (values.empty()) return;
  const Scale scale = scale_for(values, true, shortest_bar, 100);
  out << "<figure><h3>How long a load takes that waits for the one before" << badge(portraits) << "</h3>\n";
  write_key(out, portraits);
  out << "<dl class=\"ladder\">\n";
  for (const std::string& name : names) {
    out << "<dt>" << xml_escaped(name) << "</dt><dd>";
    for (std::size_t g = 0; g < portraits.size(); ++g) {
      const auto step = std::ranges::find(portraits[g].ladder, name, &PortraitStep::level);
      if (step == portraits[g].ladder.end()) continue;
      out << bar(step->latency_cycles, latency_words(step->latency_cycles, step->latency_ns), scale, g);
    }
    out << "</dd>\n";
  }
  out << "</dl></figure>\n";
}

}  // namespace gpumem::report
