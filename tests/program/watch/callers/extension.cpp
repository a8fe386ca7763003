// A library of the program's own, with lines: it launches for whoever calls it.

#include <cstdint>

using Launch = void (*)(const char*, std::uint64_t);
static volatile int launched = 0;

__attribute__((noinline)) static void scale(Launch launch, std::uint64_t address) {
  launch("scale", address);  // line 9
  launched = launched + 1;
}

extern "C" __attribute__((visibility("default"))) void run_scale(Launch launch, std::uint64_t address) {
  scale(launch, address);  // line 14
  launched = launched + 1;
}
