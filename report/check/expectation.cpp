#include "report/check/expectation.hpp"

namespace gpumem::report {

CheckRecord blank_check(const Expectation& expectation) {
  CheckRecord check;
  check.name = expectation.name;
  check.quantity = expectation.subject == Expectation::Subject::flags ? "" : expectation.quantity;
  check.at_least = expectation.at_least;
  check.at_most = expectation.at_most;
  check.required = expectation.required;
  return check;
}

}  // namespace gpumem::report
