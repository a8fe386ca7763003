#include "program/watch/sites/gate.hpp"

#include <ctime>

#include "program/watch/driver.hpp"
#include "program/watch/own_thread.hpp"

namespace gpumem::inject {

/// Opens the gate, unless somebody has opened it in this turn already.
void Gates::open(std::uint32_t number, std::uint64_t turn) {
  Closed& gate = gates_[number];
  volatile std::uint32_t* const word = gate.word;
  const std::uint32_t value = gate.value;
  if (gate.turn.compare_exchange_strong(turn, 0)) *word = value;
}

bool Gates::all_are_open() const {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (gates_[i].turn != 0) return false;
  }
  return true;
}

void Gates::open_forgotten() {
  constexpr timespec patience{.tv_sec = 0, .tv_nsec = 1'000'000};
  constexpr unsigned quiet_rounds = 50;
  std::array<std::uint64_t, most_gates> before{};
  for (unsigned quiet = 0;; ++quiet) {
    if (quiet == quiet_rounds) {
      // close() closes a gate first and then asks whether this thread sleeps. This thread says first that it
      // sleeps and then asks whether a gate is closed. So one of them notices the other.
      idle_ = true;
      if (all_are_open()) idle_.wait(true);
      idle_ = false;
      quiet = 0;
    }
    nanosleep(&patience, nullptr);
    for (std::uint32_t i = 0; i < used_; ++i) {
      const std::uint64_t turn = gates_[i].turn;
      if (turn != before[i]) quiet = 0;
      if (turn != 0 && turn == before[i]) open(i, turn);
      before[i] = turn;
    }
  }
}

bool Gates::start_thread() {
  const auto run = [](void* gates) -> void* { static_cast<Gates*>(gates)->open_forgotten(); };
  return start_own_thread(run, this);
}

GateWords Gates::make_words() {
  if (!has_thread_) has_thread_ = start_thread();
  const Driver& calls = driver();
  void* host = nullptr;
  GateWords words;
  if (!*has_thread_ || calls.cuStreamWaitValue32 == nullptr ||
      calls.cuMemHostAlloc(&host, most_gates * sizeof(std::uint32_t), CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS ||
      calls.cuMemHostGetDevicePointer(&words.device, host, 0) != CUDA_SUCCESS) {
    return {};
  }
  words.host = static_cast<volatile std::uint32_t*>(host);
  for (std::uint32_t i = 0; i < most_gates; ++i) words.host[i] = gates_[i].value;
  return words;
}

Gate Gates::close(const GateWords& words, CUstream stream) {
  if (words.host == nullptr || (free_.empty() && used_ == most_gates)) return {};
  if (free_.empty()) free_.push_back(used_++);
  const std::uint32_t number = free_.back();
  const Gate gate{.word = words.host + number, .number = number};
  // A word of another context may lag behind, so the gate waits for one more than any gate of this number had before.
  const std::uint32_t value = gates_[number].value + 1;
  if (driver().cuStreamWaitValue32(stream, words.device + number * sizeof(std::uint32_t), value,
                                   CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS) {
    return {};
  }
  free_.pop_back();
  gates_[number].value = value;
  gates_[number].word = gate.word;
  gates_[number].turn = ++turns_;
  if (idle_.exchange(false)) idle_.notify_one();
  return gate;
}

void Gates::give_back(const Gate& gate) {
  if (gate.word != nullptr) free_.push_back(gate.number);
}

void Gates::open(const Gate& gate) {
  if (gate.word == nullptr) return;
  if (const std::uint64_t turn = gates_[gate.number].turn; turn != 0) open(gate.number, turn);
}

}  // namespace gpumem::inject
