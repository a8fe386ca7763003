#include "app/run/interrupts.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "engine/base/interruption.hpp"
#include "engine/base/unfinished_file.hpp"

namespace gpumem::app {

namespace {

std::atomic<int> keepers = 0;
static_assert(std::atomic<int>::is_always_lock_free, "the signal handler reads it");

extern "C" void gpumem_on_interrupt(int) {
  if (keepers == 0) {
    constexpr std::string_view line = "gpumem: interrupted\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    gpumem::remove_unfinished_file();
    ::_exit(130);
  }
  gpumem::request_stop();
  std::signal(SIGINT, gpumem::gpumem_end_by_signal);
  std::signal(SIGTERM, gpumem::gpumem_end_by_signal);
  std::signal(SIGHUP, SIG_IGN);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, gpumem_on_interrupt);
  std::signal(SIGTERM, gpumem_on_interrupt);
  if (std::signal(SIGHUP, gpumem_on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

KeepWhatIsMeasured::KeepWhatIsMeasured() { ++keepers; }
KeepWhatIsMeasured::~KeepWhatIsMeasured() { --keepers; }

}  // namespace gpumem::app
