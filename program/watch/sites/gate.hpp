#pragma once
// Holds a stream back until the host has queued what is to be timed. Without it the GPU passes the first of two events,
// waits for the host, and the wait is timed too.
//
// A launch may itself wait for the stream: its queue is full, code or local memory has to be brought. A thread of ours
// therefore opens every gate that has been closed for a millisecond or two.

#include <cuda.h>

#include <cstdint>

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

// With the lock of `watch()` held:

/// For the current context; without an address where the driver has none or no thread can be started.
[[nodiscard]] GateWords make_gate_words();
/// Whatever comes next in the stream waits for the gate. None where that is not possible.
[[nodiscard]] Gate close_gate(const GateWords& words, CUstream stream);
/// The gate's word may serve another gate. It is open.
void give_back(const Gate& gate);

/// Any thread, with or without a lock.
void open_gate(const Gate& gate);

}  // namespace gpumem::inject
