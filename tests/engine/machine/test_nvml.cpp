#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/machine/nvml.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_nvml {

using gpumem::measure::count_other_processes;
using gpumem::measure::Health;
using gpumem::measure::health_flags;
using gpumem::measure::is_throttled;
using gpumem::measure::load_nvml;
using gpumem::measure::Nvml;
using Flags = std::vector<std::string>;
using std::chrono::milliseconds;

static_assert(!std::is_copy_constructible_v<Nvml> && std::is_nothrow_move_constructible_v<Nvml>);

TEST_CASE("NVML: absent when its library is", "[nvml]") {
  const auto library = load_nvml("libnvidia-ml-that-does-not-exist.so.1");
  CHECK(library == nullptr);
  CHECK_FALSE(Nvml::find(library, "GPU-12345678-90ab-cdef-0123-456789abcdef").has_value());
  CHECK_FALSE(Nvml::find(library, "00000000:01:00.0").has_value());
}

TEST_CASE("NVML: absent when its library is another one", "[nvml]") { CHECK(load_nvml("libm.so.6") == nullptr); }

TEST_CASE("NVML: whatever this machine has, loading it is no error", "[nvml]") {
  const auto library = load_nvml();
  CHECK_FALSE(Nvml::find(library, "GPU-00000000-0000-0000-0000-000000000000").has_value());
  CHECK_FALSE(Nvml::find(library, "not an identity").has_value());
}

TEST_CASE("NVML: which clock reasons are throttling", "[nvml]") {
  for (const std::uint64_t harmful :
       {0x4U, 0x8U, 0x20U, 0x40U, 0x80U}) {  // power cap, slowdown, thermal x 2, power brake
    INFO("bit " << harmful);
    CHECK(is_throttled(harmful));
    CHECK(is_throttled(harmful | 0x1));
  }
  for (const std::uint64_t harmless :
       {0x0U, 0x1U, 0x2U, 0x10U, 0x100U}) {  // none, idle, application, sync, display clocks
    INFO("bit " << harmless);
    CHECK_FALSE(is_throttled(harmless));
  }
}

TEST_CASE("NVML: other processes are those that cannot be ours", "[nvml]") {
  constexpr unsigned own = 42;
  const auto others = [](const std::vector<unsigned>& listed, bool holds_context) {
    return count_other_processes(listed, own, holds_context);
  };
  // Our id is recognised.
  CHECK(others({42}, true) == 0);
  CHECK(others({42}, false) == 0);
  CHECK(others({7, 42, 9}, true) == 2);
  // Host ids, among which one must be ours if we hold a context.
  CHECK(others({90'001}, true) == 0);
  CHECK(others({90'001}, false) == 1);
  CHECK(others({90'001, 90'002}, true) == 1);
  CHECK(others({90'001, 90'002}, false) == 2);
  // All hidden.
  CHECK(others({}, true) == 0);
  CHECK(others({}, false) == 0);
}

TEST_CASE("health: nothing known and nothing wrong flag nothing", "[nvml]") {
  CHECK(health_flags({}, {}).empty());
  Health good;
  good.clocks_event_reasons = 0x1;
  good.throttled_time = milliseconds(5000);  // long ago
  good.corrected_ecc_errors = 3;
  good.uncorrected_ecc_errors = 1;
  good.other_processes = 0;
  CHECK(health_flags(good, good).empty());
  // Known on one side only: no growth can be told.
  CHECK(health_flags({}, good).empty());
  CHECK(health_flags(good, {}).empty());
}

TEST_CASE("health: a flag is watched where it could have been raised", "[nvml]") {
  using gpumem::measure::watched_flags;
  CHECK(watched_flags({}, {}).empty());
  Health reasons;
  reasons.clocks_event_reasons = 0;
  CHECK(watched_flags(reasons, {}) == Flags{"throttled"});
  Health times;
  times.throttled_time = milliseconds(1);
  CHECK(watched_flags(times, {}).empty());  // no growth can be told
  CHECK(watched_flags(times, times) == Flags{"throttled"});
  Health errors;
  errors.uncorrected_ecc_errors = 0;
  CHECK(watched_flags({}, errors).empty());
  CHECK(watched_flags(errors, errors) == Flags{"ecc_errors"});
  Health processes;
  processes.other_processes = 0;
  CHECK(watched_flags({}, processes) == Flags{"contended"});
}

TEST_CASE("health: throttled by a reason in force in either snapshot", "[nvml]") {
  Health power_capped;
  power_capped.clocks_event_reasons = 0x4;
  CHECK(health_flags(power_capped, {}) == Flags{"throttled"});
  CHECK(health_flags({}, power_capped) == Flags{"throttled"});
}

TEST_CASE("health: throttled for a share of the time in between", "[nvml]") {
  Health before;
  before.throttled_time = milliseconds(5000);
  Health after = before;
  after.taken_at = before.taken_at + milliseconds(1000);
  *after.throttled_time += milliseconds(9);
  CHECK(health_flags(before, after).empty());
  *after.throttled_time += milliseconds(2);
  CHECK(health_flags(before, after) == Flags{"throttled"});
}

TEST_CASE("health: ECC errors counted in between", "[nvml]") {
  Health before;
  before.corrected_ecc_errors = 3;
  before.uncorrected_ecc_errors = 0;
  Health after = before;
  after.corrected_ecc_errors = 4;
  CHECK(health_flags(before, after) == Flags{"ecc_errors"});
  after = before;
  after.uncorrected_ecc_errors = 1;
  CHECK(health_flags(before, after) == Flags{"ecc_errors"});
  // The driver was reloaded: its counts began anew.
  CHECK(health_flags(after, before).empty());
}

TEST_CASE("health: contended by another process in either snapshot", "[nvml]") {
  Health crowded;
  crowded.other_processes = 2;
  CHECK(health_flags(crowded, {}) == Flags{"contended"});
  CHECK(health_flags({}, crowded) == Flags{"contended"});
}

TEST_CASE("health: every flag, in a fixed order", "[nvml]") {
  Health before;
  before.uncorrected_ecc_errors = 0;
  Health after;
  after.clocks_event_reasons = 0x40;
  after.uncorrected_ecc_errors = 2;
  after.other_processes = 1;
  CHECK(health_flags(before, after) == Flags{"throttled", "ecc_errors", "contended"});
}

}  // namespace gpumem::test_nvml
