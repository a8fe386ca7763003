#pragma once
// Handles signals while a user's command runs.

#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace gpumem::program {

/// While an object lives, its thread takes the signals that would end this process. While a command runs, signals from
/// other processes are passed on to it; signals from the terminal reach the command by themselves. While none runs, a
/// signal ends this process as usual. SIGHUP is the exception: once one came while a command ran, later ones are
/// ignored. A closing terminal sends several, and the command's results still have to be written. Signals that were
/// ignored before (for example by nohup) stay ignored, also by the command.
class Signals {
 public:
  /// `before_the_end` is called, in the thread, before a signal ends this process.
  explicit Signals(std::function<void()> before_the_end);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// The signal mask that the process had before. Commands must be started with it.
  [[nodiscard]] const sigset_t& blocked_before() const { return before_; }

  /// `start` returns the process to which signals are passed on from then on. Signals that come meanwhile wait.
  void begin(const std::function<pid_t()>& start);
  /// `collect` reaps the process, after which another one may get its number.
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

/// From now on, writing to a pipe that nobody reads is a write error. Started commands are not affected, as they would
/// be if SIGPIPE were ignored.
void survive_closed_pipes();

}  // namespace gpumem::program
