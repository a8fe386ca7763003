#pragma once
// Measuring in another process. A kernel that faults takes the CUDA context of its process with it for good (the CUDA
// documentation asks for a new process, and cudaDeviceReset does not help), so whatever is left after one is measured
// by a copy of this program that lives until it meets a fault of its own. If several GPUs are measured, each has a copy
// of its own, so that a fault of one does not end the others.

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/run/backend.hpp"
#include "app/run/connection.hpp"
#include "engine/base/error.hpp"

namespace gpumem::app {

/// The parent's side: starts the copy when it is first needed, and again after it has ended. It takes one request at a
/// time: begin_...() and later finish(). In between, several workers can work at once.
class Worker {
 public:
  struct Answer {
    /// A report of what is known of the GPU by now (device, profile, host placement, watched flags). Its results are
    /// the records asked for.
    report::Report known;
    double goodness = 0;                 ///< of a trial
    std::optional<std::string> problem;  ///< why nothing was counted
  };

  /// Refers to the options, whose rule for stopping may change.
  Worker(const MeasureOptions& options, Connect connect);

  /// Opens the GPU, which everything else does as well.
  void begin_open();
  /// Starts the copy, and has it start CUDA, without a context. Nobody waits for that: the next request does.
  void wake();
  /// A case that could be timed now.
  struct Ready {
    bool uses_host = false;                  ///< app::uses_host() of the case
    std::optional<unsigned> numa_node = {};  ///< that its host memory is bound to
  };
  /// With `together`, the copy stops when the case is ready to be timed: ready() then returns a value, and the copy
  /// waits for go(). Call both before finish().
  void begin_run(const Case& decided, bool together = false);
  [[nodiscard]] std::optional<Ready> ready();
  void go(measure::Seconds time_budget);
  void begin_count(std::span<const Case> cases, std::span<const report::Record> records);
  /// Waits for the answer. Throws Interrupted, an error with the copy's words, or a probe error when the copy fails.
  [[nodiscard]] Answer finish();

  /// Like the Backend's functions of these names, but throw a probe error if the copy fails.
  [[nodiscard]] double trial(const Case& tested);
  [[nodiscard]] report::Record run(const Case& decided);

  /// True if the copy runs.
  [[nodiscard]] bool is_there() const { return connection_ != nullptr; }
  /// Tells the copy to stop. The destructor waits for its end, and so does leave().
  void end();
  /// Ends the copy, which gives back what it holds of the GPU. The next request starts another one.
  void leave() {
    waking_ = false;
    connection_.reset();
  }

 private:
  void send(const std::string& request);
  [[nodiscard]] Answer answer_of(const std::string& line);

  const MeasureOptions& options_;
  Connect connect_;
  std::unique_ptr<Connection> connection_;
  bool waking_ = false;               ///< the answer to wake() has not been read
  std::optional<std::string> early_;  ///< an answer that came before a case was ready
  std::optional<Error> failure_;      ///< why no copy can answer
};

/// The copy's side: answers what comes in until that ends or the context is lost. `open` is what opens the GPU.
void serve(Connection& parent, const std::function<bool()>& interrupted,
           const std::function<std::unique_ptr<Backend>(const MeasureOptions&)>& open = make_cuda_backend);

/// The same on streams. `at_the_end` is called before anything is given back.
void serve_parent(
    std::istream& in, std::ostream& out, const std::function<bool()>& interrupted,
    const std::function<void()>& at_the_end = [] {});

}  // namespace gpumem::app
