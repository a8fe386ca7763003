#include "program/watch/callers/allocator_hook.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "program/watch/callers/elf_images.hpp"

namespace gpumem::inject {

namespace {

/// Names of AllocatorReport, as the linker knows it: since PyTorch 2, and before.
constexpr std::string_view report_names[] = {"_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE",
                                             "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE"};
constexpr std::string_view allocator_library = "/libc10_cuda.so";

bool is_within(const dl_phdr_info& image, std::uint32_t type, std::uintptr_t address) {
  for (std::size_t i = 0; i < image.dlpi_phnum; ++i) {
    const auto& segment = image.dlpi_phdr[i];
    const std::uintptr_t begin = image.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == type && address >= begin && address < begin + segment.p_memsz) return true;
  }
  return false;
}

/// Writes to a place that the loader may have made read-only after filling it.
bool replace(const dl_phdr_info& image, void** place, void* value) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the page of the place
  void* page = reinterpret_cast<void*>(address & ~(page_bytes - 1));
  const bool read_only = is_within(image, PT_GNU_RELRO, address);
  if (read_only && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return false;
  std::atomic_ref<void*>(*place).store(value, std::memory_order_release);
  if (read_only) mprotect(page, page_bytes, PROT_READ);
  return true;
}

/// The function itself, as its library defines it.
AllocatorReport defined_report(std::string_view name) {
  std::uintptr_t address = 0;
  each_image([&](const dl_phdr_info& image) {
    address = DynamicTables(image).find(name);
    return address != 0;
  });
  return reinterpret_cast<AllocatorReport>(address);  // NOLINT(performance-no-int-to-ptr): as the loader has addresses
}

}  // namespace

/// Redirects the image's calls to the function of this name to the replacement. Returns false if there is nothing to
/// redirect.
bool AllocatorHook::install_in(const dl_phdr_info& image, std::string_view name, AllocatorReport report) {
  bool installed = false;
  for (void** place : DynamicTables(image).places_of(name)) {
    // A place that the loader has not filled yet leads back into the library; any other may be somebody's hook.
    const auto filled = reinterpret_cast<std::uintptr_t>(*place);
    const bool unfilled = is_within(image, PT_LOAD, filled);
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    original_.store(unfilled ? report : reinterpret_cast<AllocatorReport>(filled), std::memory_order_release);
    installed = replace(image, place, reinterpret_cast<void*>(replacement_)) || installed;
  }
  return installed;
}

void AllocatorHook::pass_on(void* memory, std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                            std::uint64_t device) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes > 0) {
    allocations_.note(AllocatedBy::framework, address, static_cast<std::uint64_t>(bytes));
  } else {
    allocations_.note_free(AllocatedBy::framework, address);
  }
  original_.load(std::memory_order_acquire)(memory, bytes, allocated, reserved, device);
}

void AllocatorHook::install() {
  if (is_installed_) return;
  const std::uint64_t images = image_changes();
  if (images == looked_at_) return;
  looked_at_ = images;
  for (const std::string_view name : report_names) {
    const AllocatorReport report = defined_report(name);
    if (report == nullptr) continue;
    each_image([&](const dl_phdr_info& image) {
      if (image_path(image).find(allocator_library) == std::string::npos) return false;
      is_installed_ = install_in(image, name, report) || is_installed_;
      return true;
    });
  }
}

}  // namespace gpumem::inject
