#pragma once
// Holds a stream back until the host has queued what is to be timed. Without it the GPU passes the first of two events,
// waits for the host, and the wait is timed too.
//
// A launch may itself wait for the stream: its queue is full, code or local memory has to be brought. A thread of ours
// therefore opens every gate that has been closed for a millisecond or two.

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace gpumem::inject {

/// The words that the gates of a context wait for: memory of the host that the GPU reads. Lasts as long as the context.
struct GateWords {
  volatile std::uint32_t* host = nullptr;
  CUdeviceptr device = 0;
};

/// A closed gate, or none.
struct Gate {
  volatile std::uint32_t* word = nullptr;
  std::uint32_t number = 0;
};

/// The gates of the process. Never destroyed once it has given out words: its thread runs until the process ends.
class Gates {
 public:
  // With the lock of `watch()` held:

  /// For the current context; without an address where the driver has none or no thread can be started.
  [[nodiscard]] GateWords make_words();
  /// Whatever comes next in the stream waits for the gate. None where that is not possible.
  [[nodiscard]] Gate close(const GateWords& words, CUstream stream);
  /// The gate's word may serve another gate. It is open.
  void give_back(const Gate& gate);

  /// Any thread, with or without a lock.
  void open(const Gate& gate);

 private:
  static constexpr std::uint32_t most_gates = 256;  // closed at the same time

  /// A gate, as the thread that opens forgotten gates sees it.
  struct Closed {
    std::atomic<std::uint64_t> turn = 0;  ///< 0: open; else another number each time it is closed
    std::atomic<volatile std::uint32_t*> word = nullptr;
    std::atomic<std::uint32_t> value = 0;  ///< that the word has when the gate is open
  };

  void open(std::uint32_t number, std::uint64_t turn);
  [[nodiscard]] bool all_are_open() const;
  [[noreturn]] void open_forgotten();
  [[nodiscard]] bool start_thread();

  std::array<Closed, most_gates> gates_;
  std::atomic<std::uint32_t> used_ = 0;
  std::vector<std::uint32_t> free_;
  std::uint64_t turns_ = 0;
  std::atomic<bool> idle_ = false;  ///< the thread sleeps until a gate is closed
  std::optional<bool> has_thread_;  ///< nullopt until it is needed
};

}  // namespace gpumem::inject
