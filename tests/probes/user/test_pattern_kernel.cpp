// Kernels of patterns that a user writes: they compile, and hold the accesses that are declared.

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probes/user/pattern/pattern_kernel.hpp"
#include "tests/engine/measure/kernel_samples.hpp"
#include "tests/environment.hpp"
#include "tests/files.hpp"

namespace gpumem::global::test_pattern_kernel {

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

/// Every operator, function and name there is.
constexpr const char* everything =
    "min(max(+(i * 3 + n / 2 - 7 % (lane + 1)) ^ 5 & ~1 | 2, 0), n) + (i << 2 >> 1) * !(i == 4) + (i < 5 && i != 3 || "
    "i >= n - 2) - -(lane <= 4 ? warp : thread > 7 ? block : 1)";

/// Kernels whose code is of no use to the next run, in a folder of their own.
struct Compiler {
  gpumem::test::TemporaryDirectory directory;
  gpumem::test::EnvironmentVariable caches{"XDG_CACHE_HOME", directory.path().string()};
};

struct Compiled {
  measure::KernelSource source;
  std::optional<measure::CompiledKernels> kernels;  ///< absent where nothing compiles them
  Workload workload;
};

Launch launch_with(Op op, std::uint32_t word_bytes, std::uint32_t elements, std::uint64_t count = 1U << 20U) {
  return {.op = op, .word_bytes = word_bytes, .count = count, .tile = {256, elements}};
}

Compiled compiled(const Launch& launch, const std::string& element, const std::string& active = "1",
                  unsigned compute_capability = 90) {
  const UserPattern pattern = user_pattern(element, active, launch);
  const PatternFacts facts = facts_of(pattern, launch);
  Compiled result{.source = pattern_source(launch, pattern),
                  .kernels = {},
                  .workload = workload_of(launch, pattern, counted(pattern, launch, facts), facts)};
  result.workload.kernel = pattern_kernel_name(launch);
  result.kernels = gpumem::test::compiled(result.source, compute_capability);
  return result;
}

/// Returns the error for a kernel with accesses other than declared.
std::string difference_of(const Compiled& compiled, const Workload& declared) {
  try {
    require_accesses(*compiled.kernels, declared);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::probe_failed);
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("pattern kernel: its name is that of the kernels built in, with another pattern", "[pattern_kernel]") {
  CHECK(pattern_kernel_name(launch_with(Op::read, 4, 1)) ==
        "gpumem::global::read<unsigned int, gpumem::global::Written, 1u>");
  CHECK(pattern_kernel_name(launch_with(Op::write, 8, 2)) ==
        "gpumem::global::write<uint2, gpumem::global::Written, 2u>");
  CHECK(pattern_kernel_name(launch_with(Op::copy, 16, 8)) ==
        "gpumem::global::copy<uint4, gpumem::global::Written, 8u>");
  CHECK(pattern_kernel_name(launch_with(Op::read, 1, 4)) ==
        "gpumem::global::read<unsigned char, gpumem::global::Written, 4u>");
  CHECK(pattern_kernel_name(launch_with(Op::read, 2, 4)) ==
        "gpumem::global::read<unsigned short, gpumem::global::Written, 4u>");
  CHECK(pattern_kernel_name(launch_with(Op::read, 32, 1)) ==
        "gpumem::global::read<gpumem::global::WideWord, gpumem::global::Written, 1u>");
}

TEST_CASE("pattern kernel: the headers that its source includes are there", "[pattern_kernel]") {
  std::vector<std::string> names;
  for (const KernelHeader& header : kernel_headers()) names.emplace_back(header.name);
  const auto check_includes = [&](const std::string& text) {
    constexpr std::string_view include = "#include \"";
    for (std::size_t at = text.find(include); at != std::string::npos; at = text.find(include, at + 1)) {
      const std::size_t first = at + include.size();
      const std::string name = text.substr(first, text.find('"', first) - first);
      INFO(name);
      CHECK(std::ranges::find(names, name) != names.end());
    }
  };
  const Launch launch = launch_with(Op::copy, 4, 1);
  const measure::KernelSource source = pattern_source(launch, user_pattern("i", "1", launch));
  CHECK(source.headers.size() == names.size());
  check_includes(source.text);
  for (const measure::KernelHeader& header : source.headers) check_includes(header.text);
}

TEST_CASE("pattern kernel: what is compiled is the expression as it was written", "[pattern_kernel]") {
  const Launch launch = launch_with(Op::read, 4, 1);
  const auto text = [&](const std::string& element, const std::string& active = "1", std::uint64_t count = 1000) {
    Launch of = launch;
    of.count = count;
    return pattern_source(of, user_pattern(element, active, of)).text;
  };
  CHECK_THAT(text("lane * 7"), ContainsSubstring("threadIdx.x % 32") && !ContainsSubstring("blockIdx"));
  CHECK_THAT(text("warp * 7"), ContainsSubstring("threadIdx.x / 32"));
  CHECK_THAT(text("block * 7", "thread"), ContainsSubstring("= blockIdx.x;") && ContainsSubstring("= threadIdx.x;"));
  CHECK_THAT(text("i * 7"), !ContainsSubstring("threadIdx") && !ContainsSubstring("blockIdx"));
  // One source for each number of accesses, for it stands in it where it is asked for; else one for all.
  CHECK(text("i % n", "1", 1000) != text("i % n", "1", 1001));
  CHECK(text("i + 1", "1", 1000) == text("i + 1", "1", 1000));
  // The kernel comes first, then what checks it.
  const measure::KernelSource read = pattern_source(launch, user_pattern("i", "1", launch));
  REQUIRE(read.kernels.size() == 2);
  CHECK(read.kernels[0] == pattern_kernel_name(launch));
  CHECK_THAT(read.kernels[1], ContainsSubstring("check_checksums<gpumem::global::OfAccess>"));
  const Launch copy = launch_with(Op::copy, 4, 1);
  CHECK(pattern_source(copy, user_pattern("i", "1", copy)).kernels.size() == 4);
}

TEST_CASE("pattern kernel: what counts a pattern on the GPU compiles", "[pattern_kernel][nvrtc]") {
  const Compiler compiler;
  for (const unsigned compute_capability : {80U, 90U}) {
    for (const char* element : {"i", everything}) {
      const Launch launch = launch_with(Op::copy, 8, 2);
      const measure::KernelSource source = counting_source(launch, user_pattern(element, element, launch));
      const auto kernels = gpumem::test::compiled(source, compute_capability);
      if (!kernels) continue;
      REQUIRE(kernels->names.size() == 1);
      CHECK_THAT(kernels->names[0], ContainsSubstring("count_requests"));
    }
  }
}

TEST_CASE("pattern kernel: every operation, word and number of elements compiles to the accesses declared",
          "[pattern_kernel][nvrtc]") {
  struct Example {
    Op op;
    std::uint32_t word_bytes;
    std::uint32_t elements;
    const char* element;
    const char* active;
    unsigned compute_capability;
  };
  // Each value of an axis with each of most others, somewhere.
  const Example examples[] = {
      {Op::read, 4, 1, "i", "1", 90},
      {Op::read, 8, 8, "i * 7 % n", "i % 3", 90},
      {Op::read, 16, 4, "i ^ 5", "1", 80},
      {Op::write, 4, 8, "i % 1024 * (n / 1024) + i / 1024", "1", 90},
      {Op::write, 16, 2, "block * 4096 + thread * 4 + lane * warp", "lane < 16", 90},
      {Op::write, 8, 1, "i * 2654435761 % n", "warp % 2", 80},
      {Op::copy, 8, 2, "n - 1 - i", "thread != block", 90},
      {Op::copy, 4, 4, "i + lane", "1", 80},
      {Op::copy, 16, 8, "(i ^ i >> 7) & n - 1", "i > 100", 90},
      {Op::copy, 4, 1, everything, everything, 90},
      {Op::read, 1, 4, "i * 7 % n", "1", 90},
      {Op::write, 1, 2, "i ^ 5", "i % 3", 90},
      {Op::copy, 2, 8, "i", "1", 80},
      {Op::write, 2, 1, "n - 1 - i", "1", 90},
      {Op::read, 32, 2, "i ^ 5", "1", 100},
      {Op::copy, 32, 4, "i * 7 % n", "i % 3", 100},
  };
  const Compiler compiler;
  for (const Example& example : examples) {
    INFO("'" << example.element << "' active '" << example.active << "', " << example.word_bytes << "-byte words, "
             << example.elements << " each, for " << example.compute_capability);
    const Compiled kernel = compiled(launch_with(example.op, example.word_bytes, example.elements), example.element,
                                     example.active, example.compute_capability);
    if (!kernel.kernels) return;
    CHECK(kernel.kernels->names.size() == kernel.source.kernels.size());
    CHECK(difference_of(kernel, kernel.workload) == "nothing");
  }
}

TEST_CASE("pattern kernel: one with other accesses than declared is refused", "[pattern_kernel][nvrtc]") {
  const Compiler compiler;
  const Compiled kernel = compiled(launch_with(Op::copy, 8, 2), "i * 3");
  if (!kernel.kernels) return;
  CHECK(difference_of(kernel, kernel.workload) == "nothing");
  const auto difference = [&](const std::function<void(Workload&)>& change) {
    Workload declared = kernel.workload;
    change(declared);
    return difference_of(kernel, declared);
  };
  const std::string line = "the compiled kernel " + kernel.workload.kernel + " is not as the pattern says: ";
  CHECK_THAT(difference([](Workload& w) { w.sites[0].instructions = 3; }), StartsWith(line));
  CHECK_THAT(difference([](Workload& w) { w.sites[1].instructions = 1; }), StartsWith(line));
  CHECK_THAT(difference([](Workload& w) { w.sites[0].word_bytes = 4; }), StartsWith(line));
  CHECK_THAT(difference([](Workload& w) { w.sites[1].word_bytes = 16; }), StartsWith(line));
  CHECK_THAT(difference([](Workload& w) { w.sites.erase(w.sites.begin()); }), StartsWith(line));
  CHECK_THAT(difference([](Workload& w) { w.sites[0].space = access::Space::shared; }), StartsWith(line));
}

TEST_CASE("pattern kernel: machine code that nobody knows is not refused", "[pattern_kernel]") {
  CHECK_NOTHROW(require_accesses({.cubin = "not an ELF file", .names = {"kernel"}}, Workload{}));
}

}  // namespace gpumem::global::test_pattern_kernel
