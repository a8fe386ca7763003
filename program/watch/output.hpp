#pragma once
// The process's pair of files (raw_format.hpp).

#include <cstdint>
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

/// Begins the files of this process. False: not possible, and nothing is written from here on.
bool open_output(const std::string& folder, EngineKind engine);
/// Closes the files; nothing is written from here on. A forked child calls it, because its memory is a copy and the
/// files are its parent's.
void leave_output();

/// Appends an event; one thread at a time does.
void write_event(EventKind kind, std::initializer_list<Part> parts);
/// One line that the user is to read. Each text goes out once.
void write_problem(bool fatal, std::string_view text);

/// The totals in the process's file; a structure that nobody reads if there is no file.
[[nodiscard]] LaunchTotals& totals();
/// A slot that is not in use yet, numbered from 0; null where there is none left.
[[nodiscard]] LaunchSlot* new_slot(std::uint32_t& number);

/// Nanoseconds of the clock that never goes back.
[[nodiscard]] std::uint64_t now_ns();

}  // namespace gpumem::inject
