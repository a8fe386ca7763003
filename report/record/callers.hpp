#pragma once
// The origin of a kernel in a user's program: the functions that launched it, and the array that it accesses.

#include <cstdint>
#include <optional>
#include <string>

namespace gpumem::report {

/// A function on the call stack of a launch.
struct FrameRecord {
  std::string file;
  std::optional<std::uint64_t> line;
  std::string function;
  std::optional<std::string> module;  ///< the library or the Python module that it is in
  std::string language;               ///< "python" or "native"
  bool library = false;               ///< somebody else's code, not the user's own
};

/// The array that a site accesses most.
struct ArrayRecord {
  std::uint64_t bytes = 0;
  std::optional<std::string> made_at;  ///< "model.py:12 in load"
};

template <class Archive>
void fields(Archive& archive, FrameRecord& frame) {
  archive("file", frame.file);
  archive("line", frame.line);
  archive("function", frame.function);
  archive("module", frame.module);
  archive("language", frame.language);
  archive("library", frame.library);
}

template <class Archive>
void fields(Archive& archive, ArrayRecord& array) {
  archive("bytes", array.bytes);
  archive("made_at", array.made_at);
}

}  // namespace gpumem::report
