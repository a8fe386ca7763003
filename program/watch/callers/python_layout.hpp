#pragma once
// The layout of CPython's frames, by version: offsets in bytes from the beginning of each structure.

#include <cstdint>
#include <optional>
#include <span>

namespace gpumem::inject {

/// The table in which a code object notes the lines of its instructions.
enum class PythonLines : std::uint8_t {
  increments,  ///< co_lnotab, to 3.9
  ranges,      ///< co_linetable of 3.10
  locations    ///< co_linetable since 3.11
};

struct PythonLayout {
  static constexpr std::uint16_t none = 0xffff;

  std::uint16_t minor = 0;  ///< of version 3
  // PyThreadState: the frame, or what has the frame at `holder_frame`
  std::uint16_t thread_frame = 0;
  std::uint16_t holder_frame = none;
  std::uint16_t thread_id = 0;
  // PyFrameObject, since 3.11 _PyInterpreterFrame
  std::uint16_t frame_previous = 0;
  std::uint16_t frame_code = 0;
  std::uint16_t frame_instruction = 0;  ///< an int to 3.10, then an address
  std::uint16_t frame_globals = 0;
  std::uint16_t frame_owner = none;
  // PyCodeObject
  std::uint16_t code_first_line = 0;
  std::uint16_t code_file = 0;
  std::uint16_t code_name = 0;  ///< co_qualname where there is one
  std::uint16_t code_lines = 0;
  std::uint16_t code_instructions = none;
  // PyASCIIObject, PyCompactUnicodeObject: what lies before the characters
  std::uint16_t ascii_bytes = 0;
  std::uint16_t compact_bytes = 0;

  [[nodiscard]] PythonLines lines() const {
    return minor <= 9 ? PythonLines::increments : minor == 10 ? PythonLines::ranges : PythonLines::locations;
  }
  [[nodiscard]] bool has_instruction_address() const { return minor >= 11; }
  /// Unit in which an instruction's number counts.
  [[nodiscard]] unsigned instruction_bytes() const { return minor <= 9 ? 1 : 2; }
};

// The same in all versions here (64 bits): PyObject, PyVarObject, PyBytesObject, PyASCIIObject, PyDictObject.
inline constexpr std::uint16_t object_type = 8;
inline constexpr std::uint16_t object_bytes = 16;
inline constexpr std::uint16_t bytes_content = 32;
inline constexpr std::uint16_t text_length = 16;
inline constexpr std::uint16_t text_state = 32;
inline constexpr std::uint16_t dict_keys = 32;

/// The layout of version 3.`minor`, for 3.8 to 3.12; null for other versions.
[[nodiscard]] const PythonLayout* python_layout(unsigned minor);
/// The layout of version 3.13 or 3.14, from the numbers at the beginning of its _PyRuntime (_Py_DebugOffsets); nullopt
/// if they are others.
[[nodiscard]] std::optional<PythonLayout> python_layout(std::span<const std::uint64_t> debug_offsets);
/// Number of 8-byte words at the beginning of _PyRuntime that have all that python_layout() asks for.
inline constexpr std::size_t debug_offset_numbers = 96;

}  // namespace gpumem::inject
