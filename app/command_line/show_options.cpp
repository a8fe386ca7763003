#include <utility>

#include "app/command_line/command_options.hpp"
#include "probes/error.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

class ShowCommand final : public CommandOptions {
 public:
  explicit ShowCommand(CLI::App& program) : CommandOptions(program, "show", "Show saved reports again, in any format") {
    const std::string formats = report::join(names_of(report::all_formats()), "|");
    command()
        .add_option("REPORT", arguments_.reports,
                    "JSON reports that gpumem wrote, also those of older versions; - is standard input")
        ->option_text("REPORT...");
    add_value(command(), "format", format_, formats,
              "How stdout shows them: a table for people (default), or what another program reads. Several reports "
              "share one CSV with a first column 'report'; e.g. --format csv");
    add_value(
        command(), "output", arguments_.outputs, "FILE",
        "Write to a file instead of stdout, in the format of its extension (.json, .csv, .md, .txt, .xml, .prom); "
        "repeatable, - is stdout, e.g. --output run.md");
    add_switch(command(), "why", arguments_.why,
               "Add a last column to the table: what limits each case, and what would change it");
    add_switch(command(), "no-color", arguments_.no_color,
               "No colours in the table, as with NO_COLOR set, e.g. in a console that shows their codes");
    command().footer(
        "Examples:\n"
        "  gpumem show run.json --why              the table of a run, and what limits it\n"
        "  gpumem show a.json b.json --format csv  for one data frame\n"
        "  gpumem show run.json --output run.md    for an issue");
  }

  [[nodiscard]] Request take() override {
    if (arguments_.reports.empty()) {
      throw usage_error("show needs a report; write one with: gpumem probe ... --output run.json");
    }
    arguments_.format = format_named(format_, report::all_formats());
    return std::move(arguments_);
  }

 private:
  ShowArguments arguments_;
  std::string format_;
};

}  // namespace

Command add_show_command(CLI::App& program) { return std::make_unique<ShowCommand>(program); }

}  // namespace gpumem::app
