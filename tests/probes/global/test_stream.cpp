// The kernels of STREAM: what each reads, writes and computes, what is refused, and what is concluded.

#include <optional>

#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test_stream {

using namespace gpumem::global::test;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

Case stream_case(const std::string& kernel, const std::string& type = "double", std::uint64_t word_bytes = 16,
                 std::uint64_t elements_per_thread = 2) {
  return case_of(
      "stream",
      {{"stream", kernel}, {"type", type}, {"word_bytes", word_bytes}, {"elements_per_thread", elements_per_thread}});
}

}  // namespace

TEST_CASE("stream: bytes and operations are those of the formulas", "[stream]") {
  struct Expected {
    std::string kernel;
    std::uint64_t read;
    std::uint64_t written;
    std::optional<std::uint64_t> flops;
  };
  constexpr std::uint64_t doubles = mib / 8;
  for (const Expected& expected :
       {Expected{"copy", mib, mib, {}}, Expected{"mul", mib, mib, doubles}, Expected{"add", 2 * mib, mib, doubles},
        Expected{"triad", 2 * mib, mib, 2 * doubles}, Expected{"dot", 2 * mib, 0, 2 * doubles}}) {
    INFO(expected.kernel);
    const Workload workload = describe(stream_case(expected.kernel));
    CHECK(workload.useful_bytes_read == expected.read);
    CHECK(workload.useful_bytes_written == expected.written);
    CHECK(workload.useful_flops == expected.flops);
    CHECK(workload.sites.size() == (expected.written > 0 ? 2 : 1));
    CHECK(workload.sites.front().instructions == 2 * expected.read / mib);
    CHECK(workload.allocated_bytes >= expected.read + expected.written);
    CHECK(workload.modelled());
  }
  CHECK(describe(stream_case("triad", "float")).useful_flops == 4 * doubles);
  CHECK(describe(stream_case("triad", "bfloat16")).useful_flops == 8 * doubles);
  CHECK(describe(stream_case("triad", "fp8", 1)).useful_flops == 16 * doubles);
  CHECK_FALSE(describe(stream_case("triad", "int8", 1)).useful_flops);  // of integers
}

TEST_CASE("stream: a word of one narrow element asks for 32 or 64 bytes a request", "[stream]") {
  for (const auto& [type, bytes] :
       {std::pair("int8", 1U), std::pair("fp8", 1U), std::pair("half", 2U), std::pair("bfloat16", 2U)}) {
    INFO(type);
    const Workload workload = describe(stream_case("triad", type, bytes));
    for (const access::Site& site : workload.sites) {
      CHECK(site.word_bytes == bytes);
      CHECK(sectors_per_request(site) == bytes);
    }
    CHECK(workload.sites.back().requests == mib / bytes / access::warp_lanes);
    CHECK(workload.useful_bytes() == 3 * mib);
  }
}

TEST_CASE("stream: every request coalesces, and all of them touch each sector of all arrays once", "[stream]") {
  for (const char* kernel : {"copy", "triad", "dot"}) {
    for (const std::uint64_t word_bytes : {8U, 16U}) {
      INFO(kernel << " " << word_bytes);
      const Workload workload = describe(stream_case(kernel, "float", word_bytes));
      std::uint64_t sectors = 0;
      for (const access::Site& site : workload.sites) {
        CHECK(sectors_per_request(site) == static_cast<double>(word_bytes));
        sectors += static_cast<std::uint64_t>(access::summarise(site, site.requests).footprint.sectors);
      }
      CHECK(sectors * access::sector_bytes == workload.useful_bytes());
    }
  }
}

TEST_CASE("stream: words that hold no element, blocks that are no warps and odd buffers are refused", "[stream]") {
  CHECK(refusal_of(stream_case("add")).empty());
  CHECK(refusal_of(stream_case("add", "double", 4)) == "--word-bytes 4 is no word of double elements; use 8 or 16");
  CHECK(refusal_of(stream_case("add", "half", 8)) == "--word-bytes 8 is no word of half elements; use 2, 4 or 16");
  CHECK(refusal_of(stream_case("add", "fp8", 2)) == "--word-bytes 2 is no word of fp8 elements; use 1, 4 or 16");
  for (const char* type : {"half", "bfloat16", "int8", "fp8"}) CHECK(refusal_of(stream_case("dot", type)).empty());
  Case odd_block = stream_case("dot");
  odd_block.set("block_threads", std::uint64_t{100});
  CHECK(refusal_of(odd_block) == "--block-threads 100 is no multiple of 32, whose sums dot adds up; use 128");
  Case odd_buffer = stream_case("add");
  odd_buffer.set("buffer_bytes", std::uint64_t{100});
  CHECK(refusal_of(odd_buffer) == "--buffer 100 is not a multiple of the word size of 16 bytes; use 96");
}

TEST_CASE("stream: conclusions compare the kernels", "[stream]") {
  CHECK(advice({outcome_of(stream_case("triad"), 4400)}) == "Triad in double reaches 4400 GB/s.");
  CHECK(advice({outcome_of(stream_case("triad"), 4400), outcome_of(stream_case("add"), 4390)}) ==
        "In double all of the kernels are equally fast: 4400 GB/s.");
  const Outcome copy = outcome_of(stream_case("copy"), 4000);
  const Outcome dot = outcome_of(stream_case("dot"), 4500);
  CHECK(advice({copy, dot}) ==
        "In double dot is fastest: 4500 GB/s. Per byte copy takes 1.12 x as long: 4000 GB/s. Compare your kernel with "
        "the one that reads and writes as much.");
  const Conclusion concluded = conclusion({copy, dot});
  REQUIRE(kinds_of(concluded) == std::vector{FactKind::fastest, FactKind::costs});
  CHECK(concluded.facts[0].outcomes == std::vector<std::size_t>{1});
  CHECK(concluded.facts[1].outcomes == std::vector<std::size_t>{0, 1});
  CHECK(numbers_of(concluded.facts[1], "slowdown_ratio") == std::vector{1.125});
  CHECK(kinds_of(conclusion({within(copy, 3900, 4400), within(dot, 4300, 4600)})) == std::vector{FactKind::as_fast_as});
}

}  // namespace gpumem::global::test_stream
