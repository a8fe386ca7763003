// The number of blocks that a multiprocessor holds, compared with NVIDIA's occupancy calculator.

#include "engine/model/occupancy.hpp"
#include "engine/model/profile.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_occupancy {

namespace {

model::Occupancy occupancy(unsigned threads, unsigned shared, std::optional<unsigned> registers = {}) {
  Workload workload;
  workload.block_threads = threads;
  workload.shared_bytes_per_block = shared;
  workload.registers_per_thread = registers;
  return model::occupancy_of(workload, model::load_profile("h200").device);
}

}  // namespace

TEST_CASE("occupancy: the scarcest of threads, blocks, registers and shared memory limits it", "[occupancy]") {
  CHECK(occupancy(256, 0).blocks == 8);
  CHECK(occupancy(256, 0).limited_by == "threads");
  CHECK(occupancy(256, 0).share == 1);
  CHECK(occupancy(32, 0).blocks == 32);
  CHECK(occupancy(32, 0).limited_by == "blocks");
  CHECK(occupancy(32, 0).share == 0.5);
  CHECK(occupancy(256, 0, 64).blocks == 4);
  CHECK(occupancy(256, 0, 64).limited_by == "registers");
  CHECK(occupancy(256, 0, 65).blocks == 3);      // 72 of them are given
  CHECK(occupancy(256, 32 * 1024).blocks == 6);  // of 228 KiB, 33 each
  CHECK(occupancy(256, 32 * 1024).limited_by == "shared memory");
  CHECK(occupancy(256, 227 * 1024).blocks == 1);
  CHECK(occupancy(1000, 0).share == 1);  // whole warps
}

TEST_CASE("occupancy: whatever a block asks for, there is an answer", "[occupancy]") {
  for (const unsigned many : {0U, 1U << 26U, 1U << 27U, 1U << 31U, 0xffff'ffffU}) {
    CAPTURE(many);
    CHECK(occupancy(256, 0, many).blocks == (many == 0 ? 8 : 1));
    CHECK(occupancy(256, many).blocks >= 1);
    CHECK(occupancy(many, 0).blocks >= 1);
  }
}

TEST_CASE("occupancy: clusters are whole on a GPC, and what is left of it stays idle", "[occupancy]") {
  Device device = model::load_profile("h200").device;
  REQUIRE(device.multiprocessors == 132);  // six GPCs of 16 and two of 18
  CHECK(clusters_at_once(2, 1, device) == 66);
  CHECK(clusters_at_once(4, 1, device) == 32);
  CHECK(clusters_at_once(8, 1, device) == 16);
  CHECK(clusters_at_once(16, 1, device) == 8);
  CHECK(clusters_at_once(16, 2, device) == 16);
  device.multiprocessors = 114;  // an H100 of PCI Express: six of 16, one of 18
  CHECK(clusters_at_once(16, 1, device) == 7);
  device.multiprocessors = 14;
  CHECK(clusters_at_once(16, 1, device) == 0);
  CHECK(clusters_at_once(2, 1, device) == 7);
  device.multiprocessors = 0;
  CHECK(clusters_at_once(2, 1, device) == 0);

  Workload workload;
  workload.block_threads = 1024;
  workload.shared_bytes_per_block = 128 * 1024;
  device.multiprocessors = 132;
  CHECK(occupancy_of(workload, device).of_device == 132);
  workload.cluster_blocks = 16;
  CHECK(occupancy_of(workload, device).of_device == 128);
  workload.shared_bytes_per_block = 0;
  CHECK(occupancy_of(workload, device).of_device == 256);
}

}  // namespace gpumem::model::test_occupancy
