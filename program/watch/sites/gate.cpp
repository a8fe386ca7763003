#include "program/watch/sites/gate.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <csignal>
#include <ctime>
#include <vector>

#include "program/watch/driver.hpp"

namespace gpumem::inject {

namespace {

constexpr std::uint32_t most_gates = 256;  // closed at the same time

/// A gate, as the thread that opens forgotten gates sees it.
struct Closed {
  std::atomic<std::uint64_t> turn = 0;  ///< 0: open; else another number each time it is closed
  std::atomic<volatile std::uint32_t*> word = nullptr;
  std::atomic<std::uint32_t> value = 0;  ///< that the word has when the gate is open
};

std::array<Closed, most_gates> gates;
std::atomic<std::uint32_t> gates_used = 0;
std::vector<std::uint32_t> free_gates;
std::uint64_t turns = 0;
std::atomic<bool> idle = false;  // the thread sleeps until a gate is closed

/// Opens the gate, unless somebody has opened it in this turn already.
void open(std::uint32_t number, std::uint64_t turn) {
  Closed& gate = gates[number];
  volatile std::uint32_t* const word = gate.word;
  const std::uint32_t value = gate.value;
  if (gate.turn.compare_exchange_strong(turn, 0)) *word = value;
}

bool all_are_open() {
  for (std::uint32_t i = 0; i < gates_used; ++i) {
    if (gates[i].turn != 0) return false;
  }
  return true;
}

void* open_forgotten_gates(void*) {
  constexpr timespec patience{.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr unsigned quiet_rounds = 50;
  std::array<std::uint64_t, most_gates> before{};
  for (unsigned quiet = 0;; ++quiet) {
    if (quiet == quiet_rounds) {
      // close_gate() closes a gate first and then asks whether this thread sleeps. This thread says first that it
      // sleeps and then asks whether a gate is closed. So one of them notices the other.
      idle = true;
      if (all_are_open()) idle.wait(true);
      idle = false;
      quiet = 0;
    }
    nanosleep(&patience, nullptr);
    for (std::uint32_t i = 0; i < gates_used; ++i) {
      const std::uint64_t turn = gates[i].turn;
      if (turn != before[i]) quiet = 0;
      if (turn != 0 && turn == before[i]) open(i, turn);
      before[i] = turn;
    }
  }
  return nullptr;
}

/// Starts the thread, once. It takes none of the program's signals.
bool start_thread() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool started = pthread_create(&thread, nullptr, open_forgotten_gates, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) pthread_detach(thread);
  return started;
}

}  // namespace

GateWords make_gate_words() {
  static const bool there_is_a_thread = start_thread();
  const Driver& calls = driver();
  void* host = nullptr;
  GateWords words;
  if (!there_is_a_thread || calls.cuStreamWaitValue32 == nullptr ||
      calls.cuMemHostAlloc(&host, most_gates * sizeof(std::uint32_t), CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS ||
      calls.cuMemHostGetDevicePointer(&words.device, host, 0) != CUDA_SUCCESS) {
    return {};
  }
  words.host = static_cast<volatile std::uint32_t*>(host);
  for (std::uint32_t i = 0; i < most_gates; ++i) words.host[i] = gates[i].value;
  return words;
}

Gate close_gate(const GateWords& words, CUstream stream) {
  if (words.host == nullptr || (free_gates.empty() && gates_used == most_gates)) return {};
  if (free_gates.empty()) free_gates.push_back(gates_used++);
  const std::uint32_t number = free_gates.back();
  const Gate gate{.word = words.host + number, .number = number};
  // A word of another context may lag behind, so the gate waits for one more than any gate of this number had before.
  const std::uint32_t value = gates[number].value + 1;
  if (driver().cuStreamWaitValue32(stream, words.device + number * sizeof(std::uint32_t), value,
                                   CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS) {
    return {};
  }
  free_gates.pop_back();
  gates[number].value = value;
  gates[number].word = gate.word;
  gates[number].turn = ++turns;
  if (idle.exchange(false)) idle.notify_one();
  return gate;
}

void give_back(const Gate& gate) {
  if (gate.word != nullptr) free_gates.push_back(gate.number);
}

void open_gate(const Gate& gate) {
  if (gate.word == nullptr) return;
  if (const std::uint64_t turn = gates[gate.number].turn; turn != 0) open(gate.number, turn);
}

}  // namespace gpumem::inject
