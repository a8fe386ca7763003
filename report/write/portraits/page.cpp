// A portrait as a page: the levels of memory drawn to scale, what misuse costs as curves, and what is unusual.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "engine/base/words.hpp"
#include "report/portrait/portrait.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/portraits/chart.hpp"
#include "report/write/portraits/portrait.hpp"
#include "report/write/portraits/style.hpp"

namespace gpumem::report {

namespace {

// ---- Curves

void write_chart(std::ostream& out, std::span<const LabelledChart> charts) {
  const DrawnChart drawn = drawn_chart(charts);
  out << "<figure><h3>" << xml_escaped(charts.front().chart->title) << "</h3>";
  if (!drawn.legend.empty()) {
    out << "<ul class=\"legend\">";
    for (const LegendEntry& entry : drawn.legend) {
      out << fmt::format(
          R"(<li><svg viewBox="0 0 24 8" aria-hidden="true"><line x1="0" y1="4" x2="24" y2="4" class="curve {}"/>)"
          "</svg>{}</li>",
          entry.looks, xml_escaped(entry.words));
    }
    out << "</ul>";
  }
  out << '\n' << drawn.svg << "\n<figcaption>";
  for (const LabelledChart& labelled : charts) {
    for (const std::string& sentence : labelled.chart->sentences) {
      out << "<p>" << xml_escaped(charts.size() > 1 ? labelled.label + ": " + sentence : sentence) << "</p>";
    }
  }
  out << "</figcaption></figure>\n";
}

void write_charts(std::ostream& out, const std::vector<Portrait>& portraits) {
  std::vector<std::string> probes;
  for (const Portrait& portrait : portraits) {
    for (const PortraitChart& chart : portrait.charts) {
      if (std::ranges::find(probes, chart.probe) == probes.end()) probes.push_back(chart.probe);
    }
  }
  if (probes.empty()) return;
  out << "<section><h2>What misuse costs</h2>\n<p class=\"about\">Measured solid, predicted dashed; a point tells its "
         "readings. No line goes over offsets and strides that were not run.</p><div class=\"charts\">\n";
  for (const std::string& probe : probes) {
    std::vector<LabelledChart> charts;
    for (const Portrait& portrait : portraits) {
      const auto chart = std::ranges::find(portrait.charts, probe, &PortraitChart::probe);
      if (chart == portrait.charts.end()) continue;
      if (charts.empty() || charts.front().chart->quantity == chart->quantity) {
        charts.push_back({portrait.label, portrait.is_prediction, &*chart});
      }
    }
    write_chart(out, charts);
  }
  write_ladder(out, portraits);
  out << "</div></section>\n";
}

// ---- The page

void write_unusual(std::ostream& out, const std::vector<Portrait>& portraits) {
  if (std::ranges::all_of(portraits, [](const Portrait& portrait) { return portrait.unusual.empty(); })) return;
  out << "<section><h2>Beside others of its kind</h2>\n";
  for (const Portrait& portrait : portraits) {
    for (const std::string& sentence : portrait.unusual) {
      out << "<p>" << xml_escaped(portraits.size() > 1 ? portrait.label + ": " + sentence : sentence) << "</p>\n";
    }
  }
  out << "</section>\n";
}

std::string title_of(const std::vector<Portrait>& portraits) {
  std::vector<std::string> names;
  for (const Portrait& portrait : portraits) names.push_back(portrait.label);
  return join_in_words(names);
}

void write_header(std::ostream& out, std::span<const NamedReport> reports, const std::vector<Portrait>& portraits) {
  out << "<header><p>Portrait of a GPU's memory</p><h1>" << xml_escaped(title_of(portraits)) << "</h1>\n";
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const std::vector<std::string> lines = preamble(reports[i].report);
    const std::string heading = portraits[i].gpu + ", ";
    for (const std::string& line : lines) {
      if (reports.size() == 1 && line == portraits[i].gpu) continue;  // which the title says
      const bool repeats = reports.size() == 1 && line.starts_with(heading);
      const std::string text = repeats ? capitalised(line.substr(heading.size())) : line;
      const bool predicted = line.starts_with("PREDICTED");
      out << "<div class=\"about" << (predicted ? " badge" : "") << "\">" << xml_escaped(text) << "</div>\n";
    }
  }
  out << "</header>\n";
}

void write_footer(std::ostream& out, std::span<const NamedReport> reports) {
  out << "<footer>";
  for (const NamedReport& named : reports) {
    out << "<div>"
        << xml_escaped(fmt::format("gpumem {}, {}{}: {}", one_line(named.report.tool.version),
                                   one_line(named.report.started_at),
                                   named.report.host.name.empty() ? "" : ", " + one_line(named.report.host.name),
                                   one_line(command_line(named.report.command))))
        << "</div>";
  }
  out << "</footer>\n";
}

}  // namespace

void write_portrait_page(std::ostream& out, std::span<const NamedReport> reports) {
  const std::vector<Portrait> portraits = portraits_of(reports);
  out << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>"
      << xml_escaped(title_of(portraits)) << "</title>\n"
      << style_with_colours() << "</head><body>\n";
  write_header(out, reports, portraits);
  write_levels(out, portraits);
  write_charts(out, portraits);
  write_unusual(out, portraits);
  write_footer(out, reports);
  out << "</body></html>\n";
}

}  // namespace gpumem::report
