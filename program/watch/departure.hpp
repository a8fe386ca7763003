#pragma once
// Decides when the library stops looking at launches. Once a program launches nothing new, its launches are only
// counted, and counting costs a program of short launches more than anything that it would still tell. No CUDA.

#include <algorithm>
#include <cstdint>

namespace gpumem::inject {

class Departure {
 public:
  /// `stays`: all launches are to be counted, whatever that costs.
  explicit Departure(bool stays) : stays_(stays) {}

  // One thread at a time calls these. Times are those of now_ns(). They may lag behind by some milliseconds.

  /// A launch has told something: it was sampled, or it is one of the first of its kernel, grid and block.
  void note_new(std::uint64_t now_ns) {
    if (began_ns_ == 0) began_ns_ = now_ns;
    learnt_ns_ = std::max(now_ns, learnt_ns_);
    calls_ = 0;
  }
  /// A call has launched a kernel or a graph that was known before.
  void note_known() { ++calls_; }

  /// Returns true if the library should leave unless the program waits for its GPU, which is_slowed() tells. Two things
  /// have to hold since the last launch that told something:
  /// - Patience: as much time has passed as it took to get to that launch, and at least a second. A program that brings
  ///   something new again and again is thus watched for up to twice as long as it has done so.
  /// - Cost: calls that launch came so often that counting them takes more than the share that it may.
  [[nodiscard]] bool is_due(std::uint64_t now_ns) const {
    const std::uint64_t patience_ns = std::max(least_patience_ns, learnt_ns_ - began_ns_);
    if (stays_ || began_ns_ == 0 || now_ns < std::max(learnt_ns_ + patience_ns, next_look_ns_)) return false;
    return static_cast<double>(calls_) * call_ns > most_share * static_cast<double>(now_ns - learnt_ns_);
  }
  /// Returns true if launches that take longer make the program slower: its GPU was idle for more than a twentieth of
  /// the time since the last call. A busy GPU has launches in its queue, and the host may take its time. `gpu_ns` is
  /// the GPU time of all launches so far. The first call only takes note of it; is_due() asks for the next one in time.
  [[nodiscard]] bool is_slowed(std::uint64_t now_ns, double gpu_ns) {
    const bool compares = looked_ns_ > learnt_ns_;
    const double busy = (gpu_ns - gpu_ns_) / static_cast<double>(std::max<std::uint64_t>(now_ns - looked_ns_, 1));
    looked_ns_ = now_ns;
    gpu_ns_ = gpu_ns;
    next_look_ns_ = now_ns + look_each_ns;
    return compares && busy < busy_share;
  }

  static constexpr std::uint64_t least_patience_ns = 1'000'000'000;
  static constexpr std::uint64_t look_each_ns = 250'000'000;

 private:
  /// A call that launches costs the program so much more while the sanitizer's library has a subscriber that counts:
  /// ten launches of a transformer layer take 219 us watched and 185 us alone (docs/run.md, "Accuracy and cost"; H100,
  /// medians). Other calls of the driver between the launches are included.
  static constexpr double call_ns = 3400;
  static constexpr double most_share = 0.03;
  static constexpr double busy_share = 0.95;

  bool stays_;
  std::uint64_t began_ns_ = 0;   ///< the first launch; 0: there was none
  std::uint64_t learnt_ns_ = 0;  ///< the last launch that told something
  std::uint64_t calls_ = 0;      ///< since then
  std::uint64_t looked_ns_ = 0;  ///< the last call of is_slowed(), and its argument
  double gpu_ns_ = 0;
  std::uint64_t next_look_ns_ = 0;
};

}  // namespace gpumem::inject
