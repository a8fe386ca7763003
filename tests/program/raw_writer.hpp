#pragma once
// Raw files of a run as the injected library would leave them, written by hand.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/measure/counters.hpp"
#include "program/watch/raw_format.hpp"
#include "tests/files.hpp"

namespace gpumem::test {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

inline inject::DeviceEvent h200(std::uint32_t number = 0, std::uint8_t uuid = 7) {
  inject::DeviceEvent device;
  device.device = number;
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
  device.driver_version = 13000;
  std::fill(std::begin(device.uuid), std::end(device.uuid), uuid);
  std::strcpy(device.pci_bus_id, "0000:1b:00.0");
  std::strcpy(device.name, "NVIDIA H200");
  return device;
}

/// Requests of a warp whose lanes are `stride_bytes` apart, of 4-byte words that nobody else touches: all goes to
/// memory. Each touches 128 bytes or, from 32 bytes on, 32 sectors.
inline inject::Site streaming(inject::RawOp op, std::uint64_t requests, std::uint64_t stride_bytes = 4,
                              std::uint64_t pc = 0x50) {
  inject::Site site;
  site.pc = pc;
  site.space = inject::RawSpace::global;
  site.op = op;
  site.word_bytes = 4;
  site.requests = requests;
  site.active_lanes = 32 * requests;
  site.useful_bytes = 128 * requests;
  site.sectors = std::min<std::uint64_t>(stride_bytes, 32) * requests;
  site.least_sectors = 4 * requests;
  site.lines = std::min<std::uint64_t>(32, stride_bytes / 4) * requests;
  site.l2_sectors = site.sectors;
  site.memory_sectors = site.sectors;
  site.used_words = 32 * requests;
  site.l2_requests = site.lines;
  site.shown = 2;
  for (std::uint64_t shown = 0; shown < site.shown; ++shown) {
    site.request[shown].active = ~std::uint32_t{0};
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      site.request[shown].address[lane] = 0x7f00'0000'0000 + (shown * 32 + lane) * stride_bytes;
    }
  }
  return site;
}

struct RawCallerFrame {
  std::string file;
  std::uint32_t line = 0;
  std::string function = {};
  bool library = false;
  std::string module = {};
  inject::FrameLanguage language = inject::FrameLanguage::python;

  [[nodiscard]] std::string bytes() const {
    return bytes_of(inject::CallerFrame{.line = line,
                                        .language = language,
                                        .library = library ? std::uint8_t{1} : std::uint8_t{0},
                                        .file_bytes = static_cast<std::uint32_t>(file.size()),
                                        .function_bytes = static_cast<std::uint32_t>(function.size()),
                                        .module_bytes = static_cast<std::uint32_t>(module.size())}) +
           file + function + module;
  }
};

/// One process's pair of files.
class RawWriter {
 public:
  explicit RawWriter(std::uint32_t process = 100, std::uint32_t parent = 1) {
    std::copy(std::begin(inject::raw_magic), std::end(inject::raw_magic), header.magic);
    header.version = inject::raw_version;
    header.process = process;
    header.parent = parent;
    header.started_ns = std::uint64_t{process} * 1000;
  }

  RawWriter& event(inject::EventKind kind, const std::string& payload) {
    events += bytes_of(inject::EventHeader{kind, static_cast<std::uint32_t>(payload.size())}) + payload;
    events.append((8 - payload.size() % 8) % 8, '\0');
    return *this;
  }
  RawWriter& device(const inject::DeviceEvent& device) { return event(inject::EventKind::device, bytes_of(device)); }
  RawWriter& kernel(std::uint32_t number, const std::string& name, std::uint32_t image = 0) {
    return event(inject::EventKind::kernel,
                 bytes_of(inject::KernelEvent{.kernel = number, .image = image, .registers_per_thread = 32}) + name);
  }
  RawWriter& image(std::uint32_t number, const std::string& elf) {
    return event(inject::EventKind::image, bytes_of(inject::ImageEvent{number, 0}) + elf);
  }
  /// Writes the machine code of the kernel with that number, which has to be in the data.
  RawWriter& code(std::uint32_t kernel, const std::string& instructions, std::uint32_t parameter_offset = 0) {
    return event(inject::EventKind::code, bytes_of(inject::CodeEvent{kernel, parameter_offset}) + instructions);
  }
  /// Writes the counts of a launch of the slot, gathered over `passes` launches.
  RawWriter& counts(std::uint32_t slot, const measure::Counts& counts, std::uint32_t passes = 6) {
    std::string payload = bytes_of(inject::CountsEvent{.slot = slot, .passes = passes});
    for (const measure::CounterField& field : measure::counter_fields()) {
      payload += bytes_of((counts.*field.value).value_or(std::nan("")));
    }
    return event(inject::EventKind::counts, payload);
  }
  RawWriter& problem(const std::string& line, bool fatal = false) {
    return event(inject::EventKind::problem, bytes_of(inject::ProblemEvent{fatal ? 1U : 0U, 0}) + line);
  }
  RawWriter& range(std::uint32_t number, const std::string& name) {
    return event(inject::EventKind::range, bytes_of(inject::RangeEvent{number, 0}) + name);
  }
  /// Writes the caller of a launch of the slot.
  RawWriter& caller(std::uint32_t slot, const std::vector<RawCallerFrame>& frames, const std::string& operation = "",
                    std::uint64_t order = 0) {
    std::string payload =
        bytes_of(inject::CallerEvent{.slot = slot,
                                     .frames = static_cast<std::uint32_t>(frames.size()),
                                     .order = order,
                                     .operator_bytes = static_cast<std::uint32_t>(operation.size())}) +
        operation;
    for (const RawCallerFrame& frame : frames) payload += frame.bytes();
    return event(inject::EventKind::caller, payload);
  }
  /// Writes the array that a site of the slot's first sample touches.
  RawWriter& array(std::uint32_t slot, const inject::Site& site, std::uint64_t bytes,
                   const std::vector<RawCallerFrame>& made_at = {}) {
    std::string payload = bytes_of(inject::ArrayEvent{.slot = slot,
                                                      .frames = static_cast<std::uint32_t>(made_at.size()),
                                                      .pc = site.pc,
                                                      .space = static_cast<std::uint64_t>(site.space),
                                                      .bytes = bytes});
    for (const RawCallerFrame& frame : made_at) payload += frame.bytes();
    return event(inject::EventKind::array, payload);
  }
  RawWriter& sample(std::uint32_t slot, const std::vector<inject::Site>& sites, std::uint32_t lost = 0,
                    const std::string& parameters = "") {
    std::string payload =
        bytes_of(inject::SampleEvent{.slot = slot,
                                     .sites = static_cast<std::uint32_t>(sites.size()),
                                     .lost_sites = lost,
                                     .parameter_bytes = static_cast<std::uint32_t>(parameters.size())});
    for (const inject::Site& site : sites) payload += bytes_of(site);
    return event(inject::EventKind::sample, payload + parameters);
  }
  /// Adds a slot of a kernel with `launches` launches of `each_ns`, all of them timed.
  inject::LaunchSlot& slot(std::uint32_t kernel, std::uint64_t launches, double each_ns, std::uint32_t grid = 1024,
                           std::uint32_t device = 0) {
    inject::LaunchSlot slot;
    slot.kernel = kernel;
    slot.device = device;
    slot.grid[0] = grid;
    slot.grid[1] = slot.grid[2] = 1;
    slot.block[0] = 256;
    slot.block[1] = slot.block[2] = 1;
    slot.launches = launches;
    slot.timed = launches;
    slot.times = static_cast<std::uint32_t>(launches);
    slot.timed_ns = static_cast<std::uint64_t>(each_ns * static_cast<double>(launches));
    std::fill_n(slot.time_ns, std::min<std::uint64_t>(launches, inject::kept_times), static_cast<float>(each_ns));
    slots.push_back(slot);
    return slots.back();
  }

  [[nodiscard]] std::string events_file() const { return bytes_of(header) + events; }
  [[nodiscard]] std::string launches_file() const {
    inject::LaunchTotals all = totals;
    all.slots = slots.size();
    std::string file = bytes_of(header) + bytes_of(all);
    for (const inject::LaunchSlot& slot : slots) file += bytes_of(slot);
    return file;
  }
  void write(const std::filesystem::path& folder) const {
    put(folder / (name() + inject::events_suffix), events_file());
    put(folder / (name() + inject::launches_suffix), launches_file());
  }
  [[nodiscard]] std::string name() const { return std::to_string(header.process) + "-1"; }

  inject::FileHeader header = {};
  inject::LaunchTotals totals = {};
  std::string events;
  std::vector<inject::LaunchSlot> slots;
};

}  // namespace gpumem::test
