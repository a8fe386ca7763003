#include "program/watch/kernels.hpp"

#include <algorithm>

#include "engine/base/demangle.hpp"
#include "program/watch/driver.hpp"
#include "program/watch/time_line.hpp"

namespace gpumem::inject {

namespace {

std::uint32_t attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  if (driver().cuFuncGetAttribute(&value, which, function) != CUDA_SUCCESS || value < 0) return 0;
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::string short_name(const std::string& kernel) {
  std::string name = demangled(kernel);
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  return name.substr(0, name.find_first_of("<("));
}

void Kernels::forget_dropped_modules() {
  const std::lock_guard lock(dropping_);
  for (CUmodule module : std::exchange(dropped_, {})) {
    std::erase_if(kernels_, [&](const auto& entry) { return module == nullptr || entry.second.module == module; });
  }
}

void Kernels::forget_module(CUmodule module) {
  const std::lock_guard lock(dropping_);
  dropped_.push_back(module);
}

Kernel* Kernels::find(CUcontext context, CUfunction function, const char* symbol, const Options& options) {
  forget_dropped_modules();
  const std::pair key{context, function};
  if (const auto found = kernels_.find(key); found != kernels_.end()) return &found->second;
  Kernel kernel;
  kernel.function = function;
  if (driver().cuFuncGetModule(&kernel.module, function) != CUDA_SUCCESS) {
    // `function` may be a kernel (CUkernel) that no context has yet. The symbol is then that of a stub.
    if (driver().cuKernelGetFunction == nullptr ||
        driver().cuKernelGetFunction(&kernel.function, reinterpret_cast<CUkernel>(function)) != CUDA_SUCCESS ||
        driver().cuFuncGetModule(&kernel.module, kernel.function) != CUDA_SUCCESS) {
      return nullptr;
    }
  }
  const char* name = nullptr;
  if (driver().cuFuncGetName == nullptr || driver().cuFuncGetName(&name, kernel.function) != CUDA_SUCCESS)
    name = symbol;
  if (name == nullptr) return nullptr;
  kernel.name = name;
  kernel.number = ++seen_;
  numbers_.try_emplace(kernel.name, kernel.number);
  const std::string readable = demangled(kernel.name);
  kernel.collective = readable.rfind("nccl", 0) == 0 || readable.rfind("void nccl", 0) == 0;
  kernel.wanted = options.wants_kernel(readable.c_str());
  kernel.divisible = attribute(kernel.function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == 0;
  kernel.traits = modules_.traits_of(kernel.module, kernel.name);
  kernel.static_shared_bytes = attribute(kernel.function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  return &kernels_.emplace(key, std::move(kernel)).first->second;
}

std::uint64_t blocks_of(const Shape& shape) { return std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2]; }

std::uint32_t block_threads_of(const Shape& shape) { return shape.block[0] * shape.block[1] * shape.block[2]; }

bool is_like_sampled(const Kernel& kernel, const Shape& shape) {
  constexpr std::size_t few = 8;
  if (kernel.sampled.size() < few) return false;
  const std::uint64_t blocks = blocks_of(shape);
  return std::ranges::any_of(kernel.sampled, [&](const Shape& sampled) {
    const std::uint64_t others = blocks_of(sampled);
    return block_threads_of(sampled) == block_threads_of(shape) && blocks <= 2 * others && others <= 2 * blocks;
  });
}

void Kernels::forget(CUcontext context) {
  std::erase_if(kernels_, [&](const auto& entry) { return entry.first.first == context; });
}

Slot* Kernels::slot_of(std::uint32_t kernel, const Shape& shape, std::uint32_t device) {
  const std::array sizes{shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2]};
  const auto [found, is_new] = slots_.try_emplace({kernel, device, sizes});
  Slot& slot = found->second;
  if (!is_new) return slot.counts == nullptr ? nullptr : &slot;
  slot.counts = output_.new_slot(slot.number);
  if (slot.counts == nullptr) return nullptr;
  slot.counts->device = device;
  std::copy_n(shape.grid, 3, slot.counts->grid);
  std::copy_n(shape.block, 3, slot.counts->block);
  slot.counts->dynamic_shared_bytes = shape.dynamic_shared_bytes;
  slot.counts->kernel = kernel;
  ++output_.totals().slots;
  return &slot;
}

void Kernels::write(Kernel& kernel, std::uint32_t image) {
  kernel.written = true;
  const KernelEvent event{
      .kernel = kernel.number,
      .image = image,
      .registers_per_thread = attribute(kernel.function, CU_FUNC_ATTRIBUTE_NUM_REGS),
      .static_shared_bytes = kernel.static_shared_bytes,
      .local_bytes_per_thread = attribute(kernel.function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
  };
  output_.write_event(EventKind::kernel, {part_of(event), part_of(std::string_view(kernel.name))});
}

std::uint32_t Kernels::number_of(const std::string& name, std::uint32_t registers_per_thread,
                                 std::uint32_t static_shared_bytes) {
  const auto [known, is_new] = numbers_.try_emplace(name, seen_ + 1);
  if (is_new) {
    ++seen_;
    const KernelEvent event{.kernel = known->second,
                            .registers_per_thread = registers_per_thread,
                            .static_shared_bytes = static_shared_bytes};
    output_.write_event(EventKind::kernel, {part_of(event), part_of(std::string_view(name))});
  }
  return known->second;
}

void add_time(LaunchSlot& slot, double ns, std::uint64_t stands_for, bool like_seen) {
  // The first ones are all kept; of later ones each replaces the oldest.
  const std::uint32_t place = slot.times++ % kept_times;
  slot.time_ns[place] = static_cast<float>(ns);
  const std::uint64_t bit = std::uint64_t{1} << place;
  slot.like_seen = like_seen ? slot.like_seen | bit : slot.like_seen & ~bit;
  slot.timed_ns += static_cast<std::uint64_t>(ns) * stands_for;
  slot.timed += stands_for;
}

void Kernels::add_to_time_line(LaunchSlot& slot, double began_ns, double took_ns, std::uint64_t stands_for) {
  LaunchTotals& all = output_.totals();
  if (all.began_ns == 0) all.began_ns = static_cast<std::uint64_t>(began_ns);  // a graph that nobody recorded
  // Two clocks, the GPU's and ours, agree but nearly: a launch may seem to have run before it was asked for.
  const double since_ns = std::max(0.0, began_ns - static_cast<double>(all.began_ns));
  const auto begin = static_cast<std::uint64_t>(since_ns);
  const auto took = static_cast<std::uint64_t>(took_ns);
  add_ran(slot.ran, begin, begin + took, took * stands_for);
}

double Kernels::gpu_ns() const {
  constexpr std::size_t most_slots = 4096;
  if (slots_.size() > most_slots) return 0;
  std::map<std::uint32_t, double> of_device;
  for (const auto& [key, slot] : slots_) {
    if (slot.counts == nullptr || slot.of_parts || slot.counts->timed == 0) continue;
    const double each_ns = static_cast<double>(slot.counts->timed_ns) / static_cast<double>(slot.counts->timed);
    of_device[slot.counts->device] += each_ns * static_cast<double>(slot.counts->launches);
  }
  double sum_ns = 0;
  for (const auto& [device, ns] : of_device) sum_ns += ns;
  return of_device.empty() ? 0 : sum_ns / static_cast<double>(of_device.size());
}

void Kernels::count_range(LaunchSlot& counts, std::uint64_t launches) {
  const Range* range = current_range();
  if (range == nullptr) return;
  for (RangeLaunches& in_range : counts.ranges) {
    if (in_range.range == 0) {
      ranges_.name_range(*range);
      in_range.range = range->number;
    }
    if (in_range.range == range->number) {
      in_range.launches += launches;
      return;
    }
  }
  counts.in_other_ranges += launches;
}

}  // namespace gpumem::inject
