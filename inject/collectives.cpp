#include "inject/collectives.hpp"

#include <map>
#include <unordered_map>

#include "inject/driver.hpp"

namespace gpumem::inject {

namespace {

/// Recorded behind the last one of each stream.
std::unordered_map<CUcontext, std::map<CUstream, CUevent>> last_ones;

}  // namespace

void note_collective(CUcontext context, CUstream stream) {
  CUevent& event = last_ones[context][stream];
  if (event == nullptr && driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return;
  static_cast<void>(driver().cuEventRecord(event, stream));
}

bool a_collective_runs(CUcontext context) {
  const auto streams = last_ones.find(context);
  if (streams == last_ones.end()) return false;
  for (const auto& [stream, event] : streams->second) {
    if (event != nullptr && driver().cuEventQuery(event) == CUDA_ERROR_NOT_READY) return true;
  }
  return false;
}

}  // namespace gpumem::inject
