#include <cstdint>
#include <string>
#include <vector>

#include "program/machine_code/instructions.hpp"
#include "program/machine_code/strong_loads.hpp"
#include "tests/catch.hpp"
#include "tests/program/machine_code/compiled_kernels.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::test_strong_loads {

namespace {

namespace test = gpumem::test;

// IMAD.U32 R10, RZ, RZ, UR12; IMAD.U32 R11, RZ, RZ, UR13; LDG.E.STRONG.SYS R10, desc[UR10][R10.64];
// ISETP.NE.AND P2, PT, R10, RZ, PT; @!P2 BRA to the first; EXIT
const std::vector<std::uint64_t> waiting = {0x0000000cff0a7e24, 0x000fe2000f8e00ff, 0x0000000dff0b7e24,
                                            0x000fca000f8e00ff, 0x0000000a0a0a7981, 0x000ea2000c1f5900,
                                            0x000000ff0a00720c, 0x004fda0003f45270, 0xfffffffc00eca947,
                                            0x000fea000383ffff, 0x000000000000794d, 0x000fea0003800000};
constexpr std::size_t waiting_load = 2;

std::vector<MachineInstruction> decoded(const std::vector<std::uint64_t>& words, unsigned major = 9) {
  return instructions_of(test::code_of_words(words), major);
}

/// The code with another word in place of the lower one of an instruction.
std::vector<std::uint64_t> with(std::vector<std::uint64_t> words, std::size_t instruction, std::uint64_t low,
                                std::uint64_t high) {
  words[2 * instruction] = low;
  words[2 * instruction + 1] = high;
  return words;
}

}  // namespace

TEST_CASE("a loop that loads from one address waits for others", "[program][strong_loads]") {
  const auto code = decoded(waiting);
  REQUIRE(code.size() == 6);
  CHECK(code[4].target == 0);
  CHECK(code[waiting_load].past_l1);
  CHECK(code[waiting_load].loads_again);
  // VIADD R11, R11, 0x4: each round goes on to another address.
  CHECK_FALSE(decoded(with(waiting, 1, 0x000000040b0b7836, 0x000fca0000000000))[waiting_load].loads_again);
  // The next address is the word that was loaded.
  CHECK_FALSE(decoded(with(waiting, 0, 0x0000000000007918, 0x000fc00000000000))[waiting_load].loads_again);
  // LDG.E: a weak load, which L1 may have.
  CHECK_FALSE(decoded(with(waiting, waiting_load, 0x0000000a0a0a7981, 0x000ea2000c1e1900))[waiting_load].past_l1);
  CHECK_FALSE(decoded(waiting, 7)[waiting_load].past_l1);  // all look strong there
}

TEST_CASE("loads past L1 come from L2", "[program][strong_loads]") {
  inject::Site site = test::streaming(inject::RawOp::load, 100, 4, waiting_load * instruction_bytes);
  site.sectors = 400;
  site.lines = 100;
  site.l2_sectors = 8;
  site.l2_requests = 2;
  site.used_words = 64;
  site.useful_bytes = 256;  // each word once
  const auto seen_in = [&](const std::vector<MachineInstruction>& code) {
    std::vector<inject::Site> sites = {site};
    load_from_l2(sites, code);
    return sites[0];
  };
  CHECK(seen_in(decoded(waiting)).l2_sectors == 400);
  CHECK(seen_in(decoded(waiting)).l2_requests == 100);
  site.useful_bytes = 256 * 50;  // fifty times: nobody knows how often it is without being watched
  CHECK(seen_in(decoded(waiting)).l2_sectors == 8);
  CHECK(seen_in({}).l2_sectors == 8);
  site.useful_bytes = 256;
  CHECK(seen_in(decoded(with(waiting, waiting_load, 0x0000000a0a0a7981, 0x000ea2000c1e1900))).l2_sectors == 8);
}

}  // namespace gpumem::program::test_strong_loads
