#pragma once
// CUPTI's records of the kernels that ran: all of them, those of graphs as well, and how long they took.

#include "engine/measure/cupti.hpp"

#if GPUMEM_HAS_CUPTI

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

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

/// The records that CUPTI has handed over. Never destroyed: its own thread may do so at the very end.
class Records {
 public:
  /// The function that CUPTI hands a full buffer to. It has no place for data of ours.
  using TakeBuffer = void (*)(CUcontext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

  /// Makes CUPTI record kernels. False if CUPTI refuses. `take_buffer` has to hand buffers to take_in().
  [[nodiscard]] bool start(const measure::Cupti& cupti, TakeBuffer take_buffer);
  // While a launch is counted CUPTI must not record it: what it adds to a kernel for that is counted too (a store), and
  // instructions of shared memory are then not counted at all (H200, CUPTI 13.0).
  void pause();
  void resume();
  /// Returns the kernels that were recorded since the last call. May be called by any thread.
  [[nodiscard]] std::vector<Ran> take();
  /// Makes CUPTI hand over the records that it still has of kernels that are over.
  void flush();
  /// Takes in the records of a buffer, and frees it. May be called by any thread.
  void take_in(std::uint8_t* buffer, std::size_t bytes);

 private:
  void keep(const CUpti_Activity& record);

  const measure::Cupti* cupti_ = nullptr;
  std::uint64_t ahead_ns_ = 0;  ///< CUPTI's clock, of now_ns()'s

  std::mutex mutex_;  ///< of all that follows; never held while anything else is called
  std::unordered_set<std::string> names_;
  std::vector<Ran> taken_in_;
};

}  // namespace gpumem::inject

#endif
