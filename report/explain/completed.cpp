#include "report/explain/completed.hpp"

#include "report/explain/conclusions.hpp"
#include "report/explain/findings.hpp"
#include "report/explain/why.hpp"
#include "report/record/sweep.hpp"

namespace gpumem::report {

Report completed(Report report) {
  relate_to_baselines(report.results);
  report.conclusions = conclusions(report.results);
  report.findings = findings(report.results, report.conclusions);
  add_explanations(report.results);
  return report;
}

}  // namespace gpumem::report
