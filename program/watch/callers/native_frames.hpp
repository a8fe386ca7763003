#pragma once
// The native stack of the calling thread: which frames are the program's own, and which operators are in between.

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "program/watch/callers/elf_images.hpp"
#include "program/watch/callers/frame.hpp"
#include "program/watch/callers/python_frames.hpp"
#include "program/watch/options.hpp"

namespace gpumem::inject {

/// The native frames of a call into the driver, up to Python.
struct NativeCalls {
  std::vector<Frame> own;     ///< of the program itself, innermost first
  std::string operation;      ///< the framework's operator, by its symbols: "aten::add.Tensor"; may be empty
  bool from_library = false;  ///< an installed package's code made the call into CUDA
  bool to_python = false;     ///< Python comes next: it called what is in `own`
};

/// Code in memory that one file holds.
struct CodeImage {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t base = 0;
  std::string path;
  bool library = false;
  bool package = false;  ///< installed for Python
  std::uint32_t file_mark = 0;
  bool named = false;               ///< `names` are filled in
  std::vector<ElfName> names = {};  ///< by address
};

/// The program and its libraries, by which native frames are told apart. Any thread may call its functions.
class NativeFrames {
 public:
  NativeFrames(const Options& options, const PythonFrames& python) : options_(options), python_(python) {}

  /// Walks the stack of the calling thread, up to its innermost frame of Python. This takes microseconds. Beyond code
  /// without unwind information it sees no frames.
  [[nodiscard]] NativeCalls calls();

 private:
  void look_at_images();
  [[nodiscard]] CodeImage* image_at(std::uintptr_t address);

  const Options& options_;
  const PythonFrames& python_;
  std::mutex mutex_;               ///< of all that follows, held while nothing is called that waits for others
  std::vector<CodeImage> images_;  ///< by address
  std::uint64_t images_at_ = ~std::uint64_t{0};
};

/// A hash of the stack, as far as NativeFrames::calls() walks it. It costs the walk alone.
[[nodiscard]] std::uint64_t native_stack_hash();

}  // namespace gpumem::inject
