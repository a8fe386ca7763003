// A program without Python that allocates and launches: native_program LIBRARY FOLDER

#include <dlfcn.h>

#include <cstdint>

using Launch = void (*)(const char*, std::uint64_t);
using Allocate = void (*)(std::uint64_t, std::uint64_t);
static volatile int done = 0;

__attribute__((noinline)) static void make_matrix(Allocate allocate) {
  allocate(0x7f0000000000, 1 << 26);  // line 12
  done = done + 1;
}

__attribute__((noinline)) static void step(Launch launch) {
  launch("stepped", 0x7f0000001000);  // line 17
  done = done + 1;
}

int main(int argc, char** argv) {
  void* library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (library == nullptr) return 1;
  reinterpret_cast<int (*)(const char*)>(dlsym(library, "begin"))(argv[2]);
  make_matrix(reinterpret_cast<Allocate>(dlsym(library, "allocate")));
  const auto launch = reinterpret_cast<Launch>(dlsym(library, "launch"));
  for (int i = 0; i < 3; ++i) step(launch);
  return 0;
}
