#pragma once
// The Python stack of the calling thread, without Python's help: the interpreter's lock is not taken and nothing of it
// is called that would want it, for a launch is often asked for without it. A thread's own frames do not change while
// it is in our code.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "program/watch/callers/frame.hpp"

namespace gpumem::inject {

/// A frame that is being executed: the code object and what it is at there, which tell a line for as long as the code
/// object lives.
struct PythonSpot {
  std::uintptr_t code = 0;
  std::uint64_t at = 0;        ///< the instruction's address, or its number to 3.10
  std::uintptr_t globals = 0;  ///< the dictionary that knows the module's name

  friend bool operator==(const PythonSpot& left, const PythonSpot& right) {
    return left.code == right.code && left.at == right.at;
  }
};

/// Tells apart code objects that lie at one address at different times: if these values differ, so do the objects.
struct PythonCode {
  std::uintptr_t file = 0;
  std::uintptr_t name = 0;
  std::uint32_t first_line = 0;
  friend bool operator==(const PythonCode&, const PythonCode&) = default;
};

struct Python;

/// The interpreter of this process, and the frames that it executes. Any thread may call its functions, whatever locks
/// it holds.
class PythonFrames {
 public:
  /// Fills in the innermost frames, innermost first, and returns their number. 0 if there is no Python, no frame of
  /// this thread, or a version whose frames are not known.
  [[nodiscard]] std::size_t stack(std::span<PythonSpot> frames);
  /// Once frames were found in the expected places, reading it takes no system call.
  [[nodiscard]] std::optional<PythonCode> code(const PythonSpot& spot) const;
  /// The file, line, function and module of a spot; nullopt if the file cannot be read.
  [[nodiscard]] std::optional<Frame> frame(const PythonSpot& spot) const;
  /// True if the address is in the library that holds the interpreter.
  [[nodiscard]] bool is_code(std::uintptr_t address) const;

 private:
  const Python* interpreter();

  std::atomic<const Python*> found_ = nullptr;
  std::atomic<std::uint64_t> looked_at_images_ = 0;
  std::atomic<bool> frames_were_found_ = false;  ///< in the places of the layout: PlainReader reads from then on
};

}  // namespace gpumem::inject
