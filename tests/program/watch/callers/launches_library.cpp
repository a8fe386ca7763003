// The injected library's handling of callers and arrays, without a driver: a program that loads this library says
// itself when it launches and allocates.

#include <cstring>
#include <thread>

#include "program/watch/callers/arrays.hpp"
#include "program/watch/output.hpp"
#include "program/watch/watch.hpp"

using namespace gpumem::inject;

#define GPUMEM_EXPORTED extern "C" __attribute__((visibility("default")))

/// Begins the files of the process in the folder.
GPUMEM_EXPORTED int begin(const char* folder) {
  if (!watch().output.open(folder, EngineKind::sites)) return 0;
  DeviceEvent device;
  device.compute_capability_major = 9;
  device.multiprocessors = 132;
  device.memory_bytes = 150109880320;
  device.l2_bytes = 62914560;
  device.memory_clock_hz = 3201000000;
  device.sm_clock_hz = 1980000000;
  device.memory_bus_bits = 6016;
  device.shared_bytes_per_block = 232448;
  device.shared_bytes_per_multiprocessor = 233472;
  device.threads_per_multiprocessor = 2048;
  std::strcpy(device.name, "NVIDIA H200");
  watch().output.write_event(EventKind::device, {part_of(device)});
  watch().output.totals().began_ns = watch().output.totals().ended_ns = now_ns();
  watch().allocator_hook.install();
  return 1;
}

/// A launch of the kernel, whose only load touches that address: it is sampled if it is the kernel's first.
GPUMEM_EXPORTED void launch(const char* kernel, std::uint64_t address) {
  const std::lock_guard lock(watch().mutex);
  const std::uint32_t number = watch().kernels.number_of(kernel, 32, 0);
  Slot* slot = watch().kernels.slot_of(number, {.grid = {1024, 1, 1}, .block = {256, 1, 1}}, 0);
  if (slot == nullptr) return;
  const bool is_first = slot->counts->launches == 0;
  watch().count_launches(*slot, 1, now_ns());
  watch().callers.note(*slot);
  if (!is_first) return;
  add_time(*slot->counts, 1e6, 1);
  Site site;
  site.word_bytes = 4;
  site.shown = 1;
  site.requests = 1 << 20;
  site.active_lanes = site.used_words = 32 * site.requests;
  site.useful_bytes = 128 * site.requests;
  site.sectors = site.l2_sectors = site.memory_sectors = 32 * site.requests;
  site.least_sectors = 4 * site.requests;
  site.lines = site.l2_requests = 32 * site.requests;
  site.request[0].active = ~std::uint32_t{0};
  for (std::uint64_t lane = 0; lane < 32; ++lane) site.request[0].address[lane] = address + lane * 4096;
  const SampleEvent sample{.slot = slot->number, .sites = 1};
  watch().output.write_event(EventKind::sample, {part_of(sample), part_of(site)});
  write_arrays(watch().output, watch().allocations, sample, std::span(&site, 1));
}

/// Memory that the driver gives out to the program.
GPUMEM_EXPORTED void allocate(std::uint64_t address, std::uint64_t bytes) {
  watch().allocations.note(AllocatedBy::driver, address, bytes);
}
GPUMEM_EXPORTED void give_back(std::uint64_t address) { watch().allocations.note_free(AllocatedBy::driver, address); }

// The launches of an operator.
GPUMEM_EXPORTED void launch_operator() { launch("operator", 0x7f0000000000); }
GPUMEM_EXPORTED void launch_backward() { launch("backward", 0x7f0000000000); }
GPUMEM_EXPORTED void launch_backward_in_thread() { launch("backward_in_thread", 0x7f0000000000); }
/// Launches in a thread that Python does not know, through `call`, which calls the function it is given.
GPUMEM_EXPORTED void launch_in_thread(void (*call)(void (*)())) { std::thread(call, launch_backward_in_thread).join(); }
