#include "app/run/environment.hpp"

#include <cerrno>
#include <cstring>
#include <ostream>

#include "probes/error.hpp"

namespace gpumem::app {

void write_result(std::ostream& out, const std::string& text) {
  errno = 0;
  out << text << std::flush;
  if (out) return;
  const std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
  throw usage_error("cannot write to standard output" + reason);
}

}  // namespace gpumem::app
