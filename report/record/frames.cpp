#include "report/record/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Beginnings of functions of libcudart_static, whose own names are scrambled, and of what nvcc and clang make for each
/// kernel: stubs that launch it.
constexpr std::string_view runtime_functions[] = {"libcudart_static_", "cudaApi", "__cuda", "__device_stub__",
                                                  "__wrapper__device_stub_"};
/// Functions of the runtime API that launch and allocate. A program may have its own functions of such names.
constexpr std::string_view interface_functions[] = {"cudaLaunch", "cudaGraph", "cudaMalloc", "cudaHost", "cudaMem"};
/// Functions that call main, or the function of a thread.
constexpr std::string_view start_functions[] = {
    "_start", "__libc_start_main", "__libc_start_call_main", "start_thread", "clone", "clone3"};

template <std::size_t count>
bool begins_with_any(std::string_view text, const std::string_view (&beginnings)[count]) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

}  // namespace

bool is_of_runtime(const FrameRecord& frame) {
  if (frame.language != "native") return false;
  const std::string_view function = frame.function;
  if (begins_with_any(function, runtime_functions)) return true;
  if (std::ranges::find(start_functions, function) != std::end(start_functions)) return true;
  const bool in_header = frame.file.ends_with("/cuda_runtime.h");
  return (in_header || !frame.line) && begins_with_any(function, interface_functions);
}

std::string frame_words(const FrameRecord& frame, const std::string& folder) {
  std::string words = std::filesystem::path(frame.file).filename().string();
  if (!folder.empty()) words.insert(0, folder + "/");
  if (frame.line) words += fmt::format(":{}", *frame.line);
  if (!frame.function.empty() && frame.function != "<module>") words += " in " + frame.function;
  return one_line(words);
}

}  // namespace gpumem::report
