#include "app/run/interrupt.hpp"

#include <csignal>

namespace gpumem::app {

namespace {

volatile std::sig_atomic_t signal_arrived = 0;

extern "C" void gpumem_on_interrupt(int) {
  signal_arrived = 1;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, gpumem_on_interrupt);
  std::signal(SIGTERM, gpumem_on_interrupt);
}

bool interrupted() { return signal_arrived != 0; }

}  // namespace gpumem::app
