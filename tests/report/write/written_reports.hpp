#pragma once
// Reports as the writers write them, and the examples that all of them are tried on.

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "report/write/writers.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::written_reports {

using Write = std::function<void(std::ostream&, const Report&)>;

inline std::string text_of(const Report& report, const Write& write) {
  std::ostringstream out;
  write(out, report);
  return out.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline void in_markdown(std::ostream& out, const Report& report) { write_markdown(out, report); }

inline void in_csv(std::ostream& out, const Report& report) { write_csv(out, report); }

inline Write table(const TableStyle& style) {
  return [style](std::ostream& out, const Report& report) { write_table(out, report, style); };
}

struct Example {
  std::string name;
  Report report;
};

inline std::vector<Example> all_examples() {
  return {{"measured_copy", examples::measured_copy()},
          {"model", examples::model()},
          {"banks", examples::banks()},
          {"dry_run", examples::dry_run()},
          {"single_cases", examples::single_cases()},
          {"transfers", examples::transfers()},
          {"overlap", examples::overlap()},
          {"predicted_overlap", examples::predicted_overlap()},
          {"node", examples::node()},
          {"all_gpus", examples::all_gpus()}};
}

}  // namespace gpumem::report::written_reports
