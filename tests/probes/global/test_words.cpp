// Words of 1, 2 and 32 bytes in the probes of global memory: what their requests cost, and which GPUs have them.

#include <initializer_list>
#include <string>
#include <utility>

#include "engine/access/exact.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test_words {

using namespace gpumem::global::test;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

Workload reads(const std::string& probe, std::uint64_t word_bytes,
               std::initializer_list<std::pair<std::string, Value>> given, const char* compute_capability = "9.0") {
  Case tested = case_of(probe, given);
  tested.set("op", std::string("read"));
  tested.set("word_bytes", word_bytes);
  Device device;
  device.compute_capability = compute_capability;
  return tested.probe->describe(tested, device);
}

double sectors(const Workload& workload) {
  const access::Site& site = workload.sites.front();
  const double exact = access::summarise_exactly(site).summary.cost.sectors_per_request;
  CHECK(access::summarise(site).cost.sectors_per_request == Approx(exact));
  return exact;
}

double shifted(std::uint64_t word_bytes, std::uint64_t offset, const char* compute_capability = "9.0") {
  return sectors(reads("offset", word_bytes, {{"offset_elements", offset}}, compute_capability));
}

double strided(std::uint64_t word_bytes, std::uint64_t stride) {
  return sectors(reads("stride", word_bytes, {{"stride_elements", stride}}));
}

std::string refused(const std::string& probe, std::initializer_list<std::pair<std::string, Value>> given) {
  try {
    static_cast<void>(reads(probe, 32, given));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::missing_capability);
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("words: a warp of bytes asks for one sector, a warp of 2-byte words for two, wherever they start",
          "[words]") {
  CHECK(shifted(1, 0) == 1);
  CHECK(shifted(1, 1) == 2);
  CHECK(shifted(1, 31) == 2);
  CHECK(shifted(1, 32) == 1);
  CHECK(shifted(2, 0) == 2);
  CHECK(shifted(2, 1) == 3);
  CHECK(shifted(2, 15) == 3);
  CHECK(shifted(2, 16) == 2);
  CHECK(strided(1, 2) == 2);
  CHECK(strided(1, 3) == 3);  // 94 bytes, from a multiple of 96 on
  CHECK(strided(1, 32) == 32);
  CHECK(strided(2, 2) == 4);
  CHECK(strided(2, 16) == 32);
  CHECK(strided(2, 32) == 32);
}

TEST_CASE("words: the smaller they are, the more requests move the same bytes", "[words]") {
  for (const std::uint64_t word_bytes : {1U, 2U, 4U}) {
    const Workload workload = reads("offset", word_bytes, {{"offset_elements", std::uint64_t{0}}});
    CHECK(workload.sites.front().requests == mib / 32 / word_bytes);
    CHECK(workload.useful_bytes_read == mib);
    CHECK(access::summarise(workload.sites.front()).footprint.sectors == mib / 32.0);
  }
}

TEST_CASE("words: 32 bytes are a sector for each lane, aligned whatever the offset", "[words]") {
  CHECK(shifted(32, 0, "10.0") == 32);
  CHECK(shifted(32, 1, "12.0") == 32);
  const Workload workload = reads("stride", 32, {{"stride_elements", std::uint64_t{2}}}, "10.0");
  CHECK(sectors(workload) == 32);
  CHECK(access::summarise(workload.sites.front()).cost.lines_per_request == 16);
  CHECK(access::summarise(workload.sites.front()).cost.efficiency == 1);
}

TEST_CASE("words: a GPU without accesses of 32 bytes is told so, before anything runs", "[words]") {
  constexpr const char* line = "an access of 32 bytes takes compute capability 10.0, this GPU has 9.0";
  CHECK(refused("offset", {{"offset_elements", std::uint64_t{0}}}) == line);
  CHECK(refused("stride", {{"stride_elements", std::uint64_t{1}}}) == line);
  CHECK(refused("coalesced", {}) == line);
  CHECK(refused("blocked", {{"run_elements", std::uint64_t{1}}}) == line);
  CHECK(refused("pitch", {{"width_elements", std::uint64_t{32}}}) == line);
  CHECK(refused("zero-copy", {{"stride_elements", std::uint64_t{1}}}) == line);
}

}  // namespace gpumem::global::test_words
