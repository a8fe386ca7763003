#include "inject/contexts.hpp"

#include <mutex>
#include <utility>

namespace gpumem::inject {

namespace {

std::mutex ending;  // never held while anything else is called
std::vector<CUcontext> ended;

}  // namespace

void context_ends(CUcontext context) {
  const std::lock_guard lock(ending);
  ended.push_back(context);
}

std::vector<CUcontext> ended_contexts() {
  const std::lock_guard lock(ending);
  return std::exchange(ended, {});
}

}  // namespace gpumem::inject
