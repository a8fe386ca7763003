#pragma once
// The base of test cases of checks, which assert verdicts. Reasons stand in a golden file.

#include <string>

#include "report/check/check.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::report {

/// "pass: reason", "fail: ...", "skip: ..."
inline std::string said(const CheckRecord& check) {
  return std::string(to_string(check.verdict)) + ": " + check.reason;
}

class Checks : public Sentences {
 public:
  Checks() : Sentences("check_reasons.txt") {}

  std::string verdict(const std::string& said) { return head(said); }
};

}  // namespace gpumem::report
