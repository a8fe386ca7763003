#include <stdexcept>

#include "report/explain/say.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_say {

TEST_CASE("A fact's values stand at their places, with their units", "[facts]") {
  CHECK(say(Fact{
            FactKind::fastest,
            {0},
            "{way} is best with {rate_gb_per_s} and {flops_gflop_per_s}, {gain_ratio} the other.",
            {{"way", "padded"}, {"rate_gb_per_s", 4227.3}, {"flops_gflop_per_s", 51234.0}, {"gain_ratio", 2.049}}}) ==
        "Padded is best with 4227 GB/s and 51.2 TFLOP/s, 2.05 x the other.");
  CHECK(say(Fact{FactKind::capacity,
                 {0},
                 "It holds {held_bytes}, {step_cycles} a step, {threads} threads, {lost_percent} lost, {wait_us}.",
                 {{"held_bytes", 65536.0},
                  {"step_cycles", 650.4},
                  {"threads", 256.0},
                  {"lost_percent", 12.0},
                  {"wait_us", 2.4}}}) == "It holds 64 KiB, 650 cycles a step, 256 threads, 12 % lost, 2.40 us.");
}

TEST_CASE("A ratio that was predicted too says so, and what else was predicted does not", "[facts]") {
  CHECK(say(Fact{FactKind::costs,
                 {0, 1},
                 "{slowdown_ratio} as long, {rate_gb_per_s}.",
                 {{"slowdown_ratio", 2.0, 2.5}, {"rate_gb_per_s", 100.0, 120.0}}}) ==
        "2.00 x (predicted 2.50 x) as long, 100 GB/s.");
}

TEST_CASE("Lists are said item by item, several of them together", "[facts]") {
  const std::vector<std::string> ways = {"padded", "swizzled", "wide"};
  const std::vector<double> gains = {2, 2.1, 0.5};
  CHECK(say(Fact{FactKind::costs, {0}, "{way gain_ratio}; {way}.", {{"way", ways}, {"gain_ratio", gains}}}) ==
        "Padded 2.00 x, swizzled 2.10 x and wide 0.50 x; padded, swizzled and wide.");
  CHECK_THROWS_AS(say(Fact{FactKind::costs, {0}, "{way gain_ratio}", {{"way", ways}, {"gain_ratio", 2.0}}}),
                  std::logic_error);
}

TEST_CASE("A template that does not fit its values is a mistake of the probe", "[facts]") {
  CHECK_THROWS_AS(say(Fact{FactKind::fit, {0}, "{missing}"}), std::logic_error);
  CHECK_THROWS_AS(say(Fact{FactKind::fit, {0}, "{open", {{"open", 1.0}}}), std::logic_error);
}

}  // namespace gpumem::report::test_say
