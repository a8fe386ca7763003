#include "engine/base/unfinished_file.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <utility>

namespace gpumem {

namespace {

std::atomic<const char*> unfinished = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");

constexpr int ending[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1,
                          SIGUSR2, SIGSTKFLT, SIGXCPU, SIGPROF, SIGIO,   SIGPWR,  SIGVTALRM};

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)) {
  const char* none = nullptr;
  unfinished.compare_exchange_strong(none, path_.c_str());
}

UnfinishedFile::~UnfinishedFile() {
  const char* own = path_.c_str();
  unfinished.compare_exchange_strong(own, nullptr);
}

void remove_unfinished_file() noexcept {
  if (const char* path = unfinished.exchange(nullptr)) ::unlink(path);
}

extern "C" void gpumem_end_by_signal(int signal) {
  remove_unfinished_file();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // blocked until this handler returns
}

void remove_unfinished_file_at_signals() {
  const auto take = [](int signal) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
      std::signal(signal, gpumem_end_by_signal);
    }
  };
  for (const int signal : ending) take(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) take(signal);
}

}  // namespace gpumem
