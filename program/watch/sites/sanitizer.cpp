#include "program/watch/sites/sanitizer.hpp"

#include <dlfcn.h>

namespace gpumem::inject {

std::string Sanitizer::load(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return reason == nullptr ? path : reason;
  }
  std::string missing;
#define GPUMEM_FIND(name)                                            \
  name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name)); \
  if (name == nullptr) missing = path + " lacks " #name;
  GPUMEM_SANITIZER_FUNCTIONS(GPUMEM_FIND)
#undef GPUMEM_FIND
  return missing;
}

}  // namespace gpumem::inject
