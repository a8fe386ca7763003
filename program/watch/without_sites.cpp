// In place of program/watch/sites/ where gpumem was built without what it takes (cmake/Inject.cmake).

#include "program/watch/missing_engine.hpp"

namespace gpumem::inject {

std::unique_ptr<Engine> sites_engine() {
  return std::make_unique<MissingEngine>(
      "gpumem was built without the Compute Sanitizer's headers, or for no GPU, so that it sees nothing access by "
      "access: run scripts/install-dependencies and build it again, or use --counters");
}

}  // namespace gpumem::inject
