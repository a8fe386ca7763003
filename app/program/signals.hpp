#pragma once
// Signals that reach us while somebody else's command runs.

#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace gpumem::app {

/// While it lives, a thread of its own takes the signals that would end us. What somebody sends us goes on to the
/// command while one runs; what the terminal sends, the command has already. While none runs, they end us as always;
/// but once a command has ended after SIGHUP, further ones are ignored, as a terminal that is closed sends several, and
/// what was seen of the command is still to be written. Signals that are ignored (by nohup, say) stay ignored, for the
/// command too.
class Signals {
 public:
  /// `before_the_end` is called, in the thread, before a signal ends us.
  explicit Signals(std::function<void()> before_the_end);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// What was blocked before: a command is to be started with that.
  [[nodiscard]] const sigset_t& blocked_before() const { return before_; }

  /// `start` returns the process that signals go to from then on; those that come meanwhile wait for it.
  void begin(const std::function<pid_t()>& start);
  /// `collect` takes note of the process' end, after which its number may become somebody else's.
  void end(const std::function<void()>& collect);

 private:
  void take_signals();
  void take_pending();

  std::function<void()> before_the_end_;
  sigset_t taken_{};
  sigset_t before_{};
  std::mutex mutex_;
  pid_t command_ = 0;
  bool hung_up_ = false;  ///< while a command ran
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

/// From now on writing to a pipe that nobody reads is an error of writing. Commands that we start know nothing of that,
/// as they would of a signal that is ignored.
void survive_closed_pipes();

}  // namespace gpumem::app
