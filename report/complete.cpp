#include "report/complete.hpp"

#include "report/conclusions.hpp"
#include "report/sweep.hpp"
#include "report/why.hpp"
#include "report/writers.hpp"

namespace gpumem::report {

Report completed(Report report) {
  relate_to_baselines(report.results);
  conclude(report.results);
  report.findings = findings(report.results);
  add_explanations(report.results);
  return report;
}

}  // namespace gpumem::report
