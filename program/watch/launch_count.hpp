#pragma once
// The number of launches of the process.

#include <atomic>
#include <cstdint>

namespace gpumem::inject {

class LaunchCount {
 public:
  // One thread at a time calls these.

  void add(std::uint64_t launches) {
    seen_ += launches;
    since_new_.store(since_new_.load(std::memory_order_relaxed) + launches, std::memory_order_relaxed);
  }
  /// A kernel was launched with another shape than before.
  void note_new() { since_new_.store(0, std::memory_order_relaxed); }
  /// Nobody looks at launches any more.
  void settle() { since_new_.store(long_since + 1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }

  /// Returns true if the program has launched nothing new for long. Work that only new launches need can wait then. Any
  /// thread.
  [[nodiscard]] bool is_settled() const { return since_new_.load(std::memory_order_relaxed) > long_since; }

 private:
  static constexpr std::uint64_t long_since = 4096;  // launches

  std::uint64_t seen_ = 0;
  std::atomic<std::uint64_t> since_new_ = 0;
};

}  // namespace gpumem::inject
