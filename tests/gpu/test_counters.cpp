// The hardware's counters, table after table in one process.

#include <cstdio>
#include <string>
#include <vector>

#include "app/run/backend.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"

using namespace gpumem;

namespace {

std::vector<Case> bank_cases(std::uint64_t strides) {
  std::vector<Case> cases;
  for (std::uint64_t stride = 0; stride < strides; ++stride) {
    cases.push_back({find_probe("bank"),
                     {{"stride_words", stride}, {"word_bytes", std::uint64_t{4}}, {"op", std::string("read")}}});
  }
  return cases;
}

/// Checks that a case is counted as predicted if only some of its spaces have counters, and the tables beside it have
/// none.
void check_local_memory(app::Backend& backend) {
  const std::vector<Case> cases = {
      {find_probe("local"), {{"array_words", std::uint64_t{16}}, {"array", std::string("local")}}}};
  std::vector<report::Record> records = {backend.run(cases.front())};
  REQUIRE_FALSE(backend.count(cases, records));
  for (const report::SiteRecord& site : records.front().access) {
    INFO(site.op);
    CHECK(site.per_request(report::sectors).counted == site.per_request(report::sectors).predicted);
  }
}

}  // namespace

TEST_CASE("every case is counted, however many more a table has than the one before") {
  app::MeasureOptions options;
  options.stopping.time_budget = measure::Seconds(0);
  options.counting = measure::Counting::if_possible;
  const auto backend = app::make_cuda_backend(options);
  for (const std::uint64_t strides : {1U, 3U, 34U, 2U}) {
    const std::vector<Case> cases = bank_cases(strides);
    std::vector<report::Record> records;
    for (const Case& tested : cases) records.push_back(backend->run(tested));
    if (const auto problem = backend->count(cases, records)) {
      std::puts(("skipped: no usable GPU counters: " + *problem).c_str());
      return;
    }
    check_local_memory(*backend);
    for (const report::Record& record : records) {
      INFO(strides << " cases, stride " << to_string(record.parameters.front().value));
      REQUIRE(record.counters.has_value());
      CHECK(record.counters->shared_load_wavefronts.value_or(0) > 0);
      CHECK(record.access.front().per_request(report::wavefronts).counted ==
            record.access.front().per_request(report::wavefronts).predicted);
    }
  }
}
