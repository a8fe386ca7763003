#include <string>
#include <utility>

#include "report/text/tokens.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_tokens {

TEST_CASE("Tokens are words, numbers, marks and line breaks") {
  CHECK(estimated_tokens("") == 0);
  CHECK(estimated_tokens("lanes") == 1);
  CHECK(estimated_tokens("kernel") == 2);
  CHECK(estimated_tokens(std::string(16, 'x')) == 4);
  CHECK(estimated_tokens(std::string(17, 'x')) == 9);  // no word
  CHECK(estimated_tokens("a lane") == 2);              // a blank is part of the word
  CHECK(estimated_tokens("a  lane") == 3);
  CHECK(estimated_tokens("a_lane") == 2);
  CHECK(estimated_tokens("a 32") == 3);
  CHECK(estimated_tokens("8192") == 2);
  CHECK(estimated_tokens("a, b") == 3);
  CHECK(estimated_tokens("<<<") == 2);
  CHECK(estimated_tokens("a <<<") == 3);
  CHECK(estimated_tokens("a\n\nb") == 3);
  CHECK(estimated_tokens("GPU") == 2);
  CHECK(estimated_tokens("…") == 3);
}

TEST_CASE("The estimate is a little higher than the count of cl100k_base") {
  const std::pair<std::string, std::size_t> counted[] = {
      {"Stores: lanes 8192 elements (32 KiB) apart, 32 sectors where 4 would do (app.cu:14); pass contiguous operands, "
       "or keep one layout all along",
       39},
      {"gpumem run --kernel '^void at::native::elementwise_kernel<.*lambda\\(\\)#7' --output after.json -- python3 "
       "train.py",
       32},
      {"| `DeviceRadixSortOnesweepKernel<…policy_hub…>` | sort_int | 2.0 | 48 | 61 | 1.2 | - | fine |", 40},
      {"| `lqsort_kernel<unsigned int> <<<532, 128>>>` | 5.2 | 1 | 1 | 1.3 | - | like row 1 |", 40},
      {"1. `cupy_copy__uint32_int64 <<<98304, 128>>>` could save **88 us** (68 us to 114 us), 0 % of the GPU time, low "
       "confidence",
       43}};
  for (const auto& [text, tokens] : counted) {
    INFO(text);
    CHECK(estimated_tokens(text) >= tokens);
    CHECK(estimated_tokens(text) <= tokens * 5 / 4);
  }
}

}  // namespace gpumem::report::test_tokens
