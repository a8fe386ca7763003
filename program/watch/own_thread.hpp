#pragma once
// Threads of the library's own in somebody else's program.

#include <pthread.h>

#include <csignal>

namespace gpumem::inject {

/// Starts a thread that calls `run(argument)`. It takes none of the program's signals, and nobody waits for its end.
/// Returns false if the system has no thread to give.
inline bool start_own_thread(void* (*run)(void*), void* argument) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool started = pthread_create(&thread, nullptr, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) pthread_detach(thread);
  return started;
}

}  // namespace gpumem::inject
