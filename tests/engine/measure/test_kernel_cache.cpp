#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/measure/kernel_cache.hpp"
#include "tests/catch.hpp"
#include "tests/environment.hpp"
#include "tests/files.hpp"

namespace gpumem::measure::test_kernel_cache {
namespace {

namespace fs = std::filesystem;

const KernelSource source{.text = "text", .headers = {{"name", "content"}}, .kernels = {"first", "second"}};
const CompiledKernels kernels{.cubin = std::string("\x7f"
                                                   "ELF\0\n\xff machine code",
                                                   19),
                              .names = {"_Z5first", "", "_Z6second"}};

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("kernel cache: a key for everything that decides the machine code", "[kernel_cache]") {
  const std::string key = kernel_key(source, 90, "13.0");
  CHECK(key.size() == 32);
  CHECK(key.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(kernel_key(source, 90, "13.0") == key);
  CHECK(kernel_key(source, 80, "13.0") != key);
  CHECK(kernel_key(source, 90, "12.9") != key);

  std::vector<KernelSource> others(6, source);
  others[0].text = "other";
  others[1].headers[0].name = "other";
  others[2].headers[0].text = "other";
  others[3].headers.clear();
  others[4].kernels.pop_back();
  others[5].kernels = {"firstsecond"};
  for (const KernelSource& other : others) CHECK(kernel_key(other, 90, "13.0") != key);
}

TEST_CASE("kernel cache: gives back what was put there", "[kernel_cache]") {
  const test::TemporaryDirectory directory;
  const fs::path folder = directory / "a/b";
  const std::string key = kernel_key(source, 90, "13.0");
  CHECK_FALSE(cached_kernels(folder, key));
  cache_kernels(folder, key, kernels);
  const auto found = cached_kernels(folder, key);
  REQUIRE(found);
  CHECK(found->cubin == kernels.cubin);
  CHECK(found->names == kernels.names);
  CHECK(files_in(folder) == 1);
  CHECK_FALSE(cached_kernels(folder, kernel_key(source, 80, "13.0")));
}

TEST_CASE("kernel cache: what is damaged is not there, and is replaced", "[kernel_cache]") {
  const test::TemporaryDirectory directory;
  const fs::path folder = directory / "kernels";
  const std::string key = kernel_key(source, 90, "13.0");
  cache_kernels(folder, key, kernels);
  const std::string whole = test::content_of(folder / key);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    INFO("byte " << i);
    test::put(folder / key, whole.substr(0, i));
    CHECK_FALSE(cached_kernels(folder, key));
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    test::put(folder / key, damaged);
    CHECK_FALSE(cached_kernels(folder, key));
  }
  test::put(folder / key, whole + "x");
  CHECK_FALSE(cached_kernels(folder, key));
  const std::string other = kernel_key(source, 80, "13.0");
  test::put(folder / other, whole);  // under another's name
  CHECK_FALSE(cached_kernels(folder, other));
  cache_kernels(folder, key, kernels);
  CHECK(test::content_of(folder / key) == whole);
}

TEST_CASE("kernel cache: no folder, no file, no error", "[kernel_cache]") {
  const std::string key = kernel_key(source, 90, "13.0");
  CHECK_NOTHROW(cache_kernels("", key, kernels));
  CHECK_FALSE(cached_kernels("", key));
  const test::TemporaryDirectory directory;
  test::put(directory / "file", "");
  CHECK_NOTHROW(cache_kernels(directory / "file/kernels", key, kernels));
  CHECK_FALSE(cached_kernels(directory / "file/kernels", key));
  fs::create_directories(directory / key);  // in the file's place
  CHECK_NOTHROW(cache_kernels(directory.path(), key, kernels));
  CHECK_FALSE(cached_kernels(directory.path(), key));
  CHECK(files_in(directory.path()) == 2);
}

TEST_CASE("kernel cache: the oldest files go", "[kernel_cache]") {
  const test::TemporaryDirectory directory;
  std::vector<std::string> keys;
  for (unsigned i = 0; i < 5; ++i) {
    keys.push_back(kernel_key(source, i, "13.0"));
    cache_kernels(directory.path(), keys.back(), kernels, 3);
    // Files of one moment would be as old as each other.
    fs::last_write_time(directory / keys.back(), fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  CHECK(files_in(directory.path()) == 3);
  CHECK_FALSE(cached_kernels(directory.path(), keys[0]));
  CHECK_FALSE(cached_kernels(directory.path(), keys[1]));
  CHECK(cached_kernels(directory.path(), keys[4]));
}

TEST_CASE("kernel cache: where it lies", "[kernel_cache]") {
  const test::EnvironmentVariable home("HOME", "/home/someone");
  {
    const test::EnvironmentVariable caches("XDG_CACHE_HOME", "/caches");
    CHECK(kernel_cache_folder() == "/caches/gpumem/kernels");
  }
  {
    const test::EnvironmentVariable caches("XDG_CACHE_HOME", "relative");
    CHECK(kernel_cache_folder() == "/home/someone/.cache/gpumem/kernels");
  }
  const test::EnvironmentVariable caches("XDG_CACHE_HOME", "");
  CHECK(kernel_cache_folder() == "/home/someone/.cache/gpumem/kernels");
  const test::EnvironmentVariable nowhere("HOME", "");
  CHECK(kernel_cache_folder().empty());
}

}  // namespace
}  // namespace gpumem::measure::test_kernel_cache
