#pragma once
// When the stages of a run started and ended, whatever stream they ran in.

#include <chrono>
#include <vector>

#include "engine/measure/cuda.hpp"
#include "engine/measure/experiment.hpp"

namespace gpumem::host {

/// Stages of the same name share an engine, on which they run one piece after another in the order of their ends. An
/// event before a stage fires when its stream gets there, which may be long before the engine is free, so that a stage
/// started no earlier than the one before it on the engine ended. Returns the stages in the order of their starts.
[[nodiscard]] std::vector<measure::StageSpan> one_after_another(std::vector<measure::StageSpan> spans);

/// Records a run that begins with the construction. All streams must be idle then.
class StageRecorder {
 public:
  explicit StageRecorder(const measure::Stream& any);

  /// Runs `work`, which queues the stage into `stream`, between two events. `index` is the stream's in the timeline.
  template <class Work>
  void on_device(const char* stage, unsigned index, const measure::Stream& stream, const Work& work) {
    Stage& recorded = stages_.emplace_back(Stage{stage, index, {}, {}});
    recorded.before.record(stream);
    work();
    recorded.after.record(stream);
  }
  /// Runs `work`, which the host does itself, by the host's clock.
  template <class Work>
  void on_host(const char* stage, unsigned index, const Work& work) {
    const double start_s = since_start_s();
    work();
    on_host_.push_back({stage, index, start_s, since_start_s()});
  }
  /// Waits for the stages.
  [[nodiscard]] std::vector<measure::StageSpan> spans() const;

 private:
  struct Stage {
    const char* name;
    unsigned index;
    measure::Event before;
    measure::Event after;
  };
  [[nodiscard]] double since_start_s() const {
    return measure::Seconds(std::chrono::steady_clock::now() - host_start_).count();
  }

  measure::Event start_;
  std::chrono::steady_clock::time_point host_start_;
  std::vector<Stage> stages_;
  std::vector<measure::StageSpan> on_host_;
};

}  // namespace gpumem::host
