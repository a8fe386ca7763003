#include "program/watch/callers/safe_memory.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace gpumem::inject {

namespace {

/// Reads the process's memory as a file, for containers that forbid process_vm_readv.
bool read_own_memory(std::uintptr_t address, void* target, std::size_t bytes) {
  static const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  return memory >= 0 && pread(memory, target, bytes, static_cast<off_t>(address)) == static_cast<ssize_t>(bytes);
}

}  // namespace

bool read_safely(std::uintptr_t address, void* target, std::size_t bytes) {
  constexpr std::uintptr_t first_page = 4096;
  if (address < first_page) return false;  // most wrong addresses are null: no call for them
  const iovec to{target, bytes};
  const iovec from{reinterpret_cast<void*>(address), bytes};  // NOLINT(performance-no-int-to-ptr): it may be anything
  const int before = errno;
  const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  bool whole = got == static_cast<ssize_t>(bytes);
  if (got < 0 && errno != EFAULT) whole = read_own_memory(address, target, bytes);
  errno = before;  // the program's
  return whole;
}

}  // namespace gpumem::inject
