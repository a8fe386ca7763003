// Stream: the kernels of STREAM (McCalpin) as BabelStream runs them on GPUs: c = a, b = s c, c = a + b, a = b + s c and
// the sum of a b. Every access coalesces; they differ in how many arrays they read for one they write.

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "probes/error.hpp"
#include "probes/global/launch.cuh"
#include "probes/global/stream_advice.hpp"
#include "probes/global/verify.cuh"
#include "probes/measure/experiment.hpp"
#include "probes/measure/session.hpp"
#include "probes/measure/verify.hpp"
#include "probes/probe.hpp"

namespace gpumem::global {

/// BabelStream's.
constexpr double stream_scalar = 0.4;

// What a kernel makes of an element of each array that it reads. Roundings are spelt out, so that the check can expect
// the very bits.

__device__ static float product(float a, float b) { return __fmul_rn(a, b); }
__device__ static double product(double a, double b) { return __dmul_rn(a, b); }
__device__ static float sum(float a, float b) { return __fadd_rn(a, b); }
__device__ static double sum(double a, double b) { return __dadd_rn(a, b); }
__device__ static float product_and_sum(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ static double product_and_sum(double a, double b, double c) { return __fma_rn(a, b, c); }

struct StreamCopy {
  static constexpr unsigned inputs = 1;
  static constexpr unsigned flops = 0;
  template <class Real>
  __device__ Real operator()(Real a, Real /*unused*/) const {
    return a;
  }
};
struct StreamMul {
  static constexpr unsigned inputs = 1;
  static constexpr unsigned flops = 1;
  template <class Real>
  __device__ Real operator()(Real a, Real /*unused*/) const {
    return product(static_cast<Real>(stream_scalar), a);
  }
};
struct StreamAdd {
  static constexpr unsigned inputs = 2;
  static constexpr unsigned flops = 1;
  template <class Real>
  __device__ Real operator()(Real a, Real b) const {
    return sum(a, b);
  }
};
struct StreamTriad {
  static constexpr unsigned inputs = 2;
  static constexpr unsigned flops = 2;
  template <class Real>
  __device__ Real operator()(Real a, Real b) const {
    return product_and_sum(static_cast<Real>(stream_scalar), b, a);
  }
};
/// Its kernel is another one: it writes nothing but partial sums.
struct StreamDot {
  static constexpr unsigned inputs = 2;
  static constexpr unsigned flops = 2;
};

// Words of one, two or four elements.

template <class Operation>
__device__ float lanewise(Operation of, float a, float b) {
  return of(a, b);
}
template <class Operation>
__device__ double lanewise(Operation of, double a, double b) {
  return of(a, b);
}
template <class Operation>
__device__ float2 lanewise(Operation of, float2 a, float2 b) {
  return {of(a.x, b.x), of(a.y, b.y)};
}
template <class Operation>
__device__ double2 lanewise(Operation of, double2 a, double2 b) {
  return {of(a.x, b.x), of(a.y, b.y)};
}
template <class Operation>
__device__ float4 lanewise(Operation of, float4 a, float4 b) {
  return {of(a.x, b.x), of(a.y, b.y), of(a.z, b.z), of(a.w, b.w)};
}

__device__ static float add_product(float total, float a, float b) { return product_and_sum(a, b, total); }
__device__ static double add_product(double total, double a, double b) { return product_and_sum(a, b, total); }
__device__ static float add_product(float total, float2 a, float2 b) {
  return add_product(add_product(total, a.x, b.x), a.y, b.y);
}
__device__ static double add_product(double total, double2 a, double2 b) {
  return add_product(add_product(total, a.x, b.x), a.y, b.y);
}
__device__ static float add_product(float total, float4 a, float4 b) {
  return add_product(add_product(total, float2{a.x, a.y}, float2{b.x, b.y}), float2{a.z, a.w}, float2{b.z, b.w});
}

template <class Word, class Operation, unsigned words_per_thread>
__global__ void __launch_bounds__(1024) stream(const Word* a, const Word* b, Word* target, std::uint64_t count) {
  const Tile tile{blockDim.x, words_per_thread};
  Word of_a[words_per_thread];
  Word of_b[words_per_thread] = {};
#pragma unroll
  for (unsigned turn = 0; turn < words_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i >= count) continue;
    of_a[turn] = a[i];
    if constexpr (Operation::inputs == 2) of_b[turn] = b[i];
  }
#pragma unroll
  for (unsigned turn = 0; turn < words_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count) target[i] = lanewise(Operation{}, of_a[turn], of_b[turn]);
  }
}

/// Stores the sum of each warp's products. Adding those up is left out: they are at most 1.6 % of the data.
template <class Word, class Real, unsigned words_per_thread>
__global__ void __launch_bounds__(1024) dot(const Word* a, const Word* b, Real* sums, std::uint64_t count) {
  const Tile tile{blockDim.x, words_per_thread};
  Word of_a[words_per_thread] = {};
  Word of_b[words_per_thread] = {};
#pragma unroll
  for (unsigned turn = 0; turn < words_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i >= count) continue;
    of_a[turn] = a[i];
    of_b[turn] = b[i];
  }
  Real total = 0;
#pragma unroll
  for (unsigned turn = 0; turn < words_per_thread; ++turn) total = add_product(total, of_a[turn], of_b[turn]);
#pragma unroll
  for (unsigned distance = access::warp_lanes / 2; distance > 0; distance /= 2) {
    total += __shfl_xor_sync(~0U, total, distance);
  }
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (threadIdx.x % access::warp_lanes == 0) sums[thread / access::warp_lanes] = total;
}

// Content and checks. Inputs lie in [1, 2) with a random fraction, so that sums of products cancel nothing.

template <class Real>
__device__ Real stream_value(unsigned array, std::uint64_t element) {
  const std::uint64_t index = 2 * element + array;
  if constexpr (sizeof(Real) == sizeof(float)) {
    return __uint_as_float(0x3F800000U | (measure::random_word(index) >> 9U));
  } else {
    return __hiloint2double(static_cast<int>(0x3FF00000U | (measure::random_word(2 * index) >> 12U)),
                            static_cast<int>(measure::random_word(2 * index + 1)));
  }
}

template <class Real>
__global__ void fill_stream(Real* values, unsigned array, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    values[i] = stream_value<Real>(array, i);
  }
}

template <class Real, class Operation>
__global__ void check_stream(const Real* target, std::uint64_t count, Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const Real expected = Operation{}(stream_value<Real>(0, i), stream_value<Real>(1, i));
    if (target[i] != expected) report_mismatch(found, i);
  }
}

/// Each warp's sum against one in double precision. All products are positive, so rounding is off by no more than half
/// an epsilon of the sum for every product added to another in a thread, for the five additions between threads, and
/// for every addition of the check itself (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2); twice
/// that is allowed. A product that is missing or wrong is a hundred times as much.
template <class Real>
__global__ void check_dot(const Real* sums, std::uint64_t count, std::uint32_t reals_per_word, Tile tile,
                          std::uint64_t warps, Mismatches* found) {
  constexpr double half_epsilon = sizeof(Real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
  constexpr double check_half_epsilon = 0x1p-53;
  const std::uint64_t warps_per_block = tile.block_threads / access::warp_lanes;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t warp = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; warp < warps; warp += step) {
    const auto thread = static_cast<std::uint32_t>(warp % warps_per_block * access::warp_lanes);
    double expected = 0;
    double products = 0;
    for (std::uint32_t turn = 0; turn < tile.elements_per_thread; ++turn) {
      const std::uint64_t first = tile.element(warp / warps_per_block, thread, turn) * reals_per_word;
      const std::uint64_t end = first + std::uint64_t{access::warp_lanes} * reals_per_word;
      for (std::uint64_t i = first; i < end && i < count; ++i) {
        expected += static_cast<double>(stream_value<Real>(0, i)) * static_cast<double>(stream_value<Real>(1, i));
        products += 1;
      }
    }
    const double roundings = (products / access::warp_lanes + 5) * half_epsilon + products * check_half_epsilon;
    const double off = fabs(static_cast<double>(sums[warp]) - expected);
    if (!(off <= 2 * roundings * expected)) report_mismatch(found, warp);  // not a number is wrong, too
  }
}

// Which of the compiled kernels a case runs.

template <class Visitor>
static decltype(auto) with_operation(const std::string& name, Visitor&& visit) {
  if (name == "copy") return visit(StreamCopy{});
  if (name == "mul") return visit(StreamMul{});
  if (name == "add") return visit(StreamAdd{});
  if (name == "triad") return visit(StreamTriad{});
  return visit(StreamDot{});
}

/// Calls visit(type_identity<Real>, type_identity<Word>).
template <class Visitor>
static decltype(auto) with_types(bool doubles, std::uint32_t word_bytes, Visitor&& visit) {
  constexpr std::type_identity<float> single_precision;
  constexpr std::type_identity<double> double_precision;
  if (doubles) {
    if (word_bytes == 8) return visit(double_precision, std::type_identity<double>{});
    return visit(double_precision, std::type_identity<double2>{});
  }
  if (word_bytes == 4) return visit(single_precision, std::type_identity<float>{});
  if (word_bytes == 8) return visit(single_precision, std::type_identity<float2>{});
  return visit(single_precision, std::type_identity<float4>{});
}

template <class Visitor>
static decltype(auto) with_turns(std::uint32_t words_per_thread, Visitor&& visit) {
  if (words_per_thread == 1) return visit(std::integral_constant<unsigned, 1>{});
  if (words_per_thread == 2) return visit(std::integral_constant<unsigned, 2>{});
  return visit(std::integral_constant<unsigned, 4>{});
}

/// A case in numbers.
struct StreamCase {
  std::string name;
  bool doubles;
  Launch launch;
  unsigned inputs;
  bool reduces;

  explicit StreamCase(const Case& decided)
      : name(decided.name("stream")),
        doubles(decided.name("type") == "double"),
        launch{.op = Op::copy,
               .word_bytes = static_cast<std::uint32_t>(decided.number("word_bytes")),
               .count = decided.number("buffer_bytes") / decided.number("word_bytes"),
               .tile = {.block_threads = static_cast<std::uint32_t>(decided.number("block_threads")),
                        .elements_per_thread = static_cast<std::uint32_t>(decided.number("elements_per_thread"))}},
        inputs(with_operation(name, [](auto operation) { return operation.inputs; })),
        reduces(name == "dot") {}

  [[nodiscard]] std::uint32_t real_bytes() const { return doubles ? sizeof(double) : sizeof(float); }
  [[nodiscard]] std::uint64_t array_bytes() const { return launch.count * launch.word_bytes; }
  /// From one array to the next: each starts on a line.
  [[nodiscard]] std::uint64_t step_bytes() const {
    return (array_bytes() + access::line_bytes - 1) / access::line_bytes * access::line_bytes;
  }
  [[nodiscard]] std::uint64_t warps() const { return launch.threads() / access::warp_lanes; }
  [[nodiscard]] std::uint64_t output_bytes() const { return reduces ? warps() * real_bytes() : array_bytes(); }
  [[nodiscard]] std::uint64_t allocated_bytes() const { return inputs * step_bytes() + output_bytes(); }

  /// Calls visit(operation, type_identity<Real>, type_identity<Word>, integral_constant<words per thread>).
  template <class Visitor>
  decltype(auto) with_kernel(Visitor&& visit) const {
    return with_operation(name, [&](auto operation) {
      return with_types(doubles, launch.word_bytes, [&](auto real, auto word) {
        return with_turns(launch.tile.elements_per_thread,
                          [&](auto turns) { return visit(operation, real, word, turns); });
      });
    });
  }
};

/// One element after another.
struct StreamPattern {
  constexpr std::uint64_t operator()(std::uint64_t i) const { return i; }
  [[nodiscard]] constexpr bool active(std::uint64_t) const { return true; }
};

static std::vector<access::Site> stream_sites(const StreamCase& one) {
  const auto request_of = [launch = one.launch](std::uint64_t k) { return request(launch, StreamPattern{}, k); };
  std::vector<access::Site> sites = {
      {.name = one.inputs == 1 ? "source" : "sources",
       .op = access::Op::load,
       .word_bytes = one.launch.word_bytes,
       .instructions = one.inputs * one.launch.tile.elements_per_thread,
       .requests = one.inputs * one.launch.requests(),
       .extent_bytes = one.inputs * one.step_bytes(),
       .request = [=, inputs = one.inputs, step_bytes = one.step_bytes()](std::uint64_t k) {
         access::WarpRequest request = request_of(k / inputs);
         for (std::uint64_t& address : request.address) address += k % inputs * step_bytes;
         return request;
       }}};
  if (one.reduces) return sites;
  sites.push_back({.name = "target",
                   .op = access::Op::store,
                   .word_bytes = one.launch.word_bytes,
                   .instructions = one.launch.tile.elements_per_thread,
                   .requests = one.launch.requests(),
                   .extent_bytes = one.array_bytes(),
                   .request = request_of});
  return sites;
}

static Workload describe_stream(const Case& decided, const Device&) {
  const StreamCase one(decided);
  Workload workload;
  workload.kernel = one.with_kernel([](auto operation, auto real, auto word, auto turns) {
    using Operation = decltype(operation);
    using Real = typename decltype(real)::type;
    using Word = typename decltype(word)::type;
    if constexpr (std::is_same_v<Operation, StreamDot>) {
      return measure::kernel_name<&dot<Word, Real, turns()>>();
    } else {
      return measure::kernel_name<&stream<Word, Operation, turns()>>();
    }
  });
  workload.sites = stream_sites(one);
  workload.useful_bytes_read = one.inputs * one.array_bytes();
  if (!one.reduces) workload.useful_bytes_written = one.array_bytes();
  const unsigned flops = with_operation(one.name, [](auto operation) { return operation.flops; });
  if (flops > 0) workload.useful_flops = flops * (one.array_bytes() / one.real_bytes());
  workload.allocated_bytes = one.allocated_bytes();
  workload.blocks = one.launch.blocks();
  workload.block_threads = one.launch.tile.block_threads;
  return workload;
}

class StreamExperiment final : public measure::Experiment {
 public:
  StreamExperiment(const Case& decided, measure::Session& session)
      : case_(decided),
        session_(&session),
        arrays_(reinterpret_cast<std::byte*>(session.target(case_.allocated_bytes() / sizeof(std::uint32_t)))) {
    fill(session.stream().get());
  }

  void launch(cudaStream_t stream) override {
    case_.with_kernel([&](auto operation, auto real, auto word, auto turns) {
      using Operation = decltype(operation);
      using Real = typename decltype(real)::type;
      using Word = typename decltype(word)::type;
      const auto grid = static_cast<unsigned>(case_.launch.blocks());
      const unsigned block = case_.launch.tile.block_threads;
      const auto* a = array<Word>(0);
      const auto* b = array<Word>(1);
      if constexpr (std::is_same_v<Operation, StreamDot>) {
        dot<Word, Real, turns()><<<grid, block, 0, stream>>>(a, b, array<Real>(case_.inputs), case_.launch.count);
      } else {
        global::stream<Word, Operation, turns()>
            <<<grid, block, 0, stream>>>(a, b, array<Word>(case_.inputs), case_.launch.count);
      }
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    fill(stream);
    measure::poison(array<void>(case_.inputs), case_.output_bytes(), stream);
    launch(stream);
    const measure::CheckResult<Mismatches> found(*session_);
    found.reset(stream);
    check(found.data(), stream);
    const Mismatches result = found.read(stream);
    measure::Verification verification{.mismatches = result.count,
                                       .what = case_.reduces ? "warps' sums" : "elements of the target"};
    if (result.count > 0) verification.first_mismatch = result.first;
    return verification;
  }

 private:
  static constexpr unsigned check_threads = 256;

  [[nodiscard]] unsigned check_blocks() const { return session_->device().multiprocessors * 8; }
  template <class T>
  [[nodiscard]] T* array(unsigned number) const {
    return reinterpret_cast<T*>(arrays_ + number * case_.step_bytes());
  }
  [[nodiscard]] std::uint64_t reals() const { return case_.array_bytes() / case_.real_bytes(); }

  void fill(cudaStream_t stream) {
    for (unsigned number = 0; number < case_.inputs; ++number) {
      if (case_.doubles) {
        fill_stream<<<check_blocks(), check_threads, 0, stream>>>(array<double>(number), number, reals());
      } else {
        fill_stream<<<check_blocks(), check_threads, 0, stream>>>(array<float>(number), number, reals());
      }
    }
    measure::check(cudaGetLastError(), "launch the fill of the arrays");
  }

  void check(Mismatches* found, cudaStream_t stream) {
    case_.with_kernel([&](auto operation, auto real, auto, auto) {
      using Operation = decltype(operation);
      using Real = typename decltype(real)::type;
      const auto* output = array<Real>(case_.inputs);
      if constexpr (std::is_same_v<Operation, StreamDot>) {
        check_dot<<<check_blocks(), check_threads, 0, stream>>>(
            output, reals(), case_.launch.word_bytes / case_.real_bytes(), case_.launch.tile, case_.warps(), found);
      } else {
        check_stream<Real, Operation><<<check_blocks(), check_threads, 0, stream>>>(output, reals(), found);
      }
    });
  }

  StreamCase case_;
  measure::Session* session_;
  std::byte* arrays_;
};

static void validate_stream(const Case& chosen) {
  const std::uint64_t real = chosen.name("type") == "double" ? sizeof(double) : sizeof(float);
  const std::uint64_t word = chosen.is_auto("word_bytes") ? real : chosen.number("word_bytes");
  if (word < real) {
    throw usage_error("--word-bytes " + std::to_string(word) +
                      " has no room for a double; use 8 or 16, or --type float");
  }
  if (!chosen.is_auto("block_threads") && chosen.number("block_threads") % access::warp_lanes != 0) {
    throw usage_error("--block-threads " + std::to_string(chosen.number("block_threads")) +
                      " is no multiple of 32, whose sums dot adds up; use " +
                      std::to_string((chosen.number("block_threads") + 31) / 32 * 32));
  }
  if (chosen.is_auto("buffer_bytes") || chosen.number("buffer_bytes") % word == 0) return;
  const std::uint64_t buffer = chosen.number("buffer_bytes");
  throw usage_error("--buffer " + std::to_string(buffer) + " is not a multiple of the word size of " +
                    std::to_string(word) + " bytes; use " +
                    std::to_string(std::max(buffer / word, std::uint64_t{1}) * word));
}

static std::vector<Axis> stream_axes() {
  Axis word_bytes = word_bytes_axis();
  word_bytes.defaults = "auto";
  word_bytes.takes_auto = true;
  word_bytes.candidates = {16, 8, 4};
  Axis elements_per_thread = elements_per_thread_axis();
  elements_per_thread.purpose = "words per thread and array, a block's width apart";
  elements_per_thread.numbers = {1, 2, 4};
  elements_per_thread.candidates = {1, 2, 4};
  return {{.flag = "stream",
           .parameter = "stream",
           .purpose = "kernel of STREAM: c = a, b = s c, c = a + b, a = b + s c, or the sum of a b",
           .defaults = "copy,mul,add,triad,dot",
           .quick = "copy,triad,dot",
           .names = {"copy", "mul", "add", "triad", "dot"},
           .value_optional = true},
          {.flag = "type",
           .parameter = "type",
           .purpose = "what the arrays hold",
           .defaults = "float,double",
           .quick = "double",
           .names = {"float", "double"}},
          std::move(word_bytes),
          std::move(elements_per_thread),
          block_threads_axis(),
          buffer_axis()};
}

static Probe stream_probe() {
  Probe probe;
  probe.name = "stream";
  probe.purpose = "copy, mul, add, triad and dot: what kernels that stream whole arrays reach";
  probe.axes = stream_axes();
  probe.baseline = std::string("triad");
  probe.describe = describe_stream;
  probe.validate = validate_stream;
  probe.size = [](std::span<Case> sweep, const Device& device) {
    size(sweep, device, [](const Case& one) {
      const unsigned inputs = with_operation(one.name("stream"), [](auto operation) { return operation.inputs; });
      return (inputs + 1) * one.number("buffer_bytes");
    });
  };
  probe.prepare = [](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    return std::make_unique<StreamExperiment>(decided, session);
  };
  probe.conclude = conclude_stream;
  return probe;
}

GPUMEM_PROBE(stream_probe);

}  // namespace gpumem::global
