#include "engine/base/user_folders.hpp"

#include <cstdlib>

namespace gpumem {

namespace {

std::filesystem::path absolute_path_in(const char* variable) {
  const char* const value = std::getenv(variable);
  const std::filesystem::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::filesystem::path user_folder(const char* variable, const char* in_home) {
  if (const std::filesystem::path folder = absolute_path_in(variable); !folder.empty()) return folder / "gpumem";
  const std::filesystem::path home = absolute_path_in("HOME");
  return home.empty() ? home : home / in_home / "gpumem";
}

}  // namespace gpumem
