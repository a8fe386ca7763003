#pragma once
// The process's pair of files (raw_format.hpp).

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// Bytes of one part of an event.
using Part = std::span<const std::byte>;

template <class Structure>
[[nodiscard]] Part part_of(const Structure& structure) {
  return std::as_bytes(std::span(&structure, 1));
}
[[nodiscard]] inline Part part_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// The process's files. They are never closed at its end, because callbacks of the driver come after exit handlers.
class Output {
 public:
  /// Begins the files of this process. False: not possible, and nothing is written from here on.
  bool open(const std::string& folder, EngineKind engine);
  /// Closes the files; nothing is written from here on. A forked child calls it, because its memory is a copy and the
  /// files are its parent's.
  void leave();

  /// Appends an event. Any thread.
  void write_event(EventKind kind, std::initializer_list<Part> parts);
  /// One line that the user is to read. Each text goes out once. Any thread.
  void write_problem(bool fatal, std::string_view text);

  /// The totals in the process's file; a structure that nobody reads if there is no file.
  [[nodiscard]] LaunchTotals& totals() { return *totals_; }
  /// A slot that is not in use yet, numbered from 0; null where there is none left. One thread at a time calls it.
  [[nodiscard]] LaunchSlot* new_slot(std::uint32_t& number);

 private:
  [[nodiscard]] bool make_room(std::size_t bytes) const;
  bool map_launches(const FileHeader& header);
  void write_command();

  std::mutex writing_;  ///< of the file of events
  int events_ = -1;

  int launches_ = -1;
  LaunchTotals nobodys_totals_{};
  LaunchTotals* totals_ = &nobodys_totals_;
  LaunchSlot* slots_ = nullptr;
  std::uint64_t slots_with_room_ = 0;

  std::mutex problems_mutex_;
  std::set<std::string, std::less<>> problems_;  ///< that were written
};

/// Nanoseconds of the clock that never goes back.
[[nodiscard]] std::uint64_t now_ns();
/// The same by the system's last tick, some milliseconds ago at most. It takes a fraction of the time.
[[nodiscard]] std::uint64_t tick_ns();

}  // namespace gpumem::inject
