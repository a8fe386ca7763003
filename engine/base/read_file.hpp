#pragma once
// Small files of the system, which are there or not.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace gpumem {

/// All of a file; empty when it cannot be read.
[[nodiscard]] inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gpumem
