// GeLU of every type: numbers are rounded as CUDA rounds them, each y that roundings allow is expected, and few others
// are.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <optional>
#include <vector>

#include "engine/measure/content.hpp"
#include "probes/kernels/fusion/gelu.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_gelu {

namespace {

using kernels::GeluStep;

struct Type {
  const char* name;
  RealFormat format;
};
const std::vector<Type> types = {
    {"float", float_format}, {"half", half_format}, {"bfloat16", bfloat16_format}, {"fp8", fp8_format}};

/// Inputs as the probe has them.
std::vector<double> inputs(const RealFormat& format) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    values.push_back(format.nearest(static_cast<double>(measure::random_word(i) >> 8U) * 0x1p-21 - 4));
  }
  return values;
}

/// One step in float. Tanh is off by so many ulps.
float step_in_float(GeluStep step, float t, float x, int tanh_ulps) {
  switch (step) {
    case GeluStep::square:
      return t * t;
    case GeluStep::cube:
    case GeluStep::times_x:
      return t * x;
    case GeluStep::scale_cube:
      return static_cast<float>(kernels::gelu_cubic) * t;
    case GeluStep::add_x:
      return x + t;
    case GeluStep::scale_sum:
      return static_cast<float>(kernels::gelu_scale) * t;
    case GeluStep::tanh: {
      const auto rounded = static_cast<float>(std::tanh(static_cast<double>(t)));
      return tanh_ulps == 0 ? rounded : std::nextafter(rounded, tanh_ulps < 0 ? -2.0F : 2.0F);
    }
    case GeluStep::add_one:
      return 1 + t;
    case GeluStep::halve:
      return t / 2;
  }
  return t;
}

struct Computing {
  RealFormat stored;
  bool stores_every_step;
  int tanh_ulps = 0;
  std::optional<unsigned> left_out = {};  ///< a step that a wrong kernel lacks

  [[nodiscard]] double gelu(double x) const {
    auto t = static_cast<float>(x);
    for (unsigned step = 0; step < kernels::gelu_steps; ++step) {
      if (step != left_out) t = step_in_float(static_cast<GeluStep>(step), t, static_cast<float>(x), tanh_ulps);
      if (stores_every_step || step + 1 == kernels::gelu_steps) t = static_cast<float>(stored.nearest(t));
    }
    return t;
  }
};

}  // namespace

TEST_CASE("gelu: numbers are rounded to the nearest of a type as CUDA rounds them", "[fusion]") {
  CHECK(half_format.nearest(1 + 0x1p-11) == 1);  // halfway, so even
  CHECK(half_format.nearest(1 + 0x3p-11) == 1 + 0x1p-9);
  CHECK(half_format.nearest(0x1p-25) == 0);
  CHECK(half_format.nearest(-0x1.8p-25) == -0x1p-24);
  CHECK(fp8_format.nearest(1.0625) == 1);
  CHECK(fp8_format.nearest(0.001) == 0x1p-9);
  CHECK(float_format.nearest(0.1) == 0.1);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    // From far below the smallest numbers of half and fp8 to 16, and of either sign.
    const std::uint32_t bits = measure::random_word(i);
    const float sign = (bits & 2U) != 0 ? -1.0F : 1.0F;
    const float value = sign * std::ldexp(1 + static_cast<float>(bits >> 9U) * 0x1p-23F, static_cast<int>(i % 32) - 28);
    INFO(value);
    REQUIRE(half_format.nearest(value) == static_cast<double>(static_cast<float>(__half(value))));
    REQUIRE(bfloat16_format.nearest(value) == static_cast<double>(static_cast<float>(__nv_bfloat16(value))));
    REQUIRE(fp8_format.nearest(value) == static_cast<double>(static_cast<float>(__nv_fp8_e4m3(value))));
  }
}

TEST_CASE("gelu: each y that roundings allow is expected, in one kernel and in nine", "[fusion]") {
  for (const Type& type : types) {
    for (const bool every : {false, true}) {
      for (const int ulps : {-1, 0, 1}) {
        INFO(type.name << ", each step stored: " << every << ", tanh off by " << ulps);
        const Computing computing{type.format, every, ulps};
        for (const double x : inputs(type.format)) {
          INFO(x);
          REQUIRE(kernels::gelu_interval(x, type.format, every).contains(computing.gelu(x)));
        }
      }
    }
  }
}

TEST_CASE("gelu: a step left out is found in every type", "[fusion]") {
  for (const Type& type : types) {
    for (const bool every : {false, true}) {
      for (unsigned step = 0; step < kernels::gelu_steps; ++step) {
        INFO(type.name << ", each step stored: " << every << ", without step " << step);
        const Computing computing{type.format, every, 0, step};
        std::size_t wrong = 0;
        const std::vector<double> all = inputs(type.format);
        for (const double x : all) {
          wrong += kernels::gelu_interval(x, type.format, every).contains(computing.gelu(x)) ? 0U : 1U;
        }
        CHECK(wrong > all.size() / 5);
      }
    }
  }
}

TEST_CASE("gelu: most results of a narrow type have one right value, of floats all are within 8 roundings",
          "[fusion]") {
  for (const Type& type : types) {
    for (const bool every : {false, true}) {
      INFO(type.name << ", each step stored: " << every);
      const std::vector<double> all = inputs(type.format);
      std::size_t wide = 0;
      for (const double x : all) {
        const kernels::Interval y = kernels::gelu_interval(x, type.format, every);
        if (type.format.digits > 0) wide += y.high > y.low ? 1U : 0U;
        if (type.format.digits == 0) REQUIRE(y.high - y.low <= 2 * 8 * 0x1p-24 * std::abs(x));
      }
      CHECK(wide < all.size() / 3);
    }
  }
}

TEST_CASE("gelu: a result that is no number, or of the other sign, is none that is expected", "[fusion]") {
  const kernels::Interval y = kernels::gelu_interval(1.5, half_format, true);
  CHECK(y.contains((y.low + y.high) / 2));
  CHECK_FALSE(y.contains(std::nan("")));
  CHECK_FALSE(y.contains(-y.low));
}

}  // namespace gpumem::test_gelu
