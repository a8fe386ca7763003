#pragma once
// The callers of a kernel's launches, and the places where the arrays that it touches were allocated, in words.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "program/read/host_code.hpp"
#include "program/read/merge.hpp"
#include "program/read/raw_callers.hpp"
#include "report/record/record.hpp"

namespace gpumem::program {

class Callers {
 public:
  /// Reads all frames of the run, so that files of one name are told apart by their folders. The processes have to
  /// outlive it.
  explicit Callers(const MergedRun& run);

  /// Fills in the callers of the launch that is shown, or else of the kernel's first launch.
  void add_to(report::Record& record, const MergedKernel& kernel);
  /// The allocation that a site of a seen launch touches.
  [[nodiscard]] std::optional<report::ArrayRecord> array_of(const SeenLaunch& launch, const inject::Site& site);

 private:
  /// Returns the place of the frame in the source; for native code, the place that its file tells. Returns nullopt for
  /// a frame that is only a step from the program to the driver: of the runtime, or of the function that stands for the
  /// kernel on the host.
  [[nodiscard]] std::optional<report::FrameRecord> frame_of(const RawFrame& raw, std::string_view kernel = {});
  [[nodiscard]] std::vector<report::FrameRecord> frames_of(const std::vector<RawFrame>& raw,
                                                           std::string_view kernel = {});
  /// Returns the place of the first frame that is the program's own: "model.py:42 in forward", or "app in main" for
  /// code without lines. Returns nullopt if no frame is.
  [[nodiscard]] std::optional<std::string> own_place(const std::vector<report::FrameRecord>& frames) const;

  void note_folders(const std::vector<report::FrameRecord>& frames);

  using SiteKey = std::tuple<const RawProcess*, std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  static SiteKey key_of(const RawProcess& process, const inject::ArrayEvent& event);

  HostCodes codes_;
  std::map<std::string, std::map<std::string, unsigned>> folders_;  ///< by the file's name
  std::map<SiteKey, const RawArray*> arrays_;                       ///< by what touches them
};

}  // namespace gpumem::program
