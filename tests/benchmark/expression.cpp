// Times how long a host thread takes for a value of an expression, and for a proof. Usage: `expression EXPR...`. Prints
// a line for each expression.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "engine/pattern/expression_evaluator.hpp"
#include "engine/pattern/expression_period.hpp"

using namespace gpumem::pattern;

namespace {

constexpr std::int64_t accesses = std::int64_t{1} << 26U;

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void time(const char* text) {
  const Expression expression = parse_one(text, "expression");
  std::uint64_t sum = 0;  // printed, so that nothing is left out
  const double evaluation = seconds_of([&] {
    Evaluator evaluator(expression, accesses);
    for (std::int64_t first = 0; first < accesses; first += static_cast<std::int64_t>(lanes)) {
      for (const std::int64_t value : evaluator(consecutive(first))) sum += static_cast<std::uint64_t>(value);
    }
  });
  std::int64_t period = 0;
  const double proof = seconds_of([&] {
    if (const auto found = periodicity(expression, accesses)) period = found->period;
  });
  std::printf("%s: %.2f ns a value (sum %llu), %.3f ms to prove a period of %lld\n", text,
              evaluation * 1e9 / static_cast<double>(accesses), static_cast<unsigned long long>(sum), proof * 1e3,
              static_cast<long long>(period));
}

}  // namespace

int main(int count, char** texts) {
  try {
    for (int k = 1; k < count; ++k) time(texts[k]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
