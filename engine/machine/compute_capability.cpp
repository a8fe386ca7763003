#include "engine/machine/compute_capability.hpp"

#include <charconv>
#include <string>

#include "engine/base/error.hpp"

namespace gpumem {

unsigned compute_capability_number(const Device& device) {
  const std::string& text = device.compute_capability;
  const char* const end = text.data() + text.size();
  unsigned major = 0;
  unsigned minor = 0;
  const char* const dot = std::from_chars(text.data(), end, major).ptr;
  if (dot != end) std::from_chars(dot + 1, end, minor);
  return 10 * major + minor;
}

void require_compute_capability(const Device& device, unsigned least, const char* what) {
  if (compute_capability_number(device) >= least) return;
  throw missing_capability_error(std::string(what) + " takes compute capability " + std::to_string(least / 10) + "." +
                                 std::to_string(least % 10) + ", this GPU has " + device.compute_capability);
}

void require_clusters(const Device& device) {
  require_compute_capability(device, 90, "shared memory of another block");
}

}  // namespace gpumem
