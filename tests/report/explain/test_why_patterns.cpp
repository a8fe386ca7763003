// Explanations of a case whose access pattern is known: the pattern, and the gain from sorting.

#include <optional>
#include <string>

#include "report/text/text.hpp"
#include "tests/catch.hpp"
#include "tests/report/explain/why_cases.hpp"

namespace gpumem::report::test_why_patterns {

using namespace why_cases;

TEST_CASE_METHOD(Why,
                 "a pattern that somebody brought is told, and what it would be worth in the order of its addresses",
                 "[why]") {
  Record record = case_of("dram", "read", 32);
  const std::string plain = why({record});
  const std::string plain_brief = brief({record});
  record.metrics = {{"sorted_gain", {}, 2.6}};
  CHECK(why({record}) == plain);  // of a pattern that nobody asks about
  CHECK(brief({record}) == plain_brief);

  record.access.front().pattern = "lanes 8 elements apart; each element 3.2 times";
  tell(why({record}));
  tell(brief({record}));

  // Without a gain worth mentioning the pattern is told alone, and the cell keeps what it said.
  const std::string alone = "Lanes 8 elements apart; each element 3.2 times. " + plain;
  for (const std::optional<double> gain : {std::optional<double>(), std::optional(1.0), std::optional(1.01)}) {
    record.metrics = {{"sorted_gain", {}, gain}};
    CHECK(why({record}) == alone);
    CHECK(brief({record}) == plain_brief);
  }
  record.metrics.clear();
  CHECK(why({record}) == alone);
}

TEST_CASE_METHOD(Why, "a pattern that would gain from sorting is not said to waste nothing", "[why]") {
  Record record = case_of("dram", "read", 4);
  record.access.front().pattern = "lanes 8 elements apart";
  record.metrics = {{"sorted_gain", {}, 2.6}};
  record.fraction_of_peak = 0.12;
  tell(why({record}));
  record.metrics = {{"sorted_gain", {}, 1.0}};
  tell(why({record}));
}

TEST_CASE("where there is no room for a pattern the gain of sorting goes with the rest", "[why]") {
  Record record = case_of("dram", "read", 32);
  const std::string plain = brief({record});
  record.metrics = {{"sorted_gain", {}, 12.0}};
  record.access.front().pattern = "lanes in no order: " + std::string(40, 'x') + "; then";
  CHECK(brief({record}) == plain + "; sorted: 12 x");
  // Nor for that: what the rule says stays whole.
  Record better = faster(record, 8, 4);
  better.access.front().pattern.clear();
  better.metrics.clear();
  const std::string with_gain = brief({record, better});
  CHECK(with_gain.starts_with(plain + ": 8.00 x"));
  CHECK(display_width(with_gain) <= 60);
  CHECK(why({record, better}).starts_with("Lanes in no order: xxx"));
}

TEST_CASE("of several sites the first pattern is told, in one line", "[why]") {
  Record record = case_of("dram", "copy", 4);
  record.access[1].pattern = "lanes side by side";
  CHECK(why({record}).starts_with("Lanes side by side. Limited by "));
  record.access[0].pattern = "lanes\n3 elements\tapart";
  CHECK(why({record}).find_first_of("\n\t") == std::string::npos);
  CHECK(why({record}).find("side by side") == std::string::npos);
  record.metrics = {{"sorted_gain", {}, 2.0}};
  CHECK(brief({record}).find_first_of("\n\t") == std::string::npos);
}

}  // namespace gpumem::report::test_why_patterns
