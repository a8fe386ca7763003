#include "probes/user/pattern/pattern_kernel.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/machine/compute_capability.hpp"
#include "engine/measure/cuda.hpp"
#include "engine/measure/machine_accesses.hpp"
#include "engine/measure/nvrtc.hpp"
#include "engine/measure/verify.hpp"
#include "engine/pattern/expression_source.hpp"
#include "probes/global/verify_kernels.cuh"

namespace gpumem::global {

namespace {

/// Kernels of a compiled source, in the order of their names there.
enum Kernel : std::size_t { timed, check_of_output, mark, unmarked };

/// Returns declarations of the variables that the expression uses, computed from a 64-bit number `access`.
std::string variables_of(const pattern::Expression& expression) {
  constexpr std::pair<pattern::Variable, const char*> declarations[] = {
      {pattern::Variable::i, "const long long i = (long long)access; "},
      {pattern::Variable::lane, "const long long lane = threadIdx.x % 32; "},
      {pattern::Variable::warp, "const long long warp = threadIdx.x / 32; "},
      {pattern::Variable::thread, "const long long thread = threadIdx.x; "},
      {pattern::Variable::block, "const long long block = blockIdx.x; "}};
  std::string text;
  for (const auto& [variable, declaration] : declarations) {
    if (expression.uses(variable)) text += declaration;
  }
  return text;
}

/// Returns the source of a functor as kernels.cuh expects it.
std::string functor(const char* name, const pattern::Expression& element, const pattern::Expression& active,
                    std::uint64_t n) {
  const auto body = [&](const pattern::Expression& expression) {
    return variables_of(expression) + "return (" + c_expression(expression, static_cast<std::int64_t>(n)) + ")";
  };
  return fmt::format(
      "struct {} {{\n"
      "  __device__ __forceinline__ std::uint64_t operator()(std::uint64_t access) const {{ {}; }}\n"
      "  __device__ __forceinline__ bool active(std::uint64_t access) const {{ {} != 0; }}\n"
      "}};\n",
      name, body(element), body(active));
}

const char* word_of(const Launch& launch) {
  constexpr const char* words[] = {"unsigned char", "unsigned short", "unsigned int",
                                   "uint2",         "uint4",          "gpumem::global::WideWord"};
  return words[std::countr_zero(launch.word_bytes)];
}

class PatternExperiment final : public measure::Experiment {
 public:
  PatternExperiment(const Launch& launch, std::uint64_t extent_elements, std::shared_ptr<const measure::Module> kernels,
                    measure::Session& session)
      : launch_(launch), extent_elements_(extent_elements), kernels_(std::move(kernels)), session_(&session) {
    if (launch_.loads()) source_ = session.random_source(extent_words());
    output_words_ = launch_.stores() ? extent_words() : launch_.threads();
    output_ = session.target(output_words_);
  }

  void launch(cudaStream_t stream) override { launch_into(launch_.stores() ? output_ : nullptr, stream); }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(output_, output_words_ * sizeof(std::uint32_t), stream);
    launch_into(output_, stream);
    const measure::CheckResult<Mismatches> check(*session_);
    check.reset(stream);
    measure::Verification verification{.what = checked_parts(launch_)};
    launch_.stores() ? check_target(check.data(), stream) : check_checksums(check.data(), stream);
    Mismatches found = check.read(stream);
    if (launch_.stores() && found.count == 0) {
      verification.what = stray_parts(launch_);
      const measure::DeviceBuffer marks = marked(stream);
      check_unmarked(marks, check.data(), stream);
      found = check.read(stream);
    }
    verification.mismatches = found.count;
    if (found.count > 0) verification.first_mismatch = found.first;
    return verification;
  }

 private:
  [[nodiscard]] std::uint64_t extent_words() const { return launch_.words_of(extent_elements_); }

  /// The pattern of a kernel is a functor without members.
  template <class... Arguments>
  void launch_kernel(Kernel kernel, unsigned blocks, unsigned threads, cudaStream_t stream, Arguments... arguments) {
    std::array<void*, sizeof...(Arguments)> addresses{&arguments...};
    kernels_->launch(kernel, blocks, threads, stream, addresses);
  }

  void launch_into(std::uint32_t* output, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(launch_.blocks());
    const auto run = [&](auto... arguments) {
      launch_kernel(timed, blocks, launch_.tile.block_threads, stream, arguments..., launch_.count, functor_);
    };
    if (launch_.op == Op::read) return run(source_, output);
    if (launch_.op == Op::write) return run(output);
    run(source_, output);
  }

  template <class... Arguments>
  void launch_check(Kernel kernel, cudaStream_t stream, Arguments... arguments) {
    constexpr unsigned threads = 256;
    launch_kernel(kernel, session_->device().multiprocessors * 8, threads, stream, arguments...);
  }
  void check_target(Mismatches* found, cudaStream_t stream) {
    const std::uint32_t also = 0;
    launch_check(check_of_output, stream, output_, launch_.parts(), launch_.count, also, functor_, found);
  }
  void check_checksums(Mismatches* found, cudaStream_t stream) {
    launch_check(check_of_output, stream, output_, launch_.parts(), launch_.count, launch_.tile, launch_.threads(),
                 functor_, found);
  }

  /// Returns a bit for every element, set if the pattern names it. The pattern may name an element several times.
  measure::DeviceBuffer marked(cudaStream_t stream) {
    constexpr std::uint64_t bits = 32;
    const std::uint64_t bytes = (extent_elements_ + bits - 1) / bits * sizeof(std::uint32_t);
    measure::DeviceBuffer marks(bytes);
    measure::check(cudaMemsetAsync(marks.data(), 0, bytes, stream), "clear the marks");
    launch_check(mark, stream, marks.data(), launch_.count, functor_);
    return marks;
  }
  void check_unmarked(const measure::DeviceBuffer& marks, Mismatches* found, cudaStream_t stream) {
    launch_check(unmarked, stream, output_, extent_elements_ * launch_.parts().per_element, launch_.parts(),
                 marks.data(), found);
  }

  Launch launch_;
  std::uint64_t extent_elements_;
  std::shared_ptr<const measure::Module> kernels_;
  measure::Session* session_;
  char functor_ = 0;
  const std::uint32_t* source_ = nullptr;
  std::uint32_t* output_ = nullptr;
  std::uint64_t output_words_ = 0;
};

constexpr const char* place = "gpumem::global::";

/// Returns a source that includes the header and then defines the functors.
measure::KernelSource source_of(const char* header, const std::string& functors) {
  measure::KernelSource source;
  source.text = fmt::format("#include \"{}\"\n{}namespace gpumem::global {{\n{}}}\n", header,
                            pattern::expression_functions("static __device__ __forceinline__"), functors);
  for (const KernelHeader& included : kernel_headers()) {
    source.headers.push_back({std::string(included.name), std::string(included.text)});
  }
  return source;
}

}  // namespace

std::string pattern_kernel_name(const Launch& launch) {
  return fmt::format("gpumem::global::{}<{}, gpumem::global::Written, {}u>", axis::op.name_of(launch.op),
                     word_of(launch), launch.tile.elements_per_thread);
}

measure::KernelSource pattern_source(const Launch& launch, const UserPattern& pattern) {
  measure::KernelSource source = source_of("probes/global/verify_kernels.cuh",
                                           functor("Written", pattern.written, pattern.written_active, launch.count) +
                                               functor("OfAccess", pattern.element, pattern.active, launch.count));
  source.kernels = {pattern_kernel_name(launch),
                    fmt::format("{0}{1}<{0}OfAccess>", place, launch.stores() ? "check_target" : "check_checksums")};
  if (launch.stores()) {
    source.kernels.push_back(fmt::format("{0}mark_elements<{0}OfAccess>", place));
    source.kernels.push_back(fmt::format("{}check_unmarked", place));
  }
  return source;
}

measure::KernelSource counting_source(const Launch& launch, const UserPattern& pattern) {
  measure::KernelSource source = source_of("probes/user/pattern/count_requests.cuh",
                                           functor("OfAccess", pattern.element, pattern.active, launch.count));
  source.kernels = {fmt::format("{0}count_requests<{0}OfAccess>", place)};
  return source;
}

void require_accesses(const measure::CompiledKernels& compiled, const Workload& workload) {
  const auto accesses = measure::machine_accesses(compiled.cubin, compiled.names[timed]);
  if (!accesses) return;  // a GPU newer than what is known of machine code
  if (const auto difference = measure::differs_from(*accesses, workload.sites)) {
    throw probe_error(
        fmt::format("the compiled kernel {} is not as the pattern says: {}", workload.kernel, *difference));
  }
}

std::shared_ptr<const measure::Module> LoadedPatterns::get(const Launch& launch, const UserPattern& pattern,
                                                           const Workload& workload, const Device& device) {
  const measure::KernelSource source = pattern_source(launch, pattern);
  std::shared_ptr<const measure::Module>& loaded = modules_[source.kernels.front() + source.text];
  if (!loaded) {
    const measure::CompiledKernels compiled = measure::compile(source, compute_capability_number(device));
    require_accesses(compiled, workload);
    loaded = std::make_shared<const measure::Module>(compiled);
  }
  return loaded;
}

std::unique_ptr<measure::Experiment> prepare_pattern(const Launch& launch, std::uint64_t extent_elements,
                                                     std::shared_ptr<const measure::Module> kernels,
                                                     measure::Session& session) {
  return std::make_unique<PatternExperiment>(launch, extent_elements, std::move(kernels), session);
}

}  // namespace gpumem::global
