#include "probes/host/overlap/stage_recorder.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gpumem::host {

std::vector<measure::StageSpan> one_after_another(std::vector<measure::StageSpan> spans) {
  std::ranges::stable_sort(spans, {}, &measure::StageSpan::end_s);
  std::map<std::string, double> free_at_s;
  for (measure::StageSpan& span : spans) {
    double& free_s = free_at_s[span.stage];
    span.start_s = std::max(span.start_s, free_s);
    free_s = span.end_s;
  }
  std::ranges::stable_sort(spans, {}, &measure::StageSpan::start_s);
  return spans;
}

StageRecorder::StageRecorder(const measure::Stream& any) {
  start_.record(any);
  host_start_ = std::chrono::steady_clock::now();
}

std::vector<measure::StageSpan> StageRecorder::spans() const {
  std::vector<measure::StageSpan> spans = on_host_;
  for (const Stage& stage : stages_) {
    spans.push_back({stage.name, stage.index, measure::elapsed(start_, stage.before).count(),
                     measure::elapsed(start_, stage.after).count()});
  }
  return one_after_another(std::move(spans));
}

}  // namespace gpumem::host
