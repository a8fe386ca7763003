#include "app/commands/explain.hpp"

#include <algorithm>
#include <sstream>

#include "app/commands/case_filter.hpp"
#include "report/read/report_file.hpp"
#include "report/write/explanations.hpp"

namespace gpumem::app {

int run_explain_command(const ExplainArguments& arguments, const Environment& environment) {
  const report::Report report = report::read_report_file(arguments.report, environment.in);
  const std::vector<std::size_t> cases = choose_cases(report.results, {arguments.cases, environment.registry});
  std::ostringstream text;
  if (arguments.markdown) {
    report::write_explained_markdown(text, report, cases);
  } else {
    report::write_explained(text, report, cases, std::clamp(environment.out_terminal.width, 80U, 120U));
  }
  write_result(environment.out, text.str());
  return 0;
}

}  // namespace gpumem::app
