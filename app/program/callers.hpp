#pragma once
// Who asked for a kernel's launches, and where the arrays that it touches were made, in words.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/program/host_code.hpp"
#include "app/program/merge.hpp"
#include "app/program/raw_callers.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

class Callers {
 public:
  /// Reads all that the run has, for files of one name to be told apart by their folders. The processes have to outlive
  /// it.
  explicit Callers(const MergedRun& run);

  /// Fills in who asked for the launch that is shown, else for the kernel's first.
  void add_to(report::Record& record, const MergedKernel& kernel);
  /// The allocation that a site of a seen launch touches.
  [[nodiscard]] std::optional<report::ArrayRecord> array_of(const SeenLaunch& launch, const inject::Site& site);

 private:
  /// Where the frame is, by its source; of native code by what its file tells.
  [[nodiscard]] report::FrameRecord frame_of(const RawFrame& raw);
  /// "model.py:42 in forward"; of code without lines "app in main".
  [[nodiscard]] std::string place_words(const report::FrameRecord& frame) const;

  HostCodes codes_;
  std::map<std::string, std::map<std::string, unsigned>> folders_;  ///< by the file's name
};

}  // namespace gpumem::app
