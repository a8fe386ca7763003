#pragma once

#include <string>
#include <typeinfo>

namespace gpumem::measure {

namespace detail {
template <auto kernel>
struct KernelTag {};
[[nodiscard]] std::string name_in_tag(const char* mangled_tag);
}  // namespace detail

/// A kernel's demangled signature exactly as its entry in PTX or SASS demangles: "void gpumem::global::copy<...>(...)".
/// It is read off a type that has the kernel as template argument, because the runtime can only name loaded kernels.
template <auto kernel>
[[nodiscard]] std::string kernel_name() {
  return detail::name_in_tag(typeid(detail::KernelTag<kernel>).name());
}

}  // namespace gpumem::measure
