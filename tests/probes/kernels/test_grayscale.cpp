// Images made grey: the weights, what each layout asks of memory, and what is concluded.

#include <cmath>
#include <string>
#include <vector>

#include "engine/model/predict.hpp"
#include "probes/kernels/grayscale/grayscale.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_grayscale {

namespace {

Case grey_case(const std::string& pixels, std::uint64_t side, const std::string& type = "uint8") {
  return test::any_case("grayscale", {{"pixels", pixels}, {"image", side}, {"type", type}});
}

Workload workload_of(const std::string& pixels, std::uint64_t side, const std::string& type = "uint8") {
  const Case tested = grey_case(pixels, side, type);
  return tested.probe->describe(tested, test::some_device());
}

double sectors(const access::Site& site) { return access::summarise(site).cost.sectors_per_request; }

Outcome reading(const std::string& pixels, std::uint64_t side, double seconds, const std::string& type = "uint8") {
  return {.tested = grey_case(pixels, side, type),
          .headline = 1e-3 / seconds,
          .seconds = seconds,
          .metrics = kernels::metrics_of({.memory_s = 18e-6, .compute_s = 2e-6, .launch_s = 3e-6}, seconds)};
}

}  // namespace

TEST_CASE("grayscale: integers are within one of the weights, and leave black black and white white", "[grayscale]") {
  CHECK(kernels::grey_of(0, 0, 0) == 0);
  CHECK(kernels::grey_of(255, 255, 255) == 255);
  for (unsigned red = 0; red < 256; red += 15) {
    for (unsigned green = 0; green < 256; green += 15) {
      for (unsigned blue = 0; blue < 256; blue += 15) {
        const double exact = 0.299 * red + 0.587 * green + 0.114 * blue;
        CHECK(std::abs(kernels::grey_of(red, green, blue) - exact) < 1);
      }
    }
  }
}

TEST_CASE("grayscale: what a request touches follows from the layout and the type", "[grayscale]") {
  struct Expected {
    const char* type;
    std::uint64_t bytes;  ///< of a channel
    const char* pixels;
    double loaded;
    double stored;
    std::uint64_t pixels_per_warp;
  };
  const std::vector<Expected> all = {{"uint8", 1, "packed", 3, 1, 32},
                                     {"uint8", 1, "planar", 1, 1, 32},
                                     {"uint8", 1, "packed-vector", 32, 16, 512},
                                     {"uint8", 1, "planar-vector", 16, 16, 512},
                                     {"half", 2, "packed", 6, 2, 32},
                                     {"half", 2, "planar", 2, 2, 32},
                                     {"half", 2, "packed-vector", 32, 16, 256},
                                     {"bfloat16", 2, "planar-vector", 16, 16, 256},
                                     {"float", 4, "packed", 12, 4, 32},
                                     {"float", 4, "planar", 4, 4, 32},
                                     {"float", 4, "packed-vector", 32, 16, 128},
                                     {"float", 4, "planar-vector", 16, 16, 128}};
  for (const auto& [type, bytes, pixels, loaded, stored, pixels_per_warp] : all) {
    INFO(pixels << " " << type);
    const Workload workload = workload_of(pixels, 2048, type);
    REQUIRE(workload.sites.size() == 2);
    CHECK(sectors(workload.sites[0]) == loaded);
    CHECK(sectors(workload.sites[1]) == stored);
    CHECK(workload.sites[0].requests == 3 * 2048 * 2048 / pixels_per_warp);
    CHECK(workload.sites[1].requests == 2048 * 2048 / pixels_per_warp);
    CHECK(workload.useful_bytes_read == 3 * 2048 * 2048 * bytes);
    CHECK(workload.useful_bytes_written == 2048 * 2048 * bytes);
    CHECK(workload.useful_flops.value_or(0) == (bytes == 1 ? 0 : 5 * 2048 * 2048));
    // Whatever the requests share, all of them together touch the image once.
    CHECK(access::summarise(workload.sites[0]).footprint.sectors * 32 == static_cast<double>(3 * 2048 * 2048 * bytes));
  }
}

TEST_CASE("grayscale: groups of any type end with the last pixel", "[grayscale]") {
  for (const auto& [type, lanes] : {std::pair("half", 0xFU), std::pair("float", 0x7FU)}) {
    INFO(type);
    const Workload workload = workload_of("planar-vector", 5, type);  // 25 pixels
    CHECK(workload.sites[0].request(0).active == lanes);
    CHECK(workload.sites[1].request(0).active == lanes);
    CHECK(workload.sites[1].extent_bytes == 128);
  }
}

TEST_CASE("grayscale: any image works, and none is left in L2 for its next turn", "[grayscale]") {
  for (const char* pixels : {"packed", "planar", "packed-vector", "planar-vector"}) {
    INFO(pixels);
    const Workload small = workload_of(pixels, 5);
    CHECK(small.sites[0].requests == 3);
    CHECK(small.sites[1].request(0).active == (std::string(pixels).ends_with("vector") ? 3U : 0x1FFFFFFU));
    CHECK(small.allocated_bytes >= 4 * test::some_device().l2_bytes);
    CHECK_FALSE(model::predict(small, model::load_profile("h200")).cache_resident);
  }
}

TEST_CASE("grayscale: the speed of light is memory, arithmetic and launch", "[grayscale]") {
  const model::Profile profile = model::load_profile("h200");
  const Workload workload = workload_of("planar", 2048);
  const kernels::SpeedOfLight light = kernels::speed_of_light(workload, profile.device, 3e-6);
  CHECK(light.memory_s == Approx(2048 * 2048 * 4 / 4.814e12).epsilon(0.001));
  CHECK(light.compute_s == Approx(2048 * 2048 * 4 / (64 * 132 * 1.98e9)));
  CHECK(light.seconds() == light.memory_s + light.compute_s + 3e-6);
  const Workload of_floats = workload_of("planar", 2048, "float");
  const kernels::SpeedOfLight floats = kernels::speed_of_light(of_floats, profile.device, 3e-6);
  CHECK(floats.memory_s == Approx(4 * light.memory_s));
  CHECK(floats.compute_s == Approx(2048 * 2048 * 3 / (128 * 132 * 1.98e9)));  // a product and two multiply-adds
  const auto& metrics = find_probe("grayscale")->metrics;
  const auto named = kernels::metrics_of(light, 1);
  REQUIRE(metrics.size() == named.size());
  for (std::size_t i = 0; i < metrics.size(); ++i) CHECK(metrics[i].quantity.name == named[i].first);
}

TEST_CASE("grayscale: the advice holds every image against its speed of light, and compares layouts", "[grayscale]") {
  const std::vector<Outcome> outcomes = {reading("packed", 512, 26e-6), reading("packed", 2048, 54e-6),
                                         reading("planar-vector", 2048, 27e-6), reading("planar", 2048, 46e-6)};
  CHECK(test::advice(outcomes) ==
        "2048 x 2048 pixels are fastest as planar-vector: 2.00 x as fast as packed. 2048 x 2048 pixels, planar-vector, "
        "reach "
        "85 % of the speed of light: memory needs 18.0 us, arithmetic 2.00 us and the launch 3.00 us of 27.0 us. "
        "Smaller images reach these shares of the speed of light, by side: 512 packed 88 %.");
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{2, 1});
  CHECK(facts[1].kind == FactKind::limit);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{2});
  CHECK(facts[2].outcomes == std::vector<std::size_t>{0});
  CHECK(facts[2].values.front().is_list);
}

TEST_CASE("grayscale: the advice names the type of pixels that are no bytes", "[grayscale]") {
  const std::vector<Outcome> outcomes = {reading("packed", 2048, 54e-6, "half"),
                                         reading("planar-vector", 2048, 27e-6, "half")};
  CHECK(
      test::advice(outcomes) ==
      "2048 x 2048 pixels of half are fastest as planar-vector: 2.00 x as fast as packed. 2048 x 2048 pixels of half, "
      "planar-vector, reach 85 % of the speed of light: memory needs 18.0 us, arithmetic 2.00 us and the launch 3.00 "
      "us of 27.0 us.");
  CHECK(test::advice({reading("packed", 512, 26e-6, "float"), reading("planar", 512, 26.5e-6, "float")})
            .starts_with("The layout of 512 x 512 pixels of float does not matter: planar is as fast as packed."));
}

TEST_CASE("grayscale: layouts that do not differ, or by no more than runs do, are said to be as fast", "[grayscale]") {
  const std::string same = "The layout of 512 x 512 pixels does not matter: planar is as fast as packed.";
  CHECK(test::advice({reading("packed", 512, 26e-6), reading("planar", 512, 26.5e-6)}).starts_with(same));
  Outcome packed = reading("packed", 512, 20e-6);
  Outcome planar = reading("planar", 512, 26e-6);
  packed.interval = {35, 55};
  planar.interval = {37, 40};
  CHECK(test::advice({packed, planar}).starts_with(same));
  CHECK(test::conclusion({packed, planar}).facts.front().kind == FactKind::as_fast_as);
}

}  // namespace gpumem::test_grayscale
