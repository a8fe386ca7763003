#include "app/explain_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <iterator>
#include <sstream>

#include "app/case_choice.hpp"
#include "probes/error.hpp"
#include "report/explain.hpp"
#include "report/read_report.hpp"

namespace gpumem::app {

namespace {

std::string contents(std::istream& in, const std::string& source) {
  errno = 0;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw usage_error(fmt::format("cannot read '{}': {}", source, std::strerror(errno)));
  return text;
}

report::Report read(const std::string& path, std::istream& standard_input) {
  if (path == "-") return report::read_report(contents(standard_input, "standard input"), "standard input");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw usage_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::string text;
  try {
    text = contents(file, path);
  } catch (const std::ios_base::failure&) {  // what libstdc++ makes of a directory
    throw usage_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }
  return report::read_report(text, path);
}

}  // namespace

int run_explain_command(const ExplainArguments& arguments, const Environment& environment) {
  const report::Report report = read(arguments.report, environment.in);
  const std::vector<std::size_t> cases = choose_cases(report.results, arguments.cases, environment.registry);
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
