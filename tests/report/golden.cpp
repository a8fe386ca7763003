#include "tests/report/golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/catch.hpp"

namespace gpumem::report {

void compare_with_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(GPUMEM_SOURCE_DIR) / "tests/report/golden" / name;
  if (std::getenv("GPUMEM_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ifstream in(path, std::ios::binary);
  const std::string golden{std::istreambuf_iterator<char>(in), {}};
  INFO("golden file " << path);
  CHECK(text == golden);
}

}  // namespace gpumem::report
