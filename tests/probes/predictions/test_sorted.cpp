// The gain of accesses in the order of their addresses.

#include <initializer_list>
#include <utility>

#include "engine/model/predict.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::model::test_sorted {

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

/// An H200, but for an L2 that short launches are beyond.
const Profile& h200() {
  static const Profile profile = [] {
    Profile small = load_profile("h200");
    small.device.l2_bytes = mib;
    return small;
  }();
  return profile;
}

using Given = std::initializer_list<std::pair<std::string, Value>>;

Workload workload_of(const std::string& element, Given given) {
  Case tested = global::test::case_of("pattern", {{"pattern", element}, {"active", std::string("1")}});
  for (const auto& [parameter, value] : given) tested.set(parameter, value);
  return tested.probe->describe(tested, h200().device);
}

std::optional<double> gain_of(const Workload& workload) {
  return sorted_gain(workload, predict(workload, h200()), h200());
}

double gain(const std::string& element, Given given) {
  const auto gain = gain_of(workload_of(element, given));
  REQUIRE(gain);
  return *gain;
}

}  // namespace

TEST_CASE("sorting what is sorted gains nothing", "[sorted]") {
  for (const std::string op : {"read", "write", "copy"}) {
    for (const std::uint64_t bytes : {mib / 16, 64 * mib}) {
      INFO(op << " of " << bytes);
      CHECK(gain("i", {{"op", op}, {"buffer_bytes", bytes}}) == Approx(1).epsilon(0.001));
    }
  }
  CHECK(gain("n - 1 - i", {{"op", std::string("read")}, {"buffer_bytes", 64 * mib}}) == Approx(1).epsilon(0.001));
  for (const char* element :
       {"i + 7", "i * 32", "i / 4", "i * 3 + 5", "i / 32 * 40 + i % 32", "n - 1 - i", "i * i / n"}) {
    for (const std::string op : {"read", "write", "copy"}) {
      for (const std::uint64_t bytes : {mib / 4, mib, 4 * mib}) {
        INFO(element << " " << op << " of " << bytes);
        CHECK(gain(element, {{"op", op}, {"buffer_bytes", bytes}}) == 1);
      }
    }
  }
}

TEST_CASE("sorting gathers and scatters from all over memory gains much", "[sorted]") {
  CHECK(gain("i * 2654435761 % n", {{"op", std::string("read")}, {"buffer_bytes", 4 * mib}}) > 2);
  CHECK(gain("i * 2654435761 % n", {{"op", std::string("write")}, {"buffer_bytes", mib}}) > 1.2);
}

TEST_CASE("sorting spares no memory that lies between: a stride stays one", "[sorted]") {
  for (const char* element : {"i * 8", "i * 2"}) {
    CHECK(gain(element, {{"op", std::string("read")}, {"buffer_bytes", 16 * mib}}) == Approx(1).epsilon(0.01));
  }
}

TEST_CASE("nothing is sorted but what somebody has described, and asks for anything", "[sorted]") {
  Workload other = workload_of("i * 2654435761 % n", {{"op", std::string("read")}, {"buffer_bytes", mib / 4}});
  other.sites[0].described = false;
  CHECK(gain_of(other) == Approx(1));
  other.sites[0].described = true;
  other.useful_bytes_read = 0;
  CHECK_FALSE(gain_of(other));
}

TEST_CASE("the metric of the probe is the gain of sorting", "[sorted]") {
  const Probe* probe = find_probe("pattern");
  REQUIRE(probe != nullptr);
  REQUIRE(probe->metrics.size() == 1);
  CHECK(probe->metrics[0].quantity.name == "sorted_gain");
  const Workload workload = workload_of("i ^ 5", {{"op", std::string("read")}, {"buffer_bytes", mib / 4}});
  CHECK(probe->metrics[0].predict(workload, predict(workload, h200()), h200()) == gain_of(workload));
}

}  // namespace gpumem::model::test_sorted
