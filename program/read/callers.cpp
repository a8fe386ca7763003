#include "program/read/callers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "engine/base/demangle.hpp"
#include "program/read/compiled_operators.hpp"
#include "program/read/site_names.hpp"
#include "report/record/frames.hpp"
#include "report/text/text.hpp"

namespace gpumem::program {

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

/// Returns true if the source was installed, or if the function is of a library that consists of headers.
bool is_installed(const std::string& file, std::string_view qualified) {
  constexpr std::string_view folders[] = {"/usr/include/", "/usr/lib/", "/usr/local/cuda", "/opt/nvidia/"};
  constexpr std::string_view libraries[] = {"std::", "__gnu_cxx::", "thrust::", "cub::", "cuda::"};
  return std::ranges::any_of(folders, [&](std::string_view folder) { return file.starts_with(folder); }) ||
         std::ranges::any_of(libraries, [&](std::string_view library) { return qualified.starts_with(library); });
}

}  // namespace

Callers::Callers(const MergedRun& run) {
  std::set<const RawProcess*> processes;
  for (const MergedKernel& kernel : run.kernels) {
    for (const auto& [process, caller] : kernel.callers) note_folders(frames_of(caller->frames, kernel.name));
    for (const SeenLaunch& launch : kernel.seen) processes.insert(launch.process);
  }
  for (const RawProcess* process : processes) {
    for (const RawArray& array : process->arrays) {
      if (arrays_.try_emplace(key_of(*process, array.event), &array).second) note_folders(frames_of(array.made_at));
    }
  }
}

void Callers::note_folders(const std::vector<report::FrameRecord>& frames) {
  for (const report::FrameRecord& frame : frames) {
    if (frame.library) continue;
    const std::filesystem::path path(frame.file);
    ++folders_[path.filename().string()][path.parent_path().string()];
  }
}

Callers::SiteKey Callers::key_of(const RawProcess& process, const inject::ArrayEvent& event) {
  return {&process, event.slot, event.order, event.pc, event.space};
}

void Callers::add_to(report::Record& record, const MergedKernel& kernel) {
  const RawCaller* caller = caller_of(kernel);
  if (caller == nullptr) return;
  if (!caller->operation.empty()) record.operator_name = caller->operation;
  for (const RawFrame& raw : caller->frames) {
    if (record.operator_name || !raw.library) break;
    if (std::string fused = compiled_operators(raw.file, raw.line); !fused.empty()) {
      record.operator_name = std::move(fused);
    }
  }
  std::vector<report::FrameRecord> frames = frames_of(caller->frames, kernel.name);
  if (frames.empty()) return;
  record.caller = own_place(frames);
  record.called_from = std::move(frames);
}

std::optional<report::ArrayRecord> Callers::array_of(const SeenLaunch& launch, const inject::Site& site) {
  const inject::SampleEvent& sample = launch.sample->event;
  const auto found = arrays_.find(key_of(
      *launch.process,
      {.slot = sample.slot, .order = sample.order, .pc = site.pc, .space = static_cast<std::uint64_t>(site.space)}));
  if (found == arrays_.end()) return std::nullopt;
  return report::ArrayRecord{.bytes = found->second->event.bytes,
                             .made_at = own_place(frames_of(found->second->made_at))};
}

std::vector<report::FrameRecord> Callers::frames_of(const std::vector<RawFrame>& raw, std::string_view kernel) {
  std::vector<report::FrameRecord> frames;
  for (const RawFrame& frame : raw) {
    if (auto record = frame_of(frame, kernel)) frames.push_back(*std::move(record));
  }
  return frames;
}

std::optional<report::FrameRecord> Callers::frame_of(const RawFrame& raw, std::string_view kernel) {
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
  const std::string whole = report::one_line(demangled(frame.function));
  frame.function = short_name(whole);
  if (whole == kernel || report::is_of_runtime(frame)) return std::nullopt;
  // A frame with neither a name nor a line tells nobody what to change.
  frame.library =
      raw.library || (frame.function.empty() && !frame.line) || is_installed(frame.file, qualified_name(whole));
  return frame;
}

std::optional<std::string> Callers::own_place(const std::vector<report::FrameRecord>& frames) const {
  const auto own = std::ranges::find(frames, false, &report::FrameRecord::library);
  if (own == frames.end()) return std::nullopt;
  const std::filesystem::path path(own->file);
  const auto known = folders_.find(path.filename().string());
  const bool several = known != folders_.end() && known->second.size() > 1;
  return report::frame_words(*own, several ? path.parent_path().filename().string() : "");
}

}  // namespace gpumem::program
