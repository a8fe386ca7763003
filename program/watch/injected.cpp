// The library that a watched program loads: the driver calls InitializeInjection when the program initialises CUDA.

#include <pthread.h>

#include <cstdlib>
#include <mutex>
#include <string>

#include "program/watch/driver.hpp"
#include "program/watch/options.hpp"
#include "program/watch/output.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

namespace {

void at_end() {
  const std::unique_lock lock(watch().mutex, std::try_to_lock);
  if (!lock.owns_lock() || watch().in_child) return;
  const OwnCalls own_calls;
  watch().engine->finish();
}

void start() {
  watch().overhead.begin();
  const Spending spending(watch().overhead);
  watch().options = read_options();
  const Options& options = watch().options;
  if (options.folder.empty() || !watch().output.open(options.folder, options.engine)) return;
  if (const std::string missing = load_driver(); !missing.empty()) {
    watch().output.write_problem(true,
                                 "the driver lacks " + missing + ": it is older than gpumem can watch programs with");
    return;
  }
  watch().engine = options.engine == EngineKind::counters ? counters_engine() : sites_engine();
  if (!watch().engine->start()) return;
  {
    // Frameworks are loaded before they initialise CUDA, and allocate before they launch.
    const std::lock_guard lock(watch().mutex);
    watch().allocator_hook.install();
  }
  pthread_atfork([] { watch().mutex.lock(); }, [] { watch().mutex.unlock(); },
                 [] {
                   watch().in_child = true;
                   watch().allocations.after_fork_in_child();
                   watch().output.leave();
                   watch().mutex.unlock();
                 });
  std::atexit(at_end);
}

}  // namespace

}  // namespace gpumem::inject

/// Called by the driver in every process that initialises CUDA. It goes on whatever this returns.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {  // NOLINT(readability-identifier-naming)
  gpumem::inject::start();
  return 1;
}
