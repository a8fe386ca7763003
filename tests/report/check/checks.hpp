#pragma once
// The base of test cases of checks, which assert verdicts. Reasons stand in a golden file.

#include <string>

#include "tests/report/golden.hpp"

namespace gpumem::report {

class Checks : public Sentences {
 public:
  Checks() : Sentences("check_reasons.txt") {}

  /// Tells what was said, and returns the verdict of it.
  std::string verdict(const std::string& said) {
    tell(said);
    return said.substr(0, said.find(':'));
  }
};

}  // namespace gpumem::report
