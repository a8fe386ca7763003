#include "program/watch/callers/python_layout.hpp"

#include <cstring>

namespace gpumem::inject {

namespace {

constexpr std::uint16_t none = PythonLayout::none;

// offsetof() with the headers of each version: Include/cpython/{pystate,frameobject,code,unicodeobject}.h,
// Include/internal/pycore_frame.h.
constexpr PythonLayout layouts[] = {
    {.minor = 8,
     .thread_frame = 24,
     .thread_id = 176,
     .frame_previous = 24,
     .frame_code = 32,
     .frame_instruction = 104,
     .frame_globals = 48,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_lines = 120,
     .ascii_bytes = 48,
     .compact_bytes = 72},
    {.minor = 9,
     .thread_frame = 24,
     .thread_id = 176,
     .frame_previous = 24,
     .frame_code = 32,
     .frame_instruction = 104,
     .frame_globals = 48,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_lines = 120,
     .ascii_bytes = 48,
     .compact_bytes = 72},
    {.minor = 10,
     .thread_frame = 24,
     .thread_id = 176,
     .frame_previous = 24,
     .frame_code = 32,
     .frame_instruction = 96,
     .frame_globals = 48,
     .code_first_line = 40,
     .code_file = 104,
     .code_name = 112,
     .code_lines = 120,
     .ascii_bytes = 48,
     .compact_bytes = 72},
    {.minor = 11,
     .thread_frame = 56,
     .holder_frame = 8,
     .thread_id = 152,
     .frame_previous = 48,
     .frame_code = 32,
     .frame_instruction = 56,
     .frame_globals = 8,
     .frame_owner = 69,
     .code_first_line = 72,
     .code_file = 112,
     .code_name = 128,
     .code_lines = 136,
     .code_instructions = 184,
     .ascii_bytes = 48,
     .compact_bytes = 72},
    {.minor = 12,
     .thread_frame = 56,
     .holder_frame = 0,
     .thread_id = 136,
     .frame_previous = 8,
     .frame_code = 0,
     .frame_instruction = 56,
     .frame_globals = 24,
     .frame_owner = 70,
     .code_first_line = 68,
     .code_file = 112,
     .code_name = 128,
     .code_lines = 136,
     .code_instructions = 192,
     .ascii_bytes = 40,
     .compact_bytes = 56},
};

/// Reads the numbers group by group, as Include/internal/pycore_debug_offsets.h has them.
class Groups {
 public:
  explicit Groups(std::span<const std::uint64_t> numbers) : left_(numbers) {}

  [[nodiscard]] std::span<const std::uint64_t> next(std::size_t count) {
    if (left_.size() < count) {
      whole_ = false;
      return {};
    }
    const auto group = left_.first(count);
    left_ = left_.subspan(count);
    return group;
  }
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  std::span<const std::uint64_t> left_;
  bool whole_ = true;
};

}  // namespace

const PythonLayout* python_layout(unsigned minor) {
  for (const PythonLayout& layout : layouts) {
    if (layout.minor == minor) return &layout;
  }
  return nullptr;
}

std::optional<PythonLayout> python_layout(std::span<const std::uint64_t> debug_offsets) {
  constexpr char cookie[] = "xdebugpy";
  constexpr std::uint64_t most = 4096;  // of an offset: no structure read here is larger
  Groups groups(debug_offsets);
  const auto head = groups.next(3);  // cookie, version, whether threads are free
  if (head.empty() || std::memcmp(head.data(), cookie, sizeof(std::uint64_t)) != 0) return std::nullopt;
  const auto minor = static_cast<unsigned>(head[1] >> 16U & 0xffU);
  if (head[1] >> 24U != 3 || (minor != 13 && minor != 14)) return std::nullopt;
  if (head[2] != 0) return std::nullopt;  // objects begin with more there
  const bool newer = minor == 14;
  static_cast<void>(groups.next(3));                // runtime_state
  static_cast<void>(groups.next(newer ? 16 : 13));  // interpreter_state
  const auto thread = groups.next(9);
  const auto frame = groups.next(newer ? 8 : 6);
  const auto code = groups.next(newer ? 11 : 10);
  const auto object = groups.next(2);
  static_cast<void>(groups.next(4));                          // type_object
  static_cast<void>(groups.next(newer ? 3 + 3 + 4 : 3 + 3));  // tuple, list and set
  const auto dict = groups.next(3);
  static_cast<void>(groups.next(2 + 3));  // float, long
  const auto bytes = groups.next(3);
  const auto text = groups.next(4);
  if (!groups.whole()) return std::nullopt;
  // These have been the same for years: what has others is not in the order that is read here.
  if (object[0] != object_bytes || object[1] != object_type || bytes[2] != bytes_content || text[1] != text_state ||
      text[2] != text_length || dict[1] != dict_keys) {
    return std::nullopt;
  }
  for (const auto& group : {thread, frame, code, text}) {
    for (const std::uint64_t offset : group) {
      if (offset > most) return std::nullopt;
    }
  }
  const auto at = [](std::uint64_t offset) { return static_cast<std::uint16_t>(offset); };
  constexpr std::uint64_t pointer = 8;
  return PythonLayout{.minor = static_cast<std::uint16_t>(minor),
                      .thread_frame = at(thread[4]),
                      .holder_frame = none,
                      .thread_id = at(thread[5]),
                      .frame_previous = at(frame[1]),
                      .frame_code = at(frame[2]),
                      .frame_instruction = at(frame[3]),
                      .frame_globals = at(frame[1] + 2 * pointer),  // previous, f_funcobj, f_globals
                      .frame_owner = at(frame[5]),
                      .code_first_line = at(code[5]),
                      .code_file = at(code[1]),
                      .code_name = at(code[3]),
                      .code_lines = at(code[4]),
                      .code_instructions = at(code[9]),
                      .ascii_bytes = at(text[3]),
                      .compact_bytes = at(text[3] + 2 * pointer)};
}

}  // namespace gpumem::inject
