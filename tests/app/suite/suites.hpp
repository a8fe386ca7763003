#pragma once
// Suites as text, and the errors of those that are refused.

#include <string>
#include <vector>

#include "app/suite/suite.hpp"
#include "report/check/expectation.hpp"
#include "tests/app/fakes.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::app::suites {

using namespace gpumem::app::test;

using Lines = std::vector<std::string>;

class Refusals : public report::Sentences {
 public:
  Refusals() : Sentences("refused_suites.txt") {}
};

/// The two fakes, with a metric to ask for.
inline const std::vector<Probe> registry = [] {
  std::vector<Probe> probes = fake_probes();
  probes[0].metrics = {{.quantity = {"shifts_per_second", "how fast it shifts"}}};
  probes[1].validate = [](const Case& tested) {
    if (tested.number("skip_elements") == 13) throw usage_error("--skip: 13 is bad luck");
  };
  return probes;
}();

/// A suite of these probes, options and expectations.
inline std::string suite_of(const std::string& probes, const std::string& expectations = "[]",
                            const std::string& options = "{}") {
  return R"({"schema_version": 1, "name": "n", "purpose": "p", "options": )" + options + R"(, "probes": )" + probes +
         R"(, "expectations": )" + expectations + "}";
}

inline std::string refusal(const std::string& json) {
  return error_of([&] { static_cast<void>(parse_suite(json, "s.json", registry)); });
}

inline Suite parse(const std::string& json) { return parse_suite(json, "s.json", registry); }

inline const std::string two_probes = R"([{"probe": "shift", "axes": {"op": "read,copy"}}, {"probe": "skip"}])";

/// Returns the error of a suite whose one expectation has a name and these members.
inline std::string wrong(const std::string& members) {
  return refusal(suite_of(two_probes, R"([{"name": "e", )" + members + "}]"));
}

inline report::Expectation expectation(const std::string& members) {
  return parse(suite_of(two_probes, R"([{"name": "e", )" + members + "}]")).expectations.front();
}

}  // namespace gpumem::app::suites
