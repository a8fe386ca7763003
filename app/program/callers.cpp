#include "app/program/callers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/program/compiled_operators.hpp"
#include "app/program/site_names.hpp"
#include "engine/measure/kernel_name.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// The event of the launch, of another one of its slot otherwise.
const RawCaller* caller_of(const MergedKernel& kernel) {
  if (kernel.callers.empty()) return nullptr;
  if (const SeenLaunch* shown = kernel.shown()) {
    for (const auto& [process, caller] : kernel.callers) {
      const inject::SampleEvent& event = shown->sample->event;
      if (process == shown->process && caller->event.slot == event.slot && caller->event.order == event.order) {
        return caller;
      }
    }
  }
  return kernel.callers.front().second;
}

std::string path_of(const SourceLine& line) { return line.folder.empty() ? line.file : line.folder + "/" + line.file; }

}  // namespace

Callers::Callers(const MergedRun& run) {
  const auto note = [&](const RawFrame& raw) {
    if (raw.library) return;
    const std::filesystem::path path(frame_of(raw).file);
    ++folders_[path.filename().string()][path.parent_path().string()];
  };
  for (const MergedKernel& kernel : run.kernels) {
    for (const auto& [process, caller] : kernel.callers) std::ranges::for_each(caller->frames, note);
    for (const SeenLaunch& launch : kernel.seen) {
      for (const RawArray& array : launch.process->arrays) {
        if (array.made_at) note(*array.made_at);
      }
    }
  }
}

void Callers::add_to(report::Record& record, const MergedKernel& kernel) {
  const RawCaller* caller = caller_of(kernel);
  if (caller == nullptr) return;
  if (!caller->operation.empty()) record.operator_name = caller->operation;
  if (caller->frames.empty()) return;
  for (const RawFrame& raw : caller->frames) {
    if (record.operator_name || !raw.library) break;
    if (std::string fused = compiled_operators(raw.file, raw.line); !fused.empty()) {
      record.operator_name = std::move(fused);
    }
  }
  std::vector<report::FrameRecord> frames;
  for (const RawFrame& raw : caller->frames) frames.push_back(frame_of(raw));
  const auto own = std::ranges::find(frames, false, &report::FrameRecord::library);
  if (own != frames.end()) record.caller = place_words(*own);
  record.called_from = std::move(frames);
}

std::optional<report::ArrayRecord> Callers::array_of(const SeenLaunch& launch, const inject::Site& site) {
  const inject::SampleEvent& sample = launch.sample->event;
  for (const RawArray& array : launch.process->arrays) {
    const inject::ArrayEvent& event = array.event;
    if (event.slot != sample.slot || event.order != sample.order || event.pc != site.pc ||
        event.space != static_cast<std::uint64_t>(site.space)) {
      continue;
    }
    report::ArrayRecord record{.bytes = event.bytes, .made_at = {}};
    if (array.made_at) record.made_at = place_words(frame_of(*array.made_at));
    return record;
  }
  return std::nullopt;
}

report::FrameRecord Callers::frame_of(const RawFrame& raw) {
  report::FrameRecord frame{.file = raw.file,
                            .line = raw.line == 0 ? std::nullopt : std::optional<std::uint64_t>(raw.line),
                            .function = raw.function,
                            .module = raw.module.empty() ? std::nullopt : std::optional(raw.module),
                            .language = "python",
                            .library = raw.library};
  if (raw.language == inject::FrameLanguage::python) return frame;
  frame.language = "native";
  const HostPlace place = codes_.find(raw.file, raw.file_mark, raw.address);
  if (place.line) {
    frame.file = report::one_line(path_of(*place.line));
    frame.line = place.line->line;
  }
  if (!place.function.empty()) frame.function = place.function;
  frame.function = report::one_line(short_name(measure::demangle(frame.function.c_str())));
  return frame;
}

std::string Callers::place_words(const report::FrameRecord& frame) const {
  const std::filesystem::path path(frame.file);
  std::string words = path.filename().string();
  if (const auto known = folders_.find(words); known != folders_.end() && known->second.size() > 1) {
    const std::string folder = path.parent_path().filename().string();
    if (!folder.empty()) words = folder + "/" + words;
  }
  if (frame.line) words += fmt::format(":{}", *frame.line);
  const bool is_in_function = !frame.function.empty() && frame.function != "<module>";
  return is_in_function ? words + " in " + frame.function : words;
}

}  // namespace gpumem::app
