#include "engine/measure/kernel_name.hpp"

#include "engine/base/demangle.hpp"

namespace gpumem::measure::detail {

std::string name_in_tag(const char* mangled_tag) {
  // "gpumem::measure::detail::KernelTag<&(void f<int>(int*))>": what stands between the parentheses.
  const std::string tag = demangled(mangled_tag);
  const auto begin = tag.find("<&");
  if (begin == std::string::npos || tag.size() < begin + 4) return tag;
  std::string name = tag.substr(begin + 2, tag.size() - begin - 3);
  if (name.starts_with('(') && name.ends_with(')')) name = name.substr(1, name.size() - 2);
  return name;
}

}  // namespace gpumem::measure::detail
