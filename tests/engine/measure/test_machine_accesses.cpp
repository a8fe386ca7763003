#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/machine_accesses.hpp"
#include "tests/engine/measure/kernel_samples.hpp"
#include "tests/environment.hpp"
#include "tests/files.hpp"

namespace gpumem::measure::test_machine_accesses {
namespace {

using access::Op;
using access::Site;
using access::Space;
using Accesses = std::vector<MachineAccess>;

/// Compiles kernels whose code is of no use to the next run.
std::optional<CompiledKernels> compiled(const KernelSource& source, unsigned compute_capability) {
  const test::TemporaryDirectory directory;
  const test::EnvironmentVariable caches("XDG_CACHE_HOME", directory.path().string());
  return test::compiled(source, compute_capability);
}

/// Returns the accesses of the one kernel in the text; nullopt if it cannot be compiled here.
std::optional<Accesses> accesses_of(const std::string& text, unsigned compute_capability = 90) {
  const auto kernels = compiled({.text = text, .headers = {}, .kernels = {"kernel"}}, compute_capability);
  if (!kernels) return std::nullopt;
  auto accesses = machine_accesses(kernels->cubin, kernels->names[0]);
  CHECK(accesses.has_value());
  return accesses;
}

bool holds(const Accesses& accesses, std::optional<Space> space, Op op) {
  return std::ranges::any_of(accesses, [&](const auto& listed) { return listed.space == space && listed.op == op; });
}

Site site(Op op, unsigned word_bytes, unsigned instructions, Space space = Space::global) {
  Site site;
  site.space = space;
  site.op = op;
  site.word_bytes = word_bytes;
  site.instructions = instructions;
  return site;
}

/// As an older toolkit's, or a damaged one: the byte at an offset.
std::string with_byte(std::string cubin, std::size_t offset, char byte) {
  cubin[offset] = byte;
  return cubin;
}

TEST_CASE("machine accesses: loads and stores of every width", "[machine_accesses]") {
  const std::vector<std::pair<std::string, unsigned>> words = {
      {"signed char", 1},        {"unsigned char", 1}, {"short", 2}, {"unsigned short", 2}, {"unsigned", 4},
      {"unsigned long long", 8}, {"double", 8},        {"uint2", 8}, {"uint4", 16}};
  for (const unsigned compute_capability : {75U, 80U, 86U, 89U, 90U, 100U, 120U}) {
    for (const auto& [word, bytes] : words) {
      INFO(word << " for " << compute_capability);
      const auto kernels = compiled(test::copying_kernels(word), compute_capability);
      if (!kernels) break;
      for (const auto& [name, copies] : {std::pair(kernels->names[0], 1U), std::pair(kernels->names[1], 4U)}) {
        const auto accesses = machine_accesses(kernels->cubin, name);
        REQUIRE(accesses);
        CHECK(*accesses ==
              Accesses{{Space::global, Op::load, bytes, copies}, {Space::global, Op::store, bytes, copies}});
      }
    }
  }
}

TEST_CASE("machine accesses: 32 bytes at once", "[machine_accesses]") {
  const auto accesses = accesses_of(R"(
extern "C" __global__ void kernel(const char* from, char* to) {
  unsigned long long a, b, c, d;
  asm volatile("ld.global.v4.u64 {%0, %1, %2, %3}, [%4];" : "=l"(a), "=l"(b), "=l"(c), "=l"(d) : "l"(from));
  asm volatile("st.global.v4.u64 [%4], {%0, %1, %2, %3};" :: "l"(a), "l"(b), "l"(c), "l"(d), "l"(to));
})",
                                    100);
  if (!accesses) return;
  CHECK(*accesses == Accesses{{Space::global, Op::load, 32, 1}, {Space::global, Op::store, 32, 1}});
}

TEST_CASE("machine accesses: those that are no plain loads and stores of global memory", "[machine_accesses]") {
  for (const unsigned compute_capability : {75U, 80U, 90U, 100U, 120U}) {
    INFO(compute_capability);
    const auto shared = accesses_of(R"(
extern "C" __global__ void kernel(uint2* to) {
  __shared__ uint2 words[64];
  words[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = words[63 - threadIdx.x];
})",
                                    compute_capability);
    if (!shared) break;
    CHECK(*shared == Accesses{{Space::global, Op::load, 8, 1},
                              {Space::shared, Op::store, 8, 1},
                              {Space::shared, Op::load, 8, 1},
                              {Space::global, Op::store, 8, 1}});

    const auto atomics = accesses_of(R"(
extern "C" __global__ void kernel(unsigned* counts, float* sum) {
  __shared__ unsigned of_block;
  atomicAdd(&of_block, counts[threadIdx.x]);
  atomicMax(counts, 3u);
  sum[1] = atomicAdd(sum, 1.0f);
  sum[2] = atomicCAS(counts + 1, 2u, 3u);
})",
                                     compute_capability);
    REQUIRE(atomics);
    CHECK(holds(*atomics, Space::global, Op::atomic));
    CHECK(holds(*atomics, Space::shared, Op::atomic));

    const auto unnamed = accesses_of(R"(
extern "C" __global__ void kernel(unsigned** places, unsigned wanted) {
  __shared__ unsigned own[64];
  unsigned* place = wanted ? own : places[0];
  place[threadIdx.x] = place[threadIdx.x + 1];
})",
                                     compute_capability);
    REQUIRE(unnamed);
    CHECK(holds(*unnamed, std::nullopt, Op::load));
    CHECK(holds(*unnamed, std::nullopt, Op::store));

    const auto local = accesses_of(R"(
extern "C" __global__ void kernel(const unsigned* from, unsigned* to, unsigned n) {
  unsigned own[64];
  for (unsigned i = 0; i < 64; ++i) own[i] = from[i * n];
  for (unsigned i = 0; i < n; ++i) to[i] = own[from[i] % 64];
})",
                                   compute_capability);
    REQUIRE(local);
    CHECK(holds(*local, Space::local, Op::load));
    CHECK(holds(*local, Space::local, Op::store));

    const auto constants = accesses_of(R"(
__constant__ unsigned table[64];
extern "C" __global__ void kernel(unsigned* to) { to[threadIdx.x] = table[to[threadIdx.x]] + table[5]; })",
                                       compute_capability);
    REQUIRE(constants);
    CHECK(*constants == Accesses{{Space::global, Op::load, 4, 1},
                                 {Space::constant, Op::load, 4, 1},
                                 {Space::global, Op::store, 4, 1}});

    const auto texture = accesses_of(R"(
extern "C" __global__ void kernel(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float* to) {
  to[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x) + tex2D<float>(texture, threadIdx.x, 1);
  surf2Dwrite(1.0f, surface, threadIdx.x * 4, 3);
})",
                                     compute_capability);
    REQUIRE(texture);
    CHECK(holds(*texture, Space::texture, Op::load));
    CHECK(holds(*texture, Space::texture, Op::store));
  }
}

TEST_CASE("machine accesses: a copy that never meets a register is both of what it does", "[machine_accesses]") {
  const auto accesses = accesses_of(R"(
extern "C" __global__ void kernel(const uint4* from, uint4* to) {
  __shared__ uint4 words[64];
  unsigned place = __cvta_generic_to_shared(words + threadIdx.x);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(place), "l"(from + threadIdx.x));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  to[threadIdx.x] = words[63 - threadIdx.x];
})");
  if (!accesses) return;
  // No more than that: the loads of shared memory that the compiler puts before it are never executed.
  CHECK(*accesses == Accesses{{Space::global, Op::load, 0, 1},
                              {Space::shared, Op::store, 0, 1},
                              {Space::shared, Op::load, 16, 1},
                              {Space::global, Op::store, 16, 1}});
}

TEST_CASE("machine accesses: those of subroutines count, those of what lies elsewhere are not known",
          "[machine_accesses]") {
  const auto subroutine = accesses_of(R"(
__device__ __noinline__ unsigned sum(const unsigned* from, unsigned i) { return from[i] + from[3 * i]; }
extern "C" __global__ void kernel(unsigned* data) {
  data[threadIdx.x] = sum(data, threadIdx.x) / sum(data, threadIdx.x + 7);
})");
  if (!subroutine) return;
  CHECK(holds(*subroutine, Space::global, Op::load));
  CHECK(holds(*subroutine, Space::global, Op::store));

  const auto elsewhere = compiled({.text = R"(
extern "C" __device__ int vprintf(const char*, void*);
extern "C" __global__ void kernel(const char* text) { vprintf(text, 0); })",
                                   .headers = {},
                                   .kernels = {"kernel"}},
                                  90);
  REQUIRE(elsewhere);
  CHECK_FALSE(machine_accesses(elsewhere->cubin, "kernel"));
}

TEST_CASE("machine accesses: what cannot be read is not known", "[machine_accesses]") {
  const auto kernels = compiled(test::copying_kernels(), 90);
  if (!kernels) return;
  const std::string& cubin = kernels->cubin;
  const std::string& name = kernels->names[0];
  REQUIRE(machine_accesses(cubin, name));
  CHECK_FALSE(machine_accesses(cubin, "of_another_name"));
  CHECK_FALSE(machine_accesses(cubin, name.substr(0, name.size() - 1)));
  CHECK_FALSE(machine_accesses("", name));
  CHECK_FALSE(machine_accesses("no cubin", name));
  for (std::size_t length = 0; length < 64; ++length) CHECK_FALSE(machine_accesses(cubin.substr(0, length), name));
  CHECK_FALSE(machine_accesses(cubin.substr(0, cubin.size() / 2), name));  // the table of sections is behind
  CHECK_FALSE(machine_accesses(with_byte(cubin, 8, 9), name));             // of an ABI to come

  // Whatever the sections say of themselves, nothing outside the file is read: sanitizers see it.
  for (std::size_t i = 0; i < cubin.size(); ++i) {
    static_cast<void>(machine_accesses(with_byte(cubin, i, '\xff'), name));
  }
}

TEST_CASE("machine accesses: the architecture, as toolkits of either ABI write it", "[machine_accesses]") {
  const auto kernels = compiled(test::copying_kernels(), 90);
  if (!kernels) return;
  constexpr std::size_t abi = 8;
  constexpr std::size_t flags = 48;
  const auto known = [&](char of_abi, unsigned e_flags) {
    std::string cubin = with_byte(kernels->cubin, abi, of_abi);
    std::memcpy(cubin.data() + flags, &e_flags, sizeof e_flags);
    return machine_accesses(cubin, kernels->names[0]).has_value();
  };
  CHECK(known(7, 0x005a'055a));
  CHECK(known(7, 0x004b'054b));
  CHECK_FALSE(known(7, 0x00c8'05c8));
  CHECK(known(8, 0x0600'5a04));
  CHECK(known(8, 0x0600'7802));
  CHECK_FALSE(known(8, 0x0600'c802));
}

TEST_CASE("machine accesses: as declared", "[machine_accesses]") {
  const std::vector<Site> reads = {site(Op::load, 4, 4)};
  const Accesses loads = {{Space::global, Op::load, 4, 4}};
  CHECK_FALSE(differs_from(loads, reads));
  CHECK_FALSE(differs_from(loads, std::vector{site(Op::load, 4, 1), site(Op::load, 4, 3)}));
  CHECK_FALSE(differs_from(loads, std::vector{site(Op::load, 4, 4, Space::host)}));  // only the address tells
  CHECK_FALSE(differs_from(Accesses{}, std::vector<Site>{}));

  CHECK_FALSE(differs_from(Accesses{{Space::global, Op::load, 4, 4}, {Space::global, Op::store, 4, 2}}, reads));
  CHECK_FALSE(differs_from(
      Accesses{{Space::global, Op::load, 4, 4}, {Space::global, Op::store, 4, 1}, {Space::global, Op::store, 8, 1}},
      reads));
  CHECK_FALSE(differs_from(
      Accesses{{Space::global, Op::load, 4, 4}, {Space::local, Op::store, 4, 2}, {Space::local, Op::load, 4, 2}},
      reads));
}

TEST_CASE("machine accesses: other than declared", "[machine_accesses]") {
  const std::vector<Site> reads = {site(Op::load, 4, 4)};
  const auto difference = [&](Accesses beside, unsigned loads = 4) {
    beside.push_back({Space::global, Op::load, 4, loads});
    return differs_from(beside, reads).value_or("none");
  };
  CHECK(difference({}, 3) == "3 x 4-byte global load instead of 4");
  CHECK(differs_from(Accesses{}, reads) == "0 x 4-byte global load instead of 4");
  CHECK(differs_from(Accesses{{Space::global, Op::load, 16, 1}}, reads) ==
        "0 x 4-byte global load instead of 4; 1 x 16-byte global load instead of 0");
  CHECK(difference({{Space::global, Op::store, 4, 3}}) == "3 x 4-byte global store, which no site declares");
  CHECK(difference({{Space::global, Op::store, 16, 1}}) == "1 x 16-byte global store, which no site declares");
  CHECK(difference({{Space::local, Op::load, 4, 3}}) == "3 x 4-byte local load, which no site declares");
  CHECK(difference({{std::nullopt, Op::load, 4, 1}}) == "1 x 4-byte generic load, which no site declares");
  CHECK(difference({{Space::global, Op::atomic, 0, 1}}) == "1 x global atomic, which no site declares");
  CHECK(difference({{Space::global, Op::load, 0, 1}}) == "1 x global load instead of 0");

  // If a site declares stores, no other stores are tolerated.
  CHECK(differs_from(Accesses{{Space::global, Op::store, 4, 2}}, std::vector{site(Op::store, 4, 1)}) ==
        "2 x 4-byte global store instead of 1");
}

}  // namespace
}  // namespace gpumem::measure::test_machine_accesses
