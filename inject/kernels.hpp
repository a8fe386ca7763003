#pragma once
// The kernels of the process, numbered as they appear, and their launches' slots.

#include <cuda.h>

#include <cstdint>
#include <string>

#include "inject/options.hpp"
#include "inject/raw_format.hpp"

namespace gpumem::inject {

struct Kernel {
  std::uint32_t number = 0;
  CUfunction function = nullptr;
  CUmodule module = nullptr;
  std::string name;  ///< as the linker knows it
  std::uint32_t static_shared_bytes = 0;
  bool wanted = true;       ///< by --kernel
  bool collective = false;  ///< waits for other GPUs
  bool hopeless = false;    ///< looking closely has failed, and would again
  bool written = false;
  bool loaded = false;  ///< it was launched or loaded: launches do not wait for its code any more
};

/// Blocks and threads of a launch.
struct Shape {
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t dynamic_shared_bytes = 0;
};

/// Launches of one slot, and what of them was sampled.
struct Slot {
  LaunchSlot* counts = nullptr;
  std::uint32_t number = 0;
  std::uint64_t samples = 0;
};

/// Its functions are gone; null: those of some module, and it is not known which. May be called by any thread, with the
/// driver's locks held.
void forget_module(CUmodule module);

// One thread at a time calls these.

/// Null where the driver does not tell what it is. `context` is the current one, for which what is launched may have a
/// function of its own. `symbol` is the name as the callback has it.
[[nodiscard]] Kernel* kernel_of(CUcontext context, CUfunction function, const char* symbol, const Options& options);
/// Its kernels are gone with it.
void forget_kernels(CUcontext context);
/// Its demangled name without arguments: "at::native::reduce_kernel".
[[nodiscard]] std::string short_name(const std::string& kernel);
/// Null where there is no room.
[[nodiscard]] Slot* slot_of(std::uint32_t kernel, const Shape& shape, std::uint32_t device);
/// Adds a time to those of the slot's launches, that of so many of them.
void add_time(LaunchSlot& slot, double ns, std::uint64_t stands_for);
/// Says when a launch ran, by the clock of now_ns(), and how many it stands for.
void add_to_time_line(LaunchSlot& slot, double began_ns, double took_ns, std::uint64_t stands_for);
/// The number of a kernel by its name alone, whose event is written if no launch of it was seen before.
[[nodiscard]] std::uint32_t kernel_number(const std::string& name, std::uint32_t registers_per_thread,
                                          std::uint32_t static_shared_bytes);
/// Writes the kernel's event. `image` is the number of machine code that knows its lines, 0 where there is none.
void write_kernel(Kernel& kernel, std::uint32_t image);

/// Counts launches of the calling thread for the range it is in, if it is in one.
void count_range(LaunchSlot& counts, std::uint64_t launches);

}  // namespace gpumem::inject
