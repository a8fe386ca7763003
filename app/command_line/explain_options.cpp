#include <utility>

#include "app/command_line/command_options.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

class ExplainCommand final : public CommandOptions {
 public:
  explicit ExplainCommand(CLI::App& program)
      : CommandOptions(program, "explain", "Say what limits the cases of a saved report, and what would help") {
    command()
        .add_option("REPORT", arguments_.report, "A JSON report that 'gpumem probe' wrote, or - for standard input")
        ->option_text("REPORT");
    command()
        .add_option("CASE", arguments_.cases,
                    "Only these cases: by position (3, 0..5) or by parameter (offset=1 op=write); without any, all")
        ->option_text("[CASE...]");
    add_value(command(), "format", format_, "text|markdown",
              "As text for people (default), or as markdown for an issue");
    command().footer(
        "Examples:\n"
        "  gpumem probe --offset 0..32 --op write --output run.json\n"
        "  gpumem explain run.json offset=1     why this case is as fast as it is\n"
        "  gpumem explain run.json 0..3 --format markdown");
  }

  [[nodiscard]] Request take() override {
    if (arguments_.report.empty()) {
      throw usage_error("explain needs a report; write one with: gpumem probe ... --output run.json");
    }
    arguments_.markdown = index_of("format", format_, {"text", "markdown"}) == 1;
    return std::move(arguments_);
  }

 private:
  ExplainArguments arguments_;
  std::string format_ = "text";
};

}  // namespace

Command add_explain_command(CLI::App& program) { return std::make_unique<ExplainCommand>(program); }

}  // namespace gpumem::app
