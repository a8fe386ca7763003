// How many blocks a multiprocessor holds, against NVIDIA's occupancy calculator.

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

}  // namespace gpumem::model::test_occupancy
