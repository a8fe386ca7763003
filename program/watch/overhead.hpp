#pragma once
// The time that watching costs the program, and how much it may cost.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "program/watch/options.hpp"
#include "program/watch/output.hpp"
#include "program/watch/thread_state.hpp"

namespace gpumem::inject {

class Overhead {
 public:
  Overhead(Output& output, const Options& options) : output_(output), options_(options) {}

  /// Watching begins.
  void begin() { began_ns_ = now_ns(); }
  /// Adds time that watching took. Any thread.
  void add(std::uint64_t ns) { std::atomic_ref(output_.totals().sampling_ns).fetch_add(ns, std::memory_order_relaxed); }
  /// Says of time that looking closely took that it was taken once, and so does not count. With the lock of `watch()`.
  void excuse(std::uint64_t ns) { setup_ns_ += ns; }
  /// Returns the nanoseconds that watching may still take at this moment; negative: none. In all it may take a second,
  /// or its share of the time that the program had for itself, whichever is more. With the lock of `watch()`.
  [[nodiscard]] double left_ns() const { return allowed_ns() - spent_ns(); }

  // With the lock of `watch()`:

  /// Adds time that a repeat of a launch took, which is a part of what add() gets.
  void add_repeat(std::uint64_t ns) { repeats_ns_ += ns; }
  /// Returns the nanoseconds that the next repeat may take: repeats get an eighth of what watching may take in all.
  [[nodiscard]] double left_for_repeats_ns() const {
    constexpr double share = 8;
    return std::min(allowed_ns() / share - static_cast<double>(repeats_ns_), left_ns());
  }

 private:
  [[nodiscard]] double spent_ns() const {
    return static_cast<double>(output_.totals().sampling_ns) - static_cast<double>(setup_ns_);
  }
  [[nodiscard]] double allowed_ns() const {
    constexpr double free_ns = 1e9;
    const double own = static_cast<double>(now_ns() - began_ns_) - spent_ns();
    return std::max(free_ns, options_.max_overhead * std::max(own, 1.0));
  }

  Output& output_;
  const Options& options_;
  std::uint64_t began_ns_ = 0;
  std::uint64_t setup_ns_ = 0;
  std::uint64_t repeats_ns_ = 0;
};

/// The time that watching costs the program: a thread's, while an object of this class lives. If a thread has several
/// at once, the first counts.
class Spending {
 public:
  explicit Spending(Overhead& overhead) : overhead_(overhead), began_ns_(this_thread.spending++ == 0 ? now_ns() : 0) {}
  ~Spending() {
    if (--this_thread.spending == 0) overhead_.add(now_ns() - began_ns_);
  }
  Spending(const Spending&) = delete;
  Spending& operator=(const Spending&) = delete;

 private:
  Overhead& overhead_;
  std::uint64_t began_ns_;
};

}  // namespace gpumem::inject
