// Ranges marked with NVTX. The program's copy of NVTX (a header, or libnvToolsExt) loads the library that
// NVTX_INJECTION64_PATH names when it is first used, in processes without a GPU as well. It asks the library which of
// NVTX's calls to redirect. Several copies in a process ask one after another.
//
// Only the part of the interface (nvtx3/nvToolsExt.h, nvtxTypes.h) that is used is declared here, because not every
// toolkit has it.

#include <cstddef>
#include <cstdint>

#include "program/watch/ranges.hpp"

namespace gpumem::inject {

namespace {

using Function = void (*)();

struct ExportedCallbacks {
  std::size_t struct_size;
  /// Gives a place for each function of a module, into which its replacement is to be written; a place may be null.
  int (*module_functions)(std::uint32_t module, Function*** places, unsigned* count);
};
constexpr std::uint32_t exported_callbacks = 1;  // NVTX_ETID_CALLBACKS
using GetExported = const void* (*)(std::uint32_t);

struct EventAttributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const void* message;
};
enum MessageType : std::int32_t { narrow = 1, wide = 2, registered = 3 };

/// Push and pop return this without a tool. The program must not notice that it is watched.
constexpr int no_depth = -2;  // NVTX_NO_PUSH_POP_TRACKING

const Range* marked_range(Domain domain, const EventAttributes* attributes) {
  if (attributes == nullptr || attributes->size < sizeof(EventAttributes)) return nullptr;
  switch (attributes->message_type) {
    case narrow:
      return process_ranges().range_of(domain, name_of(static_cast<const char*>(attributes->message)));
    case wide:
      return process_ranges().range_of(domain, name_of(static_cast<const wchar_t*>(attributes->message)));
    case registered:
      return static_cast<const Range*>(attributes->message);
    default:
      return nullptr;
  }
}

int push_in_domain(Domain domain, const EventAttributes* attributes) {
  process_ranges().open(domain, marked_range(domain, attributes));
  return no_depth;
}
int push(const EventAttributes* attributes) { return push_in_domain(nullptr, attributes); }
template <class Character>
int push_text(const Character* text) {
  process_ranges().open(nullptr, process_ranges().range_of(nullptr, name_of(text)));
  return no_depth;
}
int pop_in_domain(Domain domain) {
  process_ranges().close(domain);
  return no_depth;
}
int pop() { return pop_in_domain(nullptr); }

// The program's handles are the pointers that these return. Registered strings and domains are never freed, because
// others may have the same name.
template <class Character>
const Range* register_string(Domain domain, const Character* text) {
  return process_ranges().range_of(domain, name_of(text));
}
template <class Character>
Domain create_domain(const Character* name) {
  return process_ranges().domain_of(name_of(name));
}

/// A call of NVTX by its module and number there, and the function that is to be called in its place.
struct Callback {
  std::uint32_t module;
  unsigned number;
  Function function;
};

template <class T>
Function generic(T* function) {
  return reinterpret_cast<Function>(function);
}

constexpr std::uint32_t core = 1;   // NVTX_CB_MODULE_CORE
constexpr std::uint32_t core2 = 5;  // NVTX_CB_MODULE_CORE2

}  // namespace

}  // namespace gpumem::inject

/// Returns 0 if the callbacks cannot be had; NVTX then does without us.
extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(  // NOLINT(readability-identifier-naming)
    gpumem::inject::GetExported get_exported) {
  using namespace gpumem::inject;
  const Callback callbacks[] = {
      {core, 8, generic(push)},
      {core, 9, generic(push_text<char>)},
      {core, 10, generic(push_text<wchar_t>)},
      {core, 11, generic(pop)},
      {core2, 4, generic(push_in_domain)},
      {core2, 5, generic(pop_in_domain)},
      {core2, 10, generic(register_string<char>)},
      {core2, 11, generic(register_string<wchar_t>)},
      {core2, 12, generic(create_domain<char>)},
      {core2, 13, generic(create_domain<wchar_t>)},
  };
  const auto* const exported = static_cast<const ExportedCallbacks*>(get_exported(exported_callbacks));
  if (exported == nullptr || exported->struct_size < sizeof(ExportedCallbacks)) return 0;
  for (const auto& [module, number, function] : callbacks) {
    Function** places = nullptr;
    unsigned count = 0;
    if (exported->module_functions(module, &places, &count) == 0 || number >= count) continue;
    if (places[number] != nullptr) *places[number] = function;
  }
  return 1;
}
