// A probe and an expression of the same pattern are one launch: the model says the same of both, whatever fits L2.

#include <string>

#include "engine/model/predict.hpp"
#include "tests/probes/global/global_cases.hpp"
#include "tests/probes/predictions/cases.hpp"

namespace gpumem::model::test_pairs {

namespace {

constexpr std::uint64_t kib = std::uint64_t{1} << 10U;

/// With caches that short launches fill.
Profile small_gpu() {
  Profile profile = load_profile("h200");
  profile.device.multiprocessors = 8;
  profile.device.l2_bytes = 1024 * kib;
  return profile;
}

}  // namespace

TEST_CASE("a probe and an expression of the same pattern are predicted alike", "[pairs]") {
  struct Pair {
    const char* probe;
    const char* parameter;
    std::uint64_t value;
    const char* expression;
  };
  constexpr Pair pairs[] = {{"stride", "stride_elements", 2, "i * 2"},
                            {"stride", "stride_elements", 32, "i * 32"},
                            {"offset", "offset_elements", 0, "i"},
                            {"offset", "offset_elements", 7, "i + 7"}};
  const Profile profile = small_gpu();
  for (const Pair& pair : pairs) {
    for (const std::string op : {"read", "write", "copy"}) {
      for (const std::uint64_t bytes : {16 * kib, 256 * kib, 1000 * kib, 1024 * kib, 3000 * kib, 16384 * kib}) {
        INFO(pair.expression << " " << op << " of " << bytes);
        const auto predicted = [&](Case tested) {
          tested.set("op", op);
          tested.set("buffer_bytes", bytes);
          tested.set("elements_per_thread", std::uint64_t{4});
          return predict(tested.probe->describe(tested, profile.device), profile);
        };
        const Prediction probe = predicted(global::test::case_of(pair.probe, {{pair.parameter, pair.value}}));
        const Prediction expression = predicted(global::test::case_of(
            "pattern", {{"pattern", std::string(pair.expression)}, {"active", std::string("1")}}));
        CHECK(probe.seconds == Approx(expression.seconds).epsilon(1e-9));
        CHECK(probe.bottleneck == expression.bottleneck);
        CHECK(probe.sites.front().cost.sectors_per_request ==
              Approx(expression.sites.front().cost.sectors_per_request).epsilon(1e-12));
      }
    }
  }
}

}  // namespace gpumem::model::test_pairs
