#pragma once
// CUPTI's records of the kernels that ran: all of them, those of graphs as well, and how long they took.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/measure/cupti.hpp"
#include "program/watch/kernels.hpp"

namespace gpumem::inject {

/// A kernel that ran.
struct Ran {
  const std::string* name = nullptr;  ///< as the linker knows it; stays
  std::uint32_t device = 0;
  Shape shape;
  double began_ns = 0;  ///< by the clock of now_ns()
  std::uint64_t took_ns = 0;
  std::uint32_t stream = 0;  ///< its number
  bool of_graph = false;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
};

/// Makes CUPTI record kernels. False if CUPTI refuses.
[[nodiscard]] bool start_records(const measure::Cupti& cupti);
// While a launch is counted CUPTI must not record it: what it adds to a kernel for that is counted too (a store), and
// instructions of shared memory are then not counted at all (H200, CUPTI 13.0).
void pause_records(const measure::Cupti& cupti);
void resume_records(const measure::Cupti& cupti);
/// Returns the kernels that were recorded since the last call. May be called by any thread.
[[nodiscard]] std::vector<Ran> take_records();
/// Makes CUPTI hand over the records that it still has of kernels that are over.
void flush_records(const measure::Cupti& cupti);

}  // namespace gpumem::inject
