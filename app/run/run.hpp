#pragma once
// A plan taken through a backend, case by case: what `probe` and `check` have in common.

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

/// What a run that begins now reports of program, command and host; it has neither a backend nor results yet.
[[nodiscard]] report::Report started_report(const Environment& environment);

/// What the backend says of itself and its GPUs, of which it knows more after every case.
void describe_backend(report::Report& report, const Backend& backend);

/// The report of a run that did not take place: every case skipped.
[[nodiscard]] report::Report dry_report(const Plan& plan, const RunOptions& options, const Environment& environment);

class Run {
 public:
  /// Opens the backend. Refers to outputs and environment. Throws a no-GPU error that names the command which predicts
  /// instead.
  Run(Plan plan, const RunOptions& options, const ResultOutputs& outputs, const Environment& environment);

  /// Runs every case; afterwards the report has a record of each, in the plan's order. Throws Interrupted, or an error
  /// that concerns more than a case: the report then holds what was done until then.
  void all();

  /// Runs cases again, by their indices in the results (ascending), whose records are replaced. What auto decided
  /// before stays. Throws as all() does.
  void again(std::span<const std::size_t> cases);

  /// Takes the line away that says what is going on, so that something else can be written.
  void clear_progress() { progress_.clear(); }

  [[nodiscard]] report::Report& report() { return report_; }
  /// False as long as nothing ran of what is to run: then no file is touched, and stdout stays empty.
  [[nodiscard]] bool has_results() const { return total_ == 0 || !report_.results.empty(); }

  /// Whether cases are skipped because of what the user brought, and not of the GPU.
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

/// The command that predicts what `command` would have measured, to be pasted into the same shell; `of_node` where it
/// takes several GPUs.
[[nodiscard]] std::string predicting_command(const std::vector<std::string>& command, bool of_node = false);

}  // namespace gpumem::app
