#include "probes/compute_capability.hpp"

#include <charconv>
#include <string>

#include "probes/error.hpp"

namespace gpumem {

void require_compute_capability(const Device& device, unsigned least, const char* what) {
  const std::string& text = device.compute_capability;
  const char* const end = text.data() + text.size();
  unsigned major = 0;
  unsigned minor = 0;
  const char* const dot = std::from_chars(text.data(), end, major).ptr;
  if (dot != end) std::from_chars(dot + 1, end, minor);
  if (major > least / 10 || (major == least / 10 && minor >= least % 10)) return;
  throw missing_capability_error(std::string(what) + " takes compute capability " + std::to_string(least / 10) + "." +
                                 std::to_string(least % 10) + ", this GPU has " + text);
}

}  // namespace gpumem
