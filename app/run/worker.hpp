#pragma once
// Measuring in another process. A kernel that faults takes the CUDA context of its process with it for good (the CUDA
// documentation asks for a new process, and cudaDeviceReset does not help), so whatever is left after one is measured
// by a copy of this program that lives until it meets a fault of its own.

#include <sys/types.h>

#include <iosfwd>
#include <memory>
#include <string>

#include "app/run/backend.hpp"

namespace gpumem::app {

/// The only argument of a copy that is to work for its parent.
inline constexpr const char* worker_argument = "--work-for-parent";

/// The parent's side: starts the copy when it is first needed, and again after it has ended.
class Worker {
 public:
  /// Refers to the options, whose rule for stopping may change.
  explicit Worker(const MeasureOptions& options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// As the Backend's functions of these names, but a probe error when the worker itself fails.
  [[nodiscard]] double trial(const Case& one);
  [[nodiscard]] report::Record run(const Case& decided);

 private:
  struct Process;

  /// Sends one line and waits for the answer. Throws Interrupted, or a probe error with the worker's words.
  [[nodiscard]] std::string ask(const char* what, const Case& one);

  const MeasureOptions& options_;
  std::unique_ptr<Process> process_;
};

/// The copy's side: answers on `out` what comes in on `in`, until that ends or the context is lost.
int serve_parent(std::istream& in, std::ostream& out, const std::function<bool()>& interrupted);

}  // namespace gpumem::app
