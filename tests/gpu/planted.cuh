#pragma once
// Errors planted in what a kernel has stored, for the kernel that checks it to find.

#include <cstdint>
#include <string>

#include "engine/measure/cuda.hpp"
#include "engine/measure/session.hpp"
#include "engine/measure/verify.hpp"
#include "probes/global/verify.cuh"
#include "tests/catch.hpp"

namespace gpumem::test {

inline unsigned long long count_of(const global::Mismatches& found) { return found.count; }
inline unsigned long long count_of(unsigned long long found) { return found; }

class Planted {
 public:
  [[nodiscard]] measure::Session& session() { return session_; }
  [[nodiscard]] cudaStream_t stream() { return session_.stream().get(); }

  /// `run` fills `elements` of `target`, `check(Found*)` launches the check of them. Elements are made wrong by turning
  /// over their highest byte: of a number, its sign and exponent.
  template <class Found, class Element, class Run, class Check>
  void find(const std::string& what, Element* target, std::uint64_t elements, Run run, Check check) {
    INFO(what);
    const measure::CheckResult<Found> found(session_);
    const auto wrong = [&] {
      found.reset(stream());
      check(found.data());
      return count_of(found.read(stream()));
    };
    measure::poison(target, elements * sizeof(Element), stream());
    run();
    CHECK(wrong() == 0);
    for (const std::uint64_t index : {std::uint64_t{0}, elements / 2, elements - 1}) {
      INFO("element " << index << " of " << elements);
      turn_over(reinterpret_cast<std::uint8_t*>(target + index + 1) - 1);
      CHECK(wrong() == 1);
      turn_over(reinterpret_cast<std::uint8_t*>(target + index + 1) - 1);
    }
    CHECK(wrong() == 0);
  }

 private:
  void turn_over(std::uint8_t* byte) {
    std::uint8_t value = 0;
    const auto copy = [&](void* to, const void* from) {
      measure::check(cudaMemcpyAsync(to, from, 1, cudaMemcpyDefault, stream()), "copy a byte");
      session_.stream().synchronize();
    };
    copy(&value, byte);
    value = static_cast<std::uint8_t>(~value);
    copy(byte, &value);
  }

  measure::Session session_{0};
};

}  // namespace gpumem::test
