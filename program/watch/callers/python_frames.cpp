#include "program/watch/callers/python_frames.hpp"

#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "program/watch/callers/elf_images.hpp"
#include "program/watch/callers/python_layout.hpp"
#include "program/watch/callers/python_lines.hpp"
#include "program/watch/callers/python_text.hpp"
#include "program/watch/callers/safe_memory.hpp"

namespace gpumem::inject {

/// The interpreter of this process.
struct Python {
  PythonLayout layout;
  PythonTypes types;
  void* (*thread_state)() = nullptr;  ///< PyGILState_GetThisThreadState: it reads what the thread has, and no more
  int (*is_ending)() = nullptr;       ///< threads' states go while it ends
  std::uintptr_t begin = 0;           ///< of the library that holds it
  std::uintptr_t end = 0;
};

namespace {

template <class Function>
Function function_at(std::uintptr_t address) {
  return reinterpret_cast<Function>(address);  // NOLINT(performance-no-int-to-ptr): as the library has it
}

/// "3.11.7 (main, ...": the number behind the first dot.
unsigned minor_of(const char* version) {
  if (version == nullptr || std::strncmp(version, "3.", 2) != 0) return 0;
  return static_cast<unsigned>(std::strtoul(version + 2, nullptr, 10));
}

std::optional<PythonLayout> layout_of(const DynamicTables& tables) {
  const std::uintptr_t version = tables.find("Py_GetVersion");
  if (version == 0) return std::nullopt;
  const unsigned minor = minor_of(function_at<const char* (*)()>(version)());
  if (const PythonLayout* known = python_layout(minor)) return *known;
  std::uint64_t numbers[debug_offset_numbers] = {};
  const std::uintptr_t runtime = tables.find("_PyRuntime");
  if (minor < 13 || runtime == 0 || !read_safely(runtime, numbers, sizeof(numbers))) return std::nullopt;
  return python_layout(numbers);
}

std::optional<Python> python_in(const dl_phdr_info& image) {
  const DynamicTables tables(image);
  const std::uintptr_t thread_state = tables.find("PyGILState_GetThisThreadState");
  if (thread_state == 0) return std::nullopt;
  const auto layout = layout_of(tables);
  if (!layout) return std::nullopt;
  std::uintptr_t is_ending = tables.find("Py_IsFinalizing");
  if (is_ending == 0) is_ending = tables.find("_Py_IsFinalizing");
  Python python{.layout = *layout,
                .types = {.code = tables.find("PyCode_Type"),
                          .text = tables.find("PyUnicode_Type"),
                          .bytes = tables.find("PyBytes_Type"),
                          .dictionary = tables.find("PyDict_Type")},
                .thread_state = function_at<void* (*)()>(thread_state),
                .is_ending = function_at<int (*)()>(is_ending)};
  if (python.is_ending == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < image.dlpi_phnum; ++i) {
    const auto& segment = image.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    python.begin = image.dlpi_addr + segment.p_vaddr;
    python.end = python.begin + segment.p_memsz;
  }
  return python;
}

struct SafeReader {
  template <class T>
  std::optional<T> read(std::uintptr_t address) const {
    return read_safely<T>(address);
  }
};

/// Reads memory that the thread itself keeps in use.
struct PlainReader {
  template <class T>
  std::optional<T> read(std::uintptr_t address) const {
    if (address == 0) return std::nullopt;
    T value{};
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));  // NOLINT(performance-no-int-to-ptr)
    return value;
  }
};

/// Since 3.11: what stands between two calls of the interpreter by C, and is no frame.
constexpr std::uint8_t first_owner_without_code = 3;
/// Since 3.14 the lowest bits of references say how they are counted.
constexpr std::uintptr_t reference_bits = 7;

template <class Reader>
std::size_t walk(const Python& python, Reader reader, std::uintptr_t thread, std::span<PythonSpot> frames) {
  constexpr std::size_t most_steps = 256;  // over frames that are none, too
  using Address = std::uintptr_t;
  const PythonLayout& layout = python.layout;
  // A state that another thread has put away may still be taken for this thread's, and hold anything by now.
  if (reader.template read<std::uint64_t>(thread + layout.thread_id) != pthread_self()) return 0;
  auto frame = reader.template read<Address>(thread + layout.thread_frame);
  if (frame && layout.holder_frame != PythonLayout::none) {
    frame = reader.template read<Address>(*frame + layout.holder_frame);
  }
  std::size_t count = 0;
  for (std::size_t step = 0; step < most_steps && frame && *frame != 0 && count < frames.size(); ++step) {
    const Address at = *frame;
    frame = reader.template read<Address>(at + layout.frame_previous);
    if (layout.frame_owner != PythonLayout::none) {
      const auto owner = reader.template read<std::uint8_t>(at + layout.frame_owner);
      if (!owner || (layout.minor >= 12 && *owner >= first_owner_without_code)) continue;
    }
    const auto code = reader.template read<Address>(at + layout.frame_code);
    if (!code) break;
    PythonSpot spot{.code = *code & ~reference_bits};
    if (reader.template read<Address>(spot.code + object_type) != python.types.code) continue;
    if (layout.has_instruction_address()) {
      spot.at = reader.template read<std::uint64_t>(at + layout.frame_instruction).value_or(0);
    } else {
      const int number = reader.template read<int>(at + layout.frame_instruction).value_or(-1);
      spot.at = number < 0 ? 0 : static_cast<std::uint64_t>(number);
    }
    spot.globals = reader.template read<Address>(at + layout.frame_globals).value_or(0);
    frames[count++] = spot;
  }
  return count;
}

template <class Reader>
std::optional<PythonCode> code_of(const PythonLayout& layout, Reader reader, std::uintptr_t code) {
  const auto file = reader.template read<std::uintptr_t>(code + layout.code_file);
  const auto name = reader.template read<std::uintptr_t>(code + layout.code_name);
  const auto line = reader.template read<std::uint32_t>(code + layout.code_first_line);
  if (!file || !name || !line) return std::nullopt;
  return PythonCode{.file = *file, .name = *name, .first_line = *line};
}

std::uint32_t line_of(const Python& python, const PythonSpot& spot, std::uint32_t first_line) {
  constexpr std::size_t longest_table = std::size_t{1} << 20U;
  const PythonLayout& layout = python.layout;
  const auto object = read_safely<std::uintptr_t>(spot.code + layout.code_lines);
  if (!object) return 0;
  const auto table = python_bytes(*object, python.types, longest_table);
  if (!table) return 0;
  std::uint64_t instruction = spot.at * layout.instruction_bytes();
  if (layout.has_instruction_address()) {
    const std::uintptr_t begin = spot.code + layout.code_instructions;
    // The one before the first is executed when the function is entered.
    instruction = spot.at < begin ? 0 : spot.at - begin;
  }
  return python_line(layout.lines(), *table, first_line, instruction);
}

}  // namespace

/// The interpreter; null if the program has none so far.
const Python* PythonFrames::interpreter() {
  if (const Python* known = found_.load(std::memory_order_acquire)) return known;
  const std::uint64_t images = image_changes();
  if (looked_at_images_.exchange(images) == images) return nullptr;
  std::optional<Python> found;
  each_image([&](const dl_phdr_info& image) {
    found = python_in(image);
    return found.has_value();
  });
  if (!found) return nullptr;
  found_.store(new Python(*found), std::memory_order_release);  // for ever: any thread may use it
  return found_.load();
}

std::size_t PythonFrames::stack(std::span<PythonSpot> frames) {
  const Python* known = interpreter();
  if (known == nullptr || known->is_ending() != 0) return 0;
  const auto thread = reinterpret_cast<std::uintptr_t>(known->thread_state());
  if (thread == 0) return 0;
  if (frames_were_found_.load(std::memory_order_relaxed)) return walk(*known, PlainReader{}, thread, frames);
  const std::size_t count = walk(*known, SafeReader{}, thread, frames);
  if (count > 0 && frame(frames[0])) frames_were_found_ = true;
  return count;
}

std::optional<PythonCode> PythonFrames::code(const PythonSpot& spot) const {
  const Python* known = found_.load(std::memory_order_acquire);
  if (known == nullptr) return std::nullopt;
  return frames_were_found_.load(std::memory_order_relaxed) ? code_of(known->layout, PlainReader{}, spot.code)
                                                            : code_of(known->layout, SafeReader{}, spot.code);
}

std::optional<Frame> PythonFrames::frame(const PythonSpot& spot) const {
  constexpr std::size_t longest_path = 1024;
  constexpr std::size_t longest_function = 200;
  const Python* known = found_.load(std::memory_order_acquire);
  if (known == nullptr) return std::nullopt;
  const auto code = code_of(known->layout, SafeReader{}, spot.code);
  if (!code) return std::nullopt;
  const auto text = [&](std::uintptr_t object, std::size_t most) {
    return python_text(object, known->types, known->layout, most);
  };
  const auto file = text(code->file, longest_path);
  if (!file || file->empty()) return std::nullopt;
  Frame frame{.language = FrameLanguage::python,
              .library = false,
              .line = line_of(*known, spot, code->first_line),
              .file = *file,
              .function = text(code->name, longest_function).value_or(""),
              .module = {}};
  const std::uintptr_t module = python_entry(spot.globals, "__name__", known->types, known->layout);
  if (module != 0) frame.module = text(module, longest_function).value_or("");
  frame.library = is_library_source(*file, frame.module);
  return frame;
}

bool PythonFrames::is_code(std::uintptr_t address) const {
  const Python* known = found_.load(std::memory_order_acquire);
  return known != nullptr && address >= known->begin && address < known->end;
}

}  // namespace gpumem::inject
