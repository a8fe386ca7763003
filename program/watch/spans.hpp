#pragma once
// Spans of the program's time: launches that were timed, samples, graphs, ranges. So many are kept as one page of a
// timeline can show; they are written a few hundred at a time.

#include <cstdint>
#include <mutex>
#include <vector>

#include "program/watch/output.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// The spans that are kept. Any thread may call its functions. Times are by the clock of now_ns().
class Spans {
 public:
  explicit Spans(Output& output) : output_(output) {}

  /// `of` is the index of a LaunchSlot, or the number of a range; `lane` the stream or thread that it was in.
  void keep(SpanKind kind, std::uint32_t of, std::uint64_t lane, std::uint64_t begin_ns, std::uint64_t took_ns);
  /// Writes those that were not.
  void write_rest();

  // A child finds the lock free when another thread held it at the fork.
  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }
  /// Drops the spans that are its parent's.
  void after_fork_in_child();

 private:
  void write(const std::vector<Span>& some);

  Output& output_;
  std::mutex mutex_;  ///< of all that follows
  std::vector<Span> waiting_;
  std::uint64_t kept_ = 0;
};

}  // namespace gpumem::inject
