#include "engine/access/chunks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/base/interruption.hpp"

namespace gpumem::access {

namespace {

/// Hands out chunks in order, so that those before a failed one are being worked on already.
class Chunks {
 public:
  Chunks(std::uint64_t count, std::uint64_t chunk, AtStop at_stop) : count_(count), chunk_(chunk), at_stop_(at_stop) {}

  void work_off(unsigned thread, const std::function<void(unsigned, std::uint64_t, std::uint64_t)>& work) {
    while (true) {
      const std::uint64_t index = next_.fetch_add(1);
      if (index > (count_ - 1) / chunk_ || index > failed_.load()) return;
      const std::uint64_t first = index * chunk_;
      try {
        if (at_stop_ == AtStop::interrupted) stop_if_requested();
        work(thread, first, first + std::min(chunk_, count_ - first));
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (index < failed_.load()) {
          failed_ = index;
          error_ = std::current_exception();
        }
        return;
      }
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::uint64_t count_;
  std::uint64_t chunk_;
  AtStop at_stop_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> failed_ = ~std::uint64_t{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

unsigned threads_for(std::uint64_t count, std::uint64_t chunk, unsigned threads) {
  static const unsigned processors = std::thread::hardware_concurrency();  // asking opens a file
  const unsigned most = std::max(1U, threads == 0 ? processors : threads);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(count / chunk, 1, most));
}

void in_chunks(std::uint64_t count, std::uint64_t chunk, unsigned threads,
               const std::function<void(unsigned, std::uint64_t, std::uint64_t)>& work, AtStop at_stop) {
  if (count == 0) return;
  Chunks chunks(count, chunk, at_stop);
  {
    std::vector<std::jthread> others;
    for (unsigned thread = 1; thread < threads; ++thread) {
      try {
        others.emplace_back([&, thread] { chunks.work_off(thread, work); });
      } catch (const std::system_error&) {  // no more threads are allowed: those there are do it
        break;
      }
    }
    chunks.work_off(0, work);
  }
  chunks.rethrow();
}

}  // namespace gpumem::access
