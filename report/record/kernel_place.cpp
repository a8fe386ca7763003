#include "report/record/kernel_place.hpp"

#include <fmt/format.h>

#include <vector>

#include "report/record/kernels.hpp"
#include "report/text/kernel_names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

std::string text_of(const Record& kernel, const char* parameter) {
  const Parameter* found = find_parameter(kernel, parameter);
  return found == nullptr ? "" : one_line(gpumem::to_string(found->value));
}

namespace {

std::string name_of(const Record& kernel) { return text_of(kernel, kernel_parameter); }
std::string device_of(const Record& kernel) { return text_of(kernel, device_parameter); }
std::string shape_of(const Record& kernel) {
  return fmt::format("<<<{}, {}>>>", text_of(kernel, grid_parameter), text_of(kernel, block_threads_parameter));
}

}  // namespace

KernelLaunches::KernelLaunches(const Cases& kernels) {
  for (const Record* kernel : kernels) {
    Several& own = by_name_[name_of(*kernel)];
    own.shapes.insert(shape_of(*kernel));
    own.devices.insert(device_of(*kernel));
  }
}

std::string KernelLaunches::words(const Record& kernel) const {
  const Several& own = by_name_.at(name_of(kernel));
  return (own.shapes.size() > 1 ? " " + shape_of(kernel) : "") +
         (own.devices.size() > 1 ? " on GPU " + device_of(kernel) : "");
}

KernelPlaces::KernelPlaces(const Cases& kernels, std::size_t longest_name) : launches_(kernels) {
  std::vector<std::string> names;
  for (const Record* kernel : kernels) names.push_back(name_of(*kernel));
  const std::vector<std::string> shortened = short_kernel_names(names, longest_name);
  for (std::size_t i = 0; i < names.size(); ++i) short_names_.emplace(names[i], shortened[i]);
}

std::string KernelPlaces::words(const Record& kernel) const {
  return short_names_.at(name_of(kernel)) + launches_.words(kernel);
}

}  // namespace gpumem::report
