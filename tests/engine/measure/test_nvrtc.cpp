#include <filesystem>
#include <string>
#include <type_traits>

#include "engine/measure/kernel_cache.hpp"
#include "engine/measure/module.hpp"
#include "engine/measure/nvrtc.hpp"
#include "tests/engine/measure/kernel_samples.hpp"
#include "tests/environment.hpp"
#include "tests/files.hpp"

namespace gpumem::measure::test_nvrtc {
namespace {

static_assert(!std::is_copy_constructible_v<Module> && std::is_nothrow_move_constructible_v<Module>);

using Catch::Matchers::StartsWith;

/// A cache of its own, and source that no other test has compiled in this process.
struct Compiler {
  test::TemporaryDirectory directory;
  test::EnvironmentVariable caches{"XDG_CACHE_HOME", directory.path().string()};
  KernelSource source = test::copying_kernels();

  explicit Compiler(const std::string& own) { source.text += "// " + own; }
  [[nodiscard]] std::filesystem::path file() const {
    return kernel_cache_folder() / kernel_key(source, 90, nvrtc_version());
  }
};

TEST_CASE("NVRTC: compiles kernels and names them", "[nvrtc]") {
  const Compiler compiler("names");
  const auto kernels = test::compiled(compiler.source, 90);
  if (!kernels) return;
  CHECK(
      kernels->cubin.starts_with("\x7f"
                                 "ELF"));
  REQUIRE(kernels->names.size() == 2);
  CHECK(kernels->names[0] == "_ZN6sample4copyIjLj1EEEvPKT_PS1_");
  CHECK(kernels->names[1] == "_ZN6sample4copyIjLj4EEEvPKT_PS1_");
}

TEST_CASE("NVRTC: what was compiled is kept", "[nvrtc]") {
  const Compiler compiler("kept");
  const auto kernels = test::compiled(compiler.source, 90);
  if (!kernels) return;
  const auto kept = cached_kernels(compiler.file().parent_path(), compiler.file().filename());
  REQUIRE(kept);
  CHECK(kept->cubin == kernels->cubin);
  CHECK(kept->names == kernels->names);

  std::filesystem::remove(compiler.file());
  CHECK(compile(compiler.source, 90).cubin == kernels->cubin);  // from this process
  CHECK_FALSE(std::filesystem::exists(compiler.file()));
}

TEST_CASE("NVRTC: takes what an earlier run has kept", "[nvrtc]") {
  const Compiler compiler("earlier");
  if (!test::compiled(test::copying_kernels(), 90)) return;
  const CompiledKernels earlier{.cubin = "recognisable", .names = {"one", "two"}};
  cache_kernels(compiler.file().parent_path(), compiler.file().filename(), earlier);
  CHECK(compile(compiler.source, 90).cubin == "recognisable");
}

TEST_CASE("NVRTC: compiles anew what was kept and damaged", "[nvrtc]") {
  const Compiler compiler("damaged");
  if (!test::compiled(test::copying_kernels(), 90)) return;
  test::put(compiler.file(), "gpumem kernels 1\nand what else there may be");
  const CompiledKernels kernels = compile(compiler.source, 90);
  CHECK(kernels.names.size() == 2);
  const auto kept = cached_kernels(compiler.file().parent_path(), compiler.file().filename());
  REQUIRE(kept);
  CHECK(kept->cubin == kernels.cubin);
}

TEST_CASE("NVRTC: where nothing can be kept it compiles all the same", "[nvrtc]") {
  const Compiler compiler("nowhere");
  const test::EnvironmentVariable caches("XDG_CACHE_HOME", "/proc/nowhere");
  const auto kernels = test::compiled(compiler.source, 90);
  if (kernels) CHECK(kernels->names.size() == 2);
}

TEST_CASE("NVRTC: source with an error, and a kernel that is not there", "[nvrtc]") {
  Compiler compiler("errors");
  if (!test::compiled(test::copying_kernels(), 90)) return;
  const auto message = [&] {
    try {
      static_cast<void>(compile(compiler.source, 90));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::probe_failed);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  compiler.source.kernels = {"sample::write<unsigned>"};
  CHECK(message().find("has no member \"write\"") != std::string::npos);
  compiler.source.text = "#warning of an error\n__global__ void f() { undefined(); }";
  compiler.source.kernels = {"f"};
  CHECK_THAT(message(), StartsWith("kernels.cu(2): error: identifier \"undefined\" is undefined (NVRTC "));
  CHECK_FALSE(std::filesystem::exists(compiler.file()));
}

TEST_CASE("NVRTC: an architecture that it does not know", "[nvrtc]") {
  const Compiler compiler("architecture");
  if (!test::compiled(test::copying_kernels(), 90)) return;
  try {
    static_cast<void>(compile(compiler.source, 1234));
    FAIL("compiled");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::missing_capability);
    CHECK_THAT(error.what(), StartsWith("NVRTC " + nvrtc_version() +
                                        " does not compile for compute capability 123.4: "
                                        "install that of a newer CUDA Toolkit"));
  }
}

}  // namespace
}  // namespace gpumem::measure::test_nvrtc
