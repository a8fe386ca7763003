// Strided words of shared memory, loaded and stored.

#include "engine/access/site.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_bank {

namespace {

Workload describe(std::uint64_t stride, const std::string& op) {
  const Case tested = test::any_case("bank", {{"stride_words", stride}, {"op", op}});
  return tested.probe->describe(tested, test::some_device());
}

}  // namespace

TEST_CASE("bank loads unless told to store", "[bank]") {
  const Case tested = test::any_case("bank");
  CHECK(tested.name("op") == "read");
  const Workload loads = describe(1, "read");
  REQUIRE(loads.sites.size() == 1);
  CHECK(loads.sites.front().op == access::Op::load);
  CHECK(loads.useful_bytes_written == 0);
  CHECK(loads.useful_bytes_read > 0);
}

TEST_CASE("bank's stores conflict as its loads do, and are read back once", "[bank]") {
  for (const std::uint64_t stride : {0U, 1U, 2U, 8U, 32U, 33U}) {
    const Workload loads = describe(stride, "read");
    const Workload stores = describe(stride, "write");
    REQUIRE(stores.sites.size() == 2);
    CHECK(stores.sites[0].op == access::Op::store);
    CHECK(stores.sites[0].requests == loads.sites[0].requests);
    CHECK(stores.sites[1].requests == 132 * 32 * 8);
    CHECK(stores.useful_bytes_written == loads.useful_bytes_read);
    CHECK(stores.shared_bytes_per_block == loads.shared_bytes_per_block);
    CHECK(access::summarise(stores.sites[0]).cost.wavefronts_per_request ==
          access::summarise(loads.sites[0]).cost.wavefronts_per_request);
  }
}

TEST_CASE("no request takes fewer cycles than the least that its heading says", "[bank]") {
  const auto least = [](std::uint64_t stride, std::uint64_t word_bytes, const std::string& op) {
    const Case tested = test::any_case("bank", {{"stride_words", stride}, {"word_bytes", word_bytes}, {"op", op}});
    const Workload workload = tested.probe->describe(tested, test::some_device());
    const auto peak = tested.probe->headline.peak(workload, test::some_device());
    REQUIRE(peak);
    CHECK(*peak <= access::summarise(workload.sites.front()).cost.wavefronts_per_request);
    return *peak;
  };
  for (const std::string op : {"read", "write"}) {
    for (const std::uint64_t word_bytes : {4U, 8U, 16U}) {
      for (std::uint64_t stride = 0; stride <= 33; ++stride) {
        INFO(op << " of " << word_bytes << " bytes at stride " << stride);
        CHECK(least(stride, word_bytes, op) == (stride == 0 ? 1.0 : static_cast<double>(word_bytes) / 4));
      }
    }
  }
}

}  // namespace gpumem::test_bank
