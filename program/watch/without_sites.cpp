// In place of program/watch/sites/ where gpumem was built without what it takes (cmake/Inject.cmake).

#include "program/watch/output.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

Engine sites_engine() {
  return {[] {
            output().write_problem(
                true,
                "gpumem was built without the Compute Sanitizer's headers, or for no GPU, so that it sees "
                "nothing access by access: run scripts/install-dependencies and build it again, or use "
                "--counters");
            return false;
          },
          [] {}, [](CUcontext) {}};
}

}  // namespace gpumem::inject
