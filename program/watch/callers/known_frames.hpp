#pragma once
// Frames of Python whose text was read once: the same places launch and allocate again and again.

#include <memory>
#include <mutex>
#include <vector>

#include "program/watch/callers/frame.hpp"
#include "program/watch/callers/python_frames.hpp"

namespace gpumem::inject {

struct FrameTables;

/// Any thread may call its functions, whatever locks it holds. The frames that they return stay for ever.
class KnownFrames {
 public:
  explicit KnownFrames(PythonFrames& python);
  ~KnownFrames();
  KnownFrames(const KnownFrames&) = delete;
  KnownFrames& operator=(const KnownFrames&) = delete;

  /// The innermost frame of the calling thread that is no library's; null if there is none. For a place that was seen
  /// before this takes a fraction of a microsecond.
  [[nodiscard]] const Frame* innermost_own();
  /// The frames of the calling thread, innermost first, as many as events have.
  [[nodiscard]] std::vector<const Frame*> all();

 private:
  FrameTables& tables();

  PythonFrames& python_;
  std::mutex mutex_;                     ///< of the tables, held only while memory is read
  std::unique_ptr<FrameTables> tables_;  ///< null until there is something to look up: most programs have no Python
};

}  // namespace gpumem::inject
