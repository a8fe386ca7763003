#include "tests/report/golden.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::report {

namespace {

std::filesystem::path golden_file(const std::string& name) {
  return test::source_folder() / "tests/report/golden" / name;
}

bool rewrites() { return std::getenv("GPUMEM_UPDATE_GOLDEN") != nullptr; }

}  // namespace

void compare_with_golden(const std::string& name, const std::string& text) {
  compare_with_file(golden_file(name), text);
}

void compare_with_file(const std::filesystem::path& path, const std::string& text) {
  INFO("golden file " << path);
  CHECK(text == test::content_of(path));
  if (rewrites()) test::put(path, text);
}

Sentences::~Sentences() {
  const auto path = golden_file(file_);
  const std::string heading = "## " + std::string(Catch::getResultCapture().getCurrentTestName()) + "\n";
  const std::string all = std::filesystem::exists(path) ? test::content_of(path) : "";
  const std::size_t section = all.find(heading);
  const std::size_t begin = section == std::string::npos ? all.size() : section + heading.size();
  const std::size_t end = std::min(all.find("\n## ", begin), all.size());
  const std::string told = told_.empty() ? "" : told_.substr(0, told_.size() - 1);
  std::string written = all.substr(begin, end - begin);
  if (written.ends_with('\n') && end == all.size()) written.pop_back();
  {
    INFO("golden file " << path << ", " << heading);
    CHECK(told == written);
  }
  if (!rewrites() || told == written) return;
  const std::string before = section == std::string::npos ? all + heading : all.substr(0, begin);
  const std::string behind = end == all.size() ? "\n" : all.substr(end);
  test::put(path, before + told + behind);
}

}  // namespace gpumem::report
