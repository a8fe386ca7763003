#include "app/program/callers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

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
  if (!caller->operation.empty()) record.operation = caller->operation;
  for (const RawFrame& raw : caller->frames) record.called_from.push_back(frame_of(raw));
  const auto own = std::ranges::find(record.called_from, false, &report::CallFrameRecord::library);
  if (own == record.called_from.end()) return;
  const bool is_in_module = own->function == "<module>" || own->function.empty();
  record.caller = place_words(*own) + (is_in_module ? "" : " in " + own->function);
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

report::CallFrameRecord Callers::frame_of(const RawFrame& raw) {
  report::CallFrameRecord frame{.file = raw.file,
                                .line = raw.line == 0 ? std::nullopt : std::optional<std::uint64_t>(raw.line),
                                .function = raw.function,
                                .module = raw.module.empty() ? std::nullopt : std::optional(raw.module),
                                .language = report::python_language,
                                .library = raw.library};
  if (raw.language == inject::FrameLanguage::python) return frame;
  frame.language = report::native_language;
  const HostPlace place = codes_.find(raw.file, raw.file_mark, raw.address);
  if (place.line) {
    frame.file = report::one_line(path_of(*place.line));
    frame.line = place.line->line;
  }
  if (!place.function.empty()) frame.function = place.function;
  frame.function = report::one_line(short_name(measure::demangle(frame.function.c_str())));
  return frame;
}

std::string Callers::place_words(const report::CallFrameRecord& frame) const {
  const std::filesystem::path path(frame.file);
  std::string name = path.filename().string();
  if (const auto known = folders_.find(name); known != folders_.end() && known->second.size() > 1) {
    const std::string folder = path.parent_path().filename().string();
    if (!folder.empty()) name = folder + "/" + name;
  }
  return frame.line ? fmt::format("{}:{}", name, *frame.line) : name;
}

}  // namespace gpumem::app
