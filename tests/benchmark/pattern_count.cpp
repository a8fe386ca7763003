// Times how long it takes to count a pattern on the host and on the GPU: `gpumem_pattern_count LOG2_ACCESSES EXPR...`.
// The GPU counts it twice: the first time includes compiling it, unless an earlier run has done that.

#include "probes/user/pattern/pattern_count.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "engine/measure/session.hpp"

using namespace gpumem;
using namespace gpumem::global;

namespace {

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void time(const char* text, std::uint64_t accesses, PatternCounter& counter, const Device& device) {
  const Launch launch{.op = Op::read, .word_bytes = 4, .count = accesses, .tile = {256, 1}};
  const UserPattern pattern = user_pattern(text, "1", launch);
  const double host = seconds_of([&] {
    const KnownPattern known = known_of(pattern, launch);
    if (!known.exact) static_cast<void>(counted(pattern, launch, known.facts));
  });
  bool on_gpu = true;
  const auto count = [&] {
    const auto elsewhere = [&](const UserPattern& asked, const Launch& of, std::uint64_t bound_elements) {
      auto found = counter.count(asked, of, bound_elements, device);
      on_gpu = found.has_value();
      return found;
    };
    static_cast<void>(known_of(pattern, launch, elsewhere));
  };
  const double first = seconds_of(count);
  const double second = seconds_of(count);
  std::printf("%-40s host %.3f s, GPU %.3f s, then %.3f s%s\n", text, host, first, second,
              on_gpu ? "" : " (not on the GPU)");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const measure::Session session(0);
    PatternCounter counter;
    const std::uint64_t accesses = std::uint64_t{1} << (count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 28);
    for (int k = 2; k < count; ++k) time(arguments[k], accesses, counter, session.device());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
