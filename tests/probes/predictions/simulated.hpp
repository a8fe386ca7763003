#pragma once
// The traffic of patterns on an H200 with smaller caches and fewer multiprocessors, so that short launches fill them.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "engine/model/predict.hpp"
#include "engine/model/traffic.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::model::simulated {

constexpr std::uint64_t kib = std::uint64_t{1} << 10U;
constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

/// 8 multiprocessors, with one L2 that is as near to all of them.
inline Profile small_gpu(std::uint64_t l2_bytes = mib, std::uint64_t l1_bytes = 16 * kib) {
  Profile profile = load_profile("h200");
  profile.device.multiprocessors = 8;
  profile.device.l2_bytes = l2_bytes;
  profile.rates.l1.bytes = static_cast<double>(l1_bytes);
  profile.rates.l2.near_share = 1;
  return profile;
}

using Given = std::initializer_list<std::pair<std::string, Value>>;

/// `bytes` of accesses by threads of one element, but for what is given.
inline Workload workload_of(const std::string& element, const std::string& op, std::uint64_t bytes,
                            const Profile& profile, Given given = {}) {
  Case tested = global::test::case_of(
      "pattern", {{"pattern", element}, {"active", std::string("1")}, {"op", op}, {"buffer_bytes", bytes}});
  for (const auto& [parameter, value] : given) tested.set(parameter, value);
  return tested.probe->describe(tested, profile.device);
}

inline Traffic traffic(const std::string& element, const std::string& op, std::uint64_t bytes, const Profile& profile,
                       Given given = {}) {
  const auto simulated = traffic_of(workload_of(element, op, bytes, profile, given), profile);
  REQUIRE(simulated);
  return *simulated;
}

inline double of(std::uint64_t bytes) { return static_cast<double>(bytes); }

inline double sectors_in(std::uint64_t bytes) { return of(bytes) / 32; }
inline double lines_in(std::uint64_t bytes) { return of(bytes) / 128; }
inline double pairs_in(std::uint64_t bytes) { return of(bytes) / 256; }

}  // namespace gpumem::model::simulated
