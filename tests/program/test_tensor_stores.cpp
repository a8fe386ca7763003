#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "program/price/tensor_stores.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program {

namespace {

constexpr std::uint64_t load_operation = 0x1b4;
constexpr std::uint64_t store_operation = 0x1b5;
constexpr std::uint64_t reduction_operation = 0x1b6;
constexpr std::uint64_t exit_operation = 0x14d;

std::string instruction(std::uint64_t operation) {
  return test::bytes_of(std::uint64_t{0x7000 | operation}) + test::bytes_of(std::uint64_t{0});
}

/// Makes the tensor map of a matrix of floats whose rows lie side by side, as an H100's driver makes it.
std::string tensor_map(std::uint64_t address, std::uint32_t width, std::uint32_t height, unsigned box_width,
                       unsigned box_height) {
  std::array<std::uint32_t, 16> words{};
  words[0] = static_cast<std::uint32_t>(address);
  words[1] = static_cast<std::uint32_t>(address >> 32);
  words[2] = 0x390;
  words[3] = width * 4 / 16;
  words[8] = width - 1;
  words[9] = height - 1;
  words[13] = (box_width - 1) << 24;
  words[14] = box_height - 1;
  return test::bytes_of(words);
}

/// Makes a launch of 64 blocks of one warp. Both texts have to outlive it.
LaunchSums launch_of(const std::string& code, const std::string& parameters) {
  LaunchSums launch;
  launch.blocks = 64;
  launch.block_threads = 32;
  launch.code = code;
  launch.constants.parameters = parameters;
  launch.constants.parameter_offset = 0x240;
  return launch;
}

inject::Site load_from(std::uint64_t address) {
  inject::Site site{.pc = 0, .op = inject::RawOp::load, .word_bytes = 16};
  site.flags = inject::raw_bulk_copy;
  site.requests = 64;
  site.shown = 1;
  site.request[0].active = 1;
  site.request[0].address[0] = address;
  return site;
}

constexpr std::uint64_t from = 0x7f00'0000'0000;
constexpr std::uint64_t to = 0x7f00'1000'0000;

}  // namespace

TEST_CASE("a tensor that has a map and is not loaded is stored once", "[program]") {
  const std::string code = instruction(load_operation) + instruction(store_operation) + instruction(exit_operation);
  // The same map twice is one tensor; what lies before the maps is none.
  const std::string parameters = std::string(64, '\1') + tensor_map(from, 512, 256, 64, 32) +
                                 tensor_map(to, 512, 256, 64, 32) + tensor_map(to, 512, 256, 64, 32);
  LaunchSums launch = launch_of(code, parameters);
  launch.sites = {load_from(from + 4096)};
  const std::vector<inject::Site> stores = tensor_stores(launch, 9);
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].pc == 16);
  CHECK(stores[0].op == inject::RawOp::store);
  CHECK(stores[0].requests == 8 * 8);
  CHECK(stores[0].useful_bytes == 512 * 256 * 4);
  CHECK(stores[0].sectors == 512 * 256 * 4 / 32);
  CHECK(stores[0].lines == 512 * 256 * 4 / 128);
  CHECK(stores[0].memory_sectors == stores[0].sectors);
  CHECK(stores[0].request[0].address[0] == to);
}

TEST_CASE("instructions that store the same tensor share it, and warps store no more boxes than they can have",
          "[program]") {
  const std::string store = instruction(store_operation);
  const std::string whole = store + store + instruction(exit_operation);
  std::string parameters = tensor_map(to, 512, 256, 64, 32);
  std::vector<inject::Site> stores = tensor_stores(launch_of(whole, parameters), 9);
  REQUIRE(stores.size() == 2);
  CHECK(stores[0].requests + stores[1].requests == 64);
  // 128 boxes of which 64 warps, each with one instruction, store half.
  parameters = tensor_map(to, 512, 512, 64, 32);
  stores = tensor_stores(launch_of(store + instruction(exit_operation), parameters), 9);
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].requests == 64);
  CHECK(stores[0].useful_bytes == 512 * 256 * 4);
}

TEST_CASE("boxes that begin within a sector touch one more", "[program]") {
  const std::string code = instruction(store_operation) + instruction(exit_operation);
  const std::string parameters = tensor_map(to + 16, 256, 32, 8, 32);
  const std::vector<inject::Site> stores = tensor_stores(launch_of(code, parameters), 9);
  REQUIRE(stores.size() == 1);
  CHECK(stores[0].requests == 32);
  CHECK(stores[0].sectors == 32 * 32 * 2);
  CHECK(stores[0].least_sectors == 32 * 32);
}

TEST_CASE("nothing is said of tensor stores where it cannot be told what they store", "[program]") {
  const std::string exits = instruction(exit_operation);
  const std::string store = instruction(store_operation);
  const std::string both = tensor_map(from, 512, 256, 64, 32) + tensor_map(to, 512, 256, 64, 32);
  SECTION("loads that nobody counts may be of either tensor") {
    CHECK(tensor_stores(launch_of(instruction(load_operation) + store + exits, both), 9).empty());
  }
  SECTION("so may reductions") {
    CHECK(tensor_stores(launch_of(instruction(reduction_operation) + store + exits, both), 9).empty());
  }
  SECTION("the tensor is loaded, too") {
    const std::string code = instruction(load_operation) + store + exits;
    const std::string parameters = tensor_map(to, 512, 256, 64, 32);
    LaunchSums launch = launch_of(code, parameters);
    launch.sites = {load_from(to)};
    CHECK(tensor_stores(launch, 9).empty());
  }
  SECTION("there is no map") {
    CHECK(tensor_stores(launch_of(store + exits, std::string(192, '\1')), 9).empty());
    CHECK(tensor_stores(launch_of(store + exits, ""), 9).empty());
    CHECK(tensor_stores(launch_of(store + exits, tensor_map(to, 512, 256, 64, 32).substr(1)), 9).empty());
  }
  SECTION("the kernel has no such instruction") { CHECK(tensor_stores(launch_of(exits, both), 9).empty()); }
}

}  // namespace gpumem::program
