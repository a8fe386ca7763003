#include "program/watch/callers/frame.hpp"

#include <algorithm>
#include <cstdlib>

namespace gpumem::inject {

namespace {

template <std::size_t count>
bool has_any(std::string_view text, const std::string_view (&parts)[count]) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

template <std::size_t count>
bool begins_with_any(std::string_view text, const std::string_view (&beginnings)[count]) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

constexpr std::string_view package_folders[] = {"/site-packages/", "/dist-packages/"};
constexpr std::string_view python_folders[] = {"/lib/python3", "/lib64/python3", "/torchinductor_", "/.triton/"};
// Names in angle brackets are no files. A command (-c), a notebook and the prompt have such names too, but they are the
// user's.
constexpr std::string_view generated_sources[] = {"<frozen ", "<eval_with_key>", "<decorator-gen", "<__", "<torch"};

constexpr std::string_view system_folders[] = {"/lib/",      "/lib64/",          "/usr/lib/",       "/usr/lib64/",
                                               "/usr/bin/",  "/usr/local/cuda",  "/usr/local/lib/", "/opt/nvidia/",
                                               "linux-vdso", "/usr/local/nvidia"};
constexpr std::string_view system_files[] = {"/libcuda.so",   "/libcudart.so",
                                             "/libcudart-",   "/libsanitizer-public.so",
                                             "/libcupti.so",  "/libgpumem_inject.so",
                                             "/libpython3",   "/libnv",
                                             "/libstdc++.so", "/libgcc_s.so",
                                             "/libc.so",      "/libffi.so",
                                             "/libtorch",     "/libc10",
                                             "/libcublas",    "/libcudnn",
                                             "/libcufft",     "/libcusparse",
                                             "/libcusolver",  "/libcurand",
                                             "/libnccl",      "/libgomp"};

}  // namespace

namespace {

/// Folders of generated code that the user has put elsewhere.
bool is_in_cache(std::string_view file) {
  for (const char* variable : {"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && *folder != '\0' && file.starts_with(folder)) return true;
  }
  return false;
}

}  // namespace

bool is_library_source(std::string_view file, std::string_view module) {
  // In __main__, "<string>" is a command (-c) of the user. Elsewhere it is text that other code runs, and belongs to no
  // module.
  if (file == "<string>" && module != "__main__") return true;
  return is_in_cache(file) || has_any(file, package_folders) || has_any(file, python_folders) ||
         begins_with_any(file, generated_sources);
}

bool is_library_code(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return path.empty() || has_any(path, package_folders) || has_any(path, python_folders) ||
         begins_with_any(path, system_folders) || has_any(path, system_files) || file.starts_with("python");
}

bool is_of_package(std::string_view path) { return has_any(path, package_folders); }

void append_frame(std::vector<std::byte>& bytes, const Frame& frame) {
  const auto append = [&](const void* data, std::size_t count) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), begin, begin + count);
  };
  const CallerFrame raw{.line = frame.line,
                        .language = frame.language,
                        .library = frame.library ? std::uint8_t{1} : std::uint8_t{0},
                        .file_bytes = static_cast<std::uint32_t>(frame.file.size()),
                        .function_bytes = static_cast<std::uint32_t>(frame.function.size()),
                        .module_bytes = static_cast<std::uint32_t>(frame.module.size()),
                        .file_mark = frame.file_mark,
                        .address = frame.address};
  append(&raw, sizeof(raw));
  for (const std::string* text : {&frame.file, &frame.function, &frame.module}) append(text->data(), text->size());
}

}  // namespace gpumem::inject
