#include "program/start/signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <ctime>
#include <utility>
#include <vector>

namespace gpumem::program {

namespace {

/// Signals that others may send, and that would end this process but not the command.
std::vector<int> to_take() {
  std::vector<int> signals = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,   SIGUSR1, SIGUSR2,  SIGPIPE,
                              SIGALRM, SIGPROF, SIGIO,  SIGVTALRM, SIGPWR,  SIGSTKFLT};
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) signals.push_back(signal);
  return signals;
}

constexpr int harmless = SIGWINCH;  // taken too: nobody ends by it, so it can wake the thread

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

[[noreturn]] void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t unblocked;
  sigemptyset(&unblocked);
  sigaddset(&unblocked, signal);
  pthread_sigmask(SIG_UNBLOCK, &unblocked, nullptr);
  std::raise(signal);
  std::_Exit(128 + signal);
}

extern "C" void gpumem_on_closed_pipe(int) {}

}  // namespace

void survive_closed_pipes() {
  if (!is_ignored(SIGPIPE)) std::signal(SIGPIPE, gpumem_on_closed_pipe);
}

Signals::Signals(std::function<void()> before_the_end) : before_the_end_(std::move(before_the_end)) {
  sigemptyset(&taken_);
  sigaddset(&taken_, harmless);
  for (const int signal : to_take()) {
    if (!is_ignored(signal)) sigaddset(&taken_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &taken_, &before_);
  thread_ = std::thread([this] { take_signals(); });
}

Signals::~Signals() {
  done_ = true;
  pthread_kill(thread_.native_handle(), harmless);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Signals::begin(const std::function<pid_t()>& start) {
  const std::lock_guard lock(mutex_);
  command_ = start();
}

void Signals::end(const std::function<void()>& collect) {
  const std::lock_guard lock(mutex_);
  take_pending();  // the signal that ended the command is pending here too, and was the command's
  command_ = 0;
  if (hung_up_) std::signal(SIGHUP, SIG_IGN);  // also when it is no longer taken here
  collect();
}

// Signals are taken under the lock only, so that each belongs either to the time before the command's end or after it.
void Signals::take_signals() {
  const int waiting = signalfd(-1, &taken_, SFD_CLOEXEC);
  while (!done_) {
    pollfd until{.fd = waiting, .events = POLLIN, .revents = 0};
    poll(&until, 1, -1);
    if (done_) break;
    const std::lock_guard lock(mutex_);
    take_pending();
  }
  close(waiting);
}

void Signals::take_pending() {
  siginfo_t from{};
  const timespec at_once{};
  for (int signal = 0; (signal = sigtimedwait(&taken_, &from, &at_once)) > 0;) {
    const bool sent_by_a_process = from.si_code <= 0;
    if (signal == SIGPIPE && from.si_pid == getpid()) continue;  // nobody reads what we write
    if (command_ > 0) {
      if (signal == SIGHUP) hung_up_ = true;
      if (sent_by_a_process) kill(command_, signal);
    } else if (signal != harmless && !(signal == SIGHUP && hung_up_)) {
      before_the_end_();
      end_by(signal);
    }
  }
}

}  // namespace gpumem::program
