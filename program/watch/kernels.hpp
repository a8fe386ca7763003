#pragma once
// The kernels of the process, numbered as they appear, and their launches' slots.

#include <cuda.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/watch/modules.hpp"
#include "program/watch/options.hpp"
#include "program/watch/output.hpp"
#include "program/watch/ranges.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// Blocks and threads of a launch.
struct Shape {
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t dynamic_shared_bytes = 0;
};
[[nodiscard]] std::uint64_t blocks_of(const Shape& shape);
[[nodiscard]] std::uint32_t block_threads_of(const Shape& shape);

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
  bool divisible = false;  ///< its blocks need not run in clusters
  CodeTraits traits;
  double sampling_ns = 0;    ///< what its last sample took, or the next one would take
  std::uint32_t shapes = 0;  ///< that it was launched with
  std::vector<Shape> sampled;
  bool loaded = false;  ///< it was launched or loaded: launches do not wait for its code any more
};

/// Launches of one slot, and what of them was sampled.
struct Slot {
  LaunchSlot* counts = nullptr;
  std::uint32_t number = 0;
  std::uint64_t samples = 0;
  std::uint64_t seen_with = 0;  ///< numbers_of() the first launch that was looked at; 0: none was
  bool timed_seldom = false;    ///< one of very many of its kernel
  bool of_parts = false;        ///< of a graph whose kernels have slots of their own
};

/// Returns true if what the launch accesses follows from another shape: the kernel has many shapes, and one of those
/// sampled has as many threads a block and half to twice as many blocks.
[[nodiscard]] bool is_like_sampled(const Kernel& kernel, const Shape& shape);
/// Its demangled name without arguments: "at::native::reduce_kernel".
[[nodiscard]] std::string short_name(const std::string& kernel);
/// Adds a time to those of the slot's launches, that of so many of them. `like_seen`: its numbers are those of the
/// launch that was looked at.
void add_time(LaunchSlot& slot, double ns, std::uint64_t stands_for, bool like_seen = true);

/// The kernels that were launched, and the slots of their launches.
class Kernels {
 public:
  Kernels(Output& output, Modules& modules, Ranges& ranges) : output_(output), modules_(modules), ranges_(ranges) {}

  /// Its functions are gone; null: those of some module, and it is not known which. May be called by any thread, with
  /// the driver's locks held.
  void forget_module(CUmodule module);

  // One thread at a time calls these.

  /// Null where the driver does not tell what it is. `context` is the current one, for which what is launched may have
  /// a function of its own. `symbol` is the name as the callback has it.
  [[nodiscard]] Kernel* find(CUcontext context, CUfunction function, const char* symbol, const Options& options);
  /// Its kernels are gone with it.
  void forget(CUcontext context);
  /// Null where there is no room.
  [[nodiscard]] Slot* slot_of(std::uint32_t kernel, const Shape& shape, std::uint32_t device);
  /// The number of a kernel by its name alone, whose event is written if no launch of it was seen before.
  [[nodiscard]] std::uint32_t number_of(const std::string& name, std::uint32_t registers_per_thread,
                                        std::uint32_t static_shared_bytes);
  /// Writes the kernel's event. `image` is the number of machine code that knows its lines, 0 where there is none.
  void write(Kernel& kernel, std::uint32_t image);
  /// Says when a launch ran, by the clock of now_ns(), and how many it stands for.
  void add_to_time_line(LaunchSlot& slot, double began_ns, double took_ns, std::uint64_t stands_for);
  /// Returns the nanoseconds that all launches so far took on a GPU, in the mean over the GPUs. Launches that were not
  /// timed count as long as others of their slot. Returns 0 if the slots are too many to be added up often.
  [[nodiscard]] double gpu_ns() const;
  /// Counts launches of the calling thread for the range it is in, if it is in one.
  void count_range(LaunchSlot& counts, std::uint64_t launches);

 private:
  void forget_dropped_modules();

  Output& output_;
  Modules& modules_;
  Ranges& ranges_;
  std::map<std::pair<CUcontext, CUfunction>, Kernel> kernels_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::array<std::uint32_t, 6>>, Slot> slots_;
  std::uint32_t seen_ = 0;
  std::unordered_map<std::string, std::uint32_t> numbers_;  ///< by name, of kernels that share one the first

  std::mutex dropping_;  ///< of `dropped_`; never held while anything else is called
  std::vector<CUmodule> dropped_;
};

}  // namespace gpumem::inject
