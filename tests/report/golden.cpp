#include "tests/report/golden.hpp"

#include <cstdlib>
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::report {

void compare_with_golden(const std::string& name, const std::string& text) {
  compare_with_file(test::source_folder() / "tests/report/golden" / name, text);
}

void compare_with_file(const std::filesystem::path& path, const std::string& text) {
  INFO("golden file " << path);
  CHECK(text == test::content_of(path));
  if (std::getenv("GPUMEM_UPDATE_GOLDEN") != nullptr) test::put(path, text);
}

}  // namespace gpumem::report
