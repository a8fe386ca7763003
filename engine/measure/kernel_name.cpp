#include "engine/measure/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace gpumem::measure {

std::string demangle(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? name.get() : mangled;
}

namespace detail {

std::string name_in_tag(const char* mangled_tag) {
  // "gpumem::measure::detail::KernelTag<&(void f<int>(int*))>": what stands between the parentheses.
  const std::string tag = demangle(mangled_tag);
  const auto begin = tag.find("<&");
  if (begin == std::string::npos || tag.size() < begin + 4) return tag;
  std::string name = tag.substr(begin + 2, tag.size() - begin - 3);
  if (name.starts_with('(') && name.ends_with(')')) name = name.substr(1, name.size() - 2);
  return name;
}

}  // namespace detail

}  // namespace gpumem::measure
