#include "program/watch/callers/native_frames.hpp"

#include <sys/stat.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <span>

#include "program/watch/callers/operators.hpp"

namespace gpumem::inject {

namespace {

constexpr std::size_t most_addresses = 96;

struct Walk {
  std::span<std::uintptr_t> addresses;
  std::size_t count = 0;
  std::uintptr_t last_frame = 0;
};

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  int is_exact = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
  const std::uintptr_t frame = _Unwind_GetCFA(context);
  // A stack that does not go on outwards is misread.
  if (address == 0 || frame < walk.last_frame || walk.count == walk.addresses.size()) return _URC_END_OF_STACK;
  walk.last_frame = frame;
  walk.addresses[walk.count++] = is_exact != 0 ? address : address - 1;  // within the call, not behind it
  return _URC_NO_REASON;
}

std::size_t addresses_of_stack(std::span<std::uintptr_t> addresses) {
  Walk walk{.addresses = addresses};
  _Unwind_Backtrace(on_frame, &walk);
  return walk.count;
}

/// True for the libraries that report launches to us, which may have any name. They call us from within the program's
/// call.
bool calls_back(std::string_view path, const Options& options) {
  return path == options.sanitizer || path == options.cupti;
}

/// Reads the names of an image. It is on the stack, and so stays where it is.
void read_names(CodeImage& code) {
  code.named = true;
  each_image([&](const dl_phdr_info& image) {
    if (image.dlpi_addr != code.base) return false;
    DynamicTables(image).each_symbol([&](const ElfName& name) {
      if (name.address >= code.begin && name.address < code.end) code.names.push_back(name);
    });
    return true;
  });
  std::ranges::sort(code.names, {}, &ElfName::address);
}

/// The name of the symbol that the image exports there; empty if there is none.
std::string_view name_at(CodeImage& code, std::uintptr_t address) {
  if (!code.named) read_names(code);
  const auto after = std::ranges::upper_bound(code.names, address, {}, &ElfName::address);
  if (after == code.names.begin()) return {};
  const ElfName& name = *std::prev(after);
  return address - name.address < name.bytes ? name.name : std::string_view();
}

/// True for the library that holds PyTorch's operators, which is by far the largest. Other packages' names are not
/// looked at.
bool has_operators(const CodeImage& code) { return code.path.find("/libtorch") != std::string::npos; }

std::uintptr_t address_of_this_library() { return reinterpret_cast<std::uintptr_t>(&addresses_of_stack); }

}  // namespace

void NativeFrames::look_at_images() {
  const std::uint64_t changes = image_changes();
  if (changes == images_at_) return;
  images_at_ = changes;
  images_.clear();
  each_image([this](const dl_phdr_info& image) {
    CodeImage code{.base = image.dlpi_addr, .path = image_path(image)};
    code.library = is_library_code(code.path) || calls_back(code.path, options_);
    code.package = is_of_package(code.path);
    struct stat status {};
    if (!code.library && stat(code.path.c_str(), &status) == 0) {
      code.file_mark = mark_of(status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    }
    for (std::size_t i = 0; i < image.dlpi_phnum; ++i) {
      const auto& segment = image.dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
      code.begin = image.dlpi_addr + segment.p_vaddr;
      code.end = code.begin + segment.p_memsz;
      images_.push_back(code);
    }
    return false;
  });
  std::ranges::sort(images_, {}, &CodeImage::begin);
}

CodeImage* NativeFrames::image_at(std::uintptr_t address) {
  const auto after = std::ranges::upper_bound(images_, address, {}, &CodeImage::begin);
  if (after == images_.begin() || address >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

NativeCalls NativeFrames::calls() {
  std::array<std::uintptr_t, most_addresses> addresses;
  const std::size_t count = addresses_of_stack(addresses);
  NativeCalls found;
  std::string backward_step;
  bool caller_known = false;
  const std::lock_guard lock(mutex_);
  look_at_images();
  const CodeImage* self = image_at(address_of_this_library());
  for (std::size_t i = 0; i < count; ++i) {
    if (python_.is_code(addresses[i])) {
      found.to_python = true;
      break;
    }
    CodeImage* code = image_at(addresses[i]);
    if (code == nullptr || code == self) continue;
    if (!caller_known && (code->package || !code->library)) {
      caller_known = true;
      found.from_library = code->package;
    }
    if (!code->library && found.own.size() < most_caller_frames) {
      found.own.push_back({.language = FrameLanguage::native,
                           .address = addresses[i] - code->base,
                           .file_mark = code->file_mark,
                           .file = code->path,
                           .function = std::string(name_at(*code, addresses[i])),
                           .module = {}});
    }
    if (!has_operators(*code) || !found.own.empty()) continue;
    const std::string_view name = name_at(*code, addresses[i]);
    // Operators call other operators: the program asked for the outermost one. In a backward pass it asked for the
    // pass: operators further out than the pass's step are ignored.
    if (auto operation = operator_of(name); operation && backward_step.empty()) found.operation = *operation;
    if (auto step = backward_step_of(name); step && backward_step.empty()) backward_step = *step;
  }
  if (!backward_step.empty()) {
    found.operation += found.operation.empty() ? backward_step : " (" + backward_step + ")";
  }
  return found;
}

std::uint64_t native_stack_hash() {
  std::array<std::uintptr_t, most_addresses> addresses;
  const std::size_t count = addresses_of_stack(addresses);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ addresses[i]) * 0x9e3779b97f4a7c15 + (hash >> 29U);
  return hash;
}

}  // namespace gpumem::inject
