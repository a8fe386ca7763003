#pragma once
// Runs a plan on a backend, case by case, for `probe` and `check`.

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/output/result_outputs.hpp"
#include "app/output/terminal.hpp"
#include "app/run/backend.hpp"
#include "app/run/environment.hpp"
#include "app/run/run_options.hpp"
#include "app/run/shape_choice.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Returns the report of a run that begins now: program, command and host, but neither backend nor results.
[[nodiscard]] report::Report started_report(const Environment& environment);

/// Fills in the backend and its GPUs, of which it knows more after every case.
void describe_backend(report::Report& report, const Backend& backend);

/// The report of a run that did not take place: every case skipped.
[[nodiscard]] report::Report dry_report(Plan plan, const RunOptions& options, const Environment& environment);

class Run {
 public:
  /// Opens the backend. Refers to outputs and environment. Throws a no-GPU error that names the command which predicts
  /// instead.
  Run(Plan plan, const RunOptions& options, const ResultOutputs& outputs, const Environment& environment);

  /// Runs every case; afterwards the report has a record of each, in the plan's order. Throws Interrupted, or an error
  /// that concerns more than a case: the report then holds what was done until then.
  void all();

  /// Runs cases again, given by their indices in the results (ascending), and replaces their records. Values that auto
  /// decided before stay. Throws as all() does.
  void again(std::span<const std::size_t> cases);

  /// Removes the progress line, so that something else can be written.
  void clear_progress() { progress_.clear(); }

  [[nodiscard]] report::Report& report() { return report_; }
  /// False until a case has run, if the plan has any. Until then no file is touched, and stdout stays empty.
  [[nodiscard]] bool has_results() const { return total_ == 0 || !report_.results.empty(); }

  /// True if cases are skipped because of the user's data, and not because of the GPU.
  [[nodiscard]] bool has_unusable() const;

 private:
  /// A sweep, and where its records begin.
  struct Sweep {
    PlannedSweep plan;
    std::size_t first = 0;
    ShapeChoice choice = {};
  };

  void refuse_wrong_data() const;
  void decide(Sweep& sweep);
  [[nodiscard]] report::Record record_of(const Sweep& sweep, const Case& tested);
  void count(std::span<const std::size_t> results);
  void learn();
  void update_files();
  void before(const std::string& what, const Case& tested);

  RunOptions options_;
  const ResultOutputs& outputs_;
  const Environment& environment_;
  std::unique_ptr<Backend> backend_;
  Progress progress_;
  std::vector<Sweep> sweeps_;
  std::size_t total_ = 0;
  report::Report report_;
  std::chrono::steady_clock::time_point written_at_{};
  std::chrono::steady_clock::duration writing_took_{};
  bool told_of_unwritable_ = false;
};

/// Returns the command that predicts what `command` would have measured, to be pasted into the same shell. `of_node`:
/// it takes several GPUs.
[[nodiscard]] std::string predicting_command(const std::vector<std::string>& command, bool of_node = false);

}  // namespace gpumem::app
