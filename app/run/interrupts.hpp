#pragma once
// SIGINT, SIGTERM and SIGHUP, in commands that take long.

#include "engine/base/error.hpp"

namespace gpumem::app {

/// Somebody interrupted, and what had been done until then has been written.
struct InterruptedAfterWriting : Interrupted {};

/// Does `work`, and `write` also if that throws, which says whether there was anything to write. The work's error is
/// thrown afterwards, unless writing throws one; an interrupt as what it has come to.
template <class Work, class Write>
void keeping_results(const Work& work, const Write& write) {
  try {
    work();
  } catch (const Interrupted&) {
    if (write()) throw InterruptedAfterWriting{};
    throw;
  } catch (...) {
    static_cast<void>(write());
    throw;
  }
  static_cast<void>(write());
}

/// From now on each of them ends the process at once, with a line and exit code 130: nothing was measured that could be
/// lost. SIGHUP stays ignored where it is (nohup).
void catch_interrupts();

/// While one lives, the first of these signals only asks to stop (engine/base/interruption.hpp), so that what was
/// measured until then can be written. A second SIGINT or SIGTERM ends the process at once. A second SIGHUP does not: a
/// terminal that is closed sends several.
class KeepWhatIsMeasured {
 public:
  KeepWhatIsMeasured();
  ~KeepWhatIsMeasured();
  KeepWhatIsMeasured(const KeepWhatIsMeasured&) = delete;  // they are counted
  KeepWhatIsMeasured& operator=(const KeepWhatIsMeasured&) = delete;
};

}  // namespace gpumem::app
