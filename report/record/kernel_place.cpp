#include "report/record/kernel_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/record/kernels.hpp"
#include "report/text/kernel_names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

std::string text_of(const Record& record, const char* parameter) {
  const Parameter* found = find_parameter(record, parameter);
  return found == nullptr ? "" : one_line(gpumem::to_string(found->value));
}

}  // namespace

std::string launch_words(const Record& record, const Cases& others) {
  const auto another = [&](const char* parameter) {
    return std::ranges::any_of(others, [&](const Record* other) {
      return text_of(*other, kernel_parameter) == text_of(record, kernel_parameter) &&
             text_of(*other, parameter) != text_of(record, parameter);
    });
  };
  std::string text;
  if (another(grid_parameter) || another(block_threads_parameter)) {
    text = fmt::format(" <<<{}, {}>>>", text_of(record, grid_parameter), text_of(record, block_threads_parameter));
  }
  if (another(device_parameter)) text += " on GPU " + text_of(record, device_parameter);
  return text;
}

std::string kernel_place(const Record& record, const Cases& others) {
  constexpr std::size_t longest_name = 48;
  std::vector<std::string> names = {text_of(record, kernel_parameter)};
  for (const Record* other : others) names.push_back(text_of(*other, kernel_parameter));
  return short_kernel_names(names, longest_name).front() + launch_words(record, others);
}

}  // namespace gpumem::report
