#pragma once
// The GPUs that the program uses.

#include <cstdint>
#include <map>
#include <string>

#include "program/watch/output.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// The devices that were seen. One thread at a time calls its functions.
class Devices {
 public:
  explicit Devices(Output& output) : output_(output) {}

  /// Returns the device of the current context. Writes its event when it is first seen.
  [[nodiscard]] std::uint32_t current();
  /// Writes the event of the device, unless it was written before.
  void note(std::uint32_t device);
  [[nodiscard]] const DeviceEvent& event(std::uint32_t device) const { return seen_.at(device); }
  /// True if `wanted`, the value of --device, means the device: its number, the end of its PCI bus ID, or the beginning
  /// of its UUID. An empty value means all.
  [[nodiscard]] bool is_wanted(std::uint32_t device, const std::string& wanted) const;

 private:
  Output& output_;
  std::map<std::uint32_t, DeviceEvent> seen_;
};

}  // namespace gpumem::inject
