#pragma once
// Ctrl-C and SIGTERM, turned into a question that the program asks between two pieces of work.

namespace gpumem::app {

/// From now on the first SIGINT or SIGTERM only sets a flag; a second one ends the process at once.
void catch_interrupts();

/// Whether a signal has arrived since `catch_interrupts`.
[[nodiscard]] bool interrupted();

}  // namespace gpumem::app
