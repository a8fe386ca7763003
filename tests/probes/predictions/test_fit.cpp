#include <cmath>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/fit.hpp"
#include "engine/model/rate_fields.hpp"
#include "tests/catch.hpp"
#include "tests/probes/predictions/cases.hpp"

namespace gpumem::model::test::test_fit {

namespace {

/// Makes cases of the stride probe in many shapes. Their times are the predictions of `profile`.
std::vector<FitCase> cases_of(const Profile& profile, const std::vector<std::string>& ops,
                              const std::vector<std::uint64_t>& strides) {
  std::vector<FitCase> cases;
  for (const std::string& op : ops) {
    for (const std::uint64_t word : {4U, 8U}) {
      for (const std::uint64_t elements : {1U, 4U, 8U}) {
        for (const std::uint64_t threads : {128U, 512U, 1024U}) {
          for (const std::uint64_t stride : strides) {
            const Shape shape{word, elements, threads, std::uint64_t{1} << 30U};
            const Case tested = global_case("stride", stride, op, shape);
            const Workload workload = tested.probe->describe(tested, profile.device);
            cases.emplace_back(workload, profile, model::predict(workload, profile).seconds,
                               std::to_string(stride) + op);
          }
        }
      }
    }
  }
  return cases;
}

const RateEstimate& estimate(const Fit& fit, const std::string& name) {
  for (const RateEstimate& rate : fit.rates) {
    if (rate.name == name) return rate;
  }
  throw std::logic_error("no estimate of " + name);
}

double relative(double found, double truth) { return std::abs(found / truth - 1); }

}  // namespace

TEST_CASE("a case of the fit takes what the model predicts of its workload", "[fit]") {
  const Profile h200 = load_profile("h200");
  for (const FitCase& fitted : cases_of(h200, {"read", "write", "copy"}, {1, 3, 32})) {
    CHECK(fitted.error(h200) == Approx(0).margin(1e-12));
  }
  Profile slower = h200;
  for (const RateField& field : rate_fields()) {
    const std::string name = field.name;
    if (name.ends_with("per_s") || name.ends_with("per_cycle")) slower.rates[field.id] /= 2;
    if (name.ends_with("latency_s") || name.ends_with("turn_s") || name.ends_with("latency_cycles") ||
        name == "launch_s" || name == "cached_launch_s") {
      slower.rates[field.id] *= 2;
    }
  }
  for (const FitCase& fitted : cases_of(h200, {"read", "copy"}, {1, 16})) {
    CHECK(fitted.error(slower) == Approx(std::log(2)));  // a GPU that is half as fast in everything
  }
}

TEST_CASE("rates are found again from far off", "[fit]") {
  const Profile truth = load_profile("h200");
  const std::vector<FitCase> cases = cases_of(truth, {"read", "write", "copy"}, {1, 2, 4, 8, 16, 32, 64});
  Profile start = truth;
  bool up = false;
  for (const RateField& field : rate_fields()) {
    if (field.carried || (field.read_off && field.id != rate_ids.copy.to_host_s)) continue;  // known beforehand
    start.rates[field.id] *= up ? 1.3 : 0.77;
    up = !up;
  }
  const Fit fit = fit_rates(cases, start);
  for (const auto* name : {"dram_read_bytes_per_s", "dram_copy_bytes_per_s", "block_launches_per_s", "load_latency_s",
                           "l2_load_line_pairs_per_s", "l2_fill_lines_per_s"}) {
    INFO(name);
    const RateEstimate& found = estimate(fit, name);
    CHECK(found.determined);
    for (const RateField& field : rate_fields()) {
      if (field.name != found.name) continue;
      CHECK(fit.profile.rates[field.id] == found.value);
      CHECK(relative(found.value, truth.rates[field.id]) < 0.08);
    }
  }
  CHECK(errors_of(cases, start).median > 0.1);
  CHECK(errors_of(cases, fit.profile).median < 0.01);
  CHECK(errors_of(cases, fit.profile).p95 < 0.03);
  // Not of copies, which no case tells.
  CHECK(fit.profile.rates.copy.to_host_s == start.rates.copy.to_host_s);
}

TEST_CASE("a rate that the cases do not tell keeps its value and says so", "[fit]") {
  const Profile truth = load_profile("h200");
  Profile start = truth;
  start.rates.dram.read_bytes_per_s *= 0.8;
  start.rates.dram.write_bytes_per_s *= 0.8;
  start.rates.link.write_bytes_per_s *= 0.8;
  const Fit fit = fit_rates(cases_of(truth, {"read"}, {1, 2, 4}), start);
  CHECK(estimate(fit, "dram_read_bytes_per_s").determined);
  CHECK(estimate(fit, "dram_read_bytes_per_s").value == Approx(truth.rates.dram.read_bytes_per_s).epsilon(0.02));
  for (const auto* name : {"dram_write_bytes_per_s", "pcie_write_bytes_per_s"}) {
    CHECK_FALSE(estimate(fit, name).determined);
    CHECK(estimate(fit, name).uncertainty == 0);
  }
  CHECK(fit.profile.rates.dram.write_bytes_per_s == start.rates.dram.write_bytes_per_s);
  CHECK(fit.profile.rates.link.write_bytes_per_s == start.rates.link.write_bytes_per_s);
}

TEST_CASE("groups that disagree make a rate uncertain", "[fit]") {
  const Profile truth = load_profile("h200");
  const auto with_spread = [&](double spread) {
    std::vector<FitCase> cases;
    unsigned number = 0;
    for (const std::uint64_t word : {4U, 8U, 16U}) {
      for (const std::uint64_t threads : {128U, 256U, 512U}) {
        const Case tested =
            global_case("offset", std::uint64_t{0}, "read", {word, 8, threads, std::uint64_t{1} << 30U});
        const Workload workload = tested.probe->describe(tested, truth.device);
        const double off = 1 + spread * (number % 3 - 1.0);
        cases.emplace_back(workload, truth, model::predict(workload, truth).seconds * off, std::to_string(number));
        ++number;
      }
    }
    return estimate(fit_rates(cases, truth), "dram_read_bytes_per_s");
  };
  const RateEstimate agreed = with_spread(0);
  const RateEstimate disagreed = with_spread(0.1);
  CHECK(agreed.uncertainty < 0.005);
  CHECK(disagreed.uncertainty > 0.01);
  CHECK(disagreed.uncertainty < 0.2);
}

TEST_CASE("the same cases give the same rates", "[fit]") {
  const Profile truth = load_profile("h200");
  const std::vector<FitCase> cases = cases_of(load_profile("v100"), {"copy"}, {1, 2, 8});
  const Fit once = fit_rates(cases, truth);
  const Fit again = fit_rates(cases, truth);
  for (const RateField& field : rate_fields()) {
    CHECK(once.profile.rates[field.id] == again.profile.rates[field.id]);
  }
}

TEST_CASE("errors are shares of the measured bandwidth", "[fit]") {
  const Profile truth = load_profile("h200");
  std::vector<FitCase> cases;
  for (unsigned i = 0; i < 20; ++i) {
    const Case tested = global_case("offset", std::uint64_t{0}, "read");
    const Workload workload = tested.probe->describe(tested, truth.device);
    // The last takes half as long as predicted: half of its bandwidth was predicted.
    cases.emplace_back(workload, truth, model::predict(workload, truth).seconds / (i == 19 ? 2 : 1), "");
  }
  const FitErrors errors = errors_of(cases, truth);
  CHECK(errors.cases == 20);
  CHECK(errors.median == Approx(0).margin(1e-9));
  CHECK(errors.p95 == Approx(0).margin(1e-9));
  CHECK(errors.worst == Approx(0.5));
  CHECK(errors_of({}, truth).cases == 0);
  CHECK_THROWS_AS(fit_rates({}, truth), Error);
}

TEST_CASE("only launches of kernels are fitted to", "[fit]") {
  Workload workload;
  CHECK_FALSE(FitCase::suits(workload));
  const Case tested = global_case("offset", std::uint64_t{0}, "read");
  workload = tested.probe->describe(tested, load_profile("h200").device);
  CHECK(FitCase::suits(workload));
  workload.operations.push_back({.work = Operation::Work::launch, .stage = "kernel", .count = 4});
  CHECK(FitCase::suits(workload));
  workload.operations.push_back({.work = Operation::Work::copy_to_host, .stage = "copy out"});
  CHECK_FALSE(FitCase::suits(workload));
}

}  // namespace gpumem::model::test::test_fit
