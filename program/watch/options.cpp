#include "program/watch/options.hpp"

#include <cstdlib>

#include "program/watch/environment.hpp"

namespace gpumem::inject {

namespace {

std::string text_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const std::string text = text_of(variable);
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

}  // namespace

bool Options::wants_kernel(const char* name) const { return !has_kernel || regexec(&kernel, name, 0, nullptr, 0) == 0; }

Options read_options() {
  Options options;
  options.folder = text_of(folder_variable);
  options.sanitizer = text_of(sanitizer_variable);
  options.cupti = text_of(cupti_variable);
  options.engine = text_of(engine_variable) == counters_engine_name ? EngineKind::counters : EngineKind::sites;
  options.replay = number_of(replay_variable, 0) != 0;
  options.each_shape = !text_of(launches_variable).empty();
  options.launches = number_of(launches_variable, options.launches);
  options.skip_first = number_of(skip_first_variable, options.skip_first);
  options.device = text_of(device_variable);
  options.stays = !text_of(stay_variable).empty();
  if (const std::string share = text_of(overhead_variable); !share.empty()) {
    options.max_overhead = std::strtod(share.c_str(), nullptr);
  }
  if (const std::string kernel = text_of(kernel_variable); !kernel.empty()) {
    options.has_kernel = regcomp(&options.kernel, kernel.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
  }
  return options;
}

}  // namespace gpumem::inject
