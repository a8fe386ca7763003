// Stream: the kernels of STREAM (McCalpin) as BabelStream runs them on GPUs: c = a, b = s c, c = a + b, a = b + s c and
// the sum of a b. Every access coalesces; they differ in how many arrays they read for one they write.

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/experiment.hpp"
#include "probes/global/launch.cuh"
#include "probes/global/stream/stream_kernels.cuh"

namespace gpumem::global {

namespace axis {
constexpr Choice<StreamKernel> stream_kernel{"stream", {"copy", "mul", "add", "triad", "dot"}};
constexpr Choice<ElementType> stream_type{"type",
                                          {{"float", ElementType::float32},
                                           {"double", ElementType::float64},
                                           {"half", ElementType::half},
                                           {"bfloat16", ElementType::bfloat16},
                                           {"int8", ElementType::int8},
                                           {"fp8", ElementType::fp8}}};
}  // namespace axis

static auto operation_of(StreamKernel kernel) {
  return first_that<StreamCopy, StreamMul, StreamAdd, StreamTriad, StreamDot>(
      [=](auto operation) { return operation.kernel == kernel; });
}

static unsigned inputs_of(StreamKernel kernel) {
  return dispatch(operation_of(kernel), [](auto operation) { return operation.inputs; });
}

static auto real_of(ElementType type) {
  return real_among<ElementType::float32, ElementType::float64, ElementType::half, ElementType::bfloat16,
                    ElementType::int8, ElementType::fp8>(type);
}

/// The type of the arrays' elements, and the type that an instruction loads or stores.
template <ElementType real_type, class WordType>
struct StreamTypes {
  static constexpr ElementType type = real_type;
  using Real = typename NamedReal<real_type>::Real;
  using Word = WordType;
};

template <class... Types>
struct TypeList {};
using CompiledTypes =
    TypeList<StreamTypes<ElementType::float32, float>, StreamTypes<ElementType::float32, float2>,
             StreamTypes<ElementType::float32, float4>, StreamTypes<ElementType::float64, double>,
             StreamTypes<ElementType::float64, double2>, StreamTypes<ElementType::half, std::uint16_t>,
             StreamTypes<ElementType::half, std::uint32_t>, StreamTypes<ElementType::half, uint4>,
             StreamTypes<ElementType::bfloat16, std::uint16_t>, StreamTypes<ElementType::bfloat16, std::uint32_t>,
             StreamTypes<ElementType::bfloat16, uint4>, StreamTypes<ElementType::int8, std::uint8_t>,
             StreamTypes<ElementType::int8, std::uint32_t>, StreamTypes<ElementType::int8, uint4>,
             StreamTypes<ElementType::fp8, std::uint8_t>, StreamTypes<ElementType::fp8, std::uint32_t>,
             StreamTypes<ElementType::fp8, uint4>>;

template <class... Types>
static auto types_of(ElementType type, std::uint32_t word_bytes, TypeList<Types...>) {
  return first_that<Types...>(
      [=](auto types) { return types.type == type && sizeof(typename decltype(types)::Word) == word_bytes; });
}

/// The operation as the kernel for a type takes it.
template <class Operation, class Real>
using OperationOn = std::conditional_t<
    !is_narrow<Real>, Operation,
    std::conditional_t<std::is_same_v<Operation, StreamCopy>, CopiedBits, OnElements<Operation, Real>>>;

/// A case in numbers.
struct StreamCase {
  StreamKernel kernel;
  ElementType type;
  std::uint32_t real_bytes;
  Launch launch;
  unsigned inputs;
  bool reduces;

  explicit StreamCase(const Case& decided)
      : kernel(decided[axis::stream_kernel]),
        type(decided[axis::stream_type]),
        real_bytes(bytes_of(type)),
        launch{.op = Op::copy,
               .word_bytes = decided[axis::word_bytes],
               .count = decided[axis::buffer_bytes] / decided[axis::word_bytes],
               .tile = {.block_threads = decided[axis::block_threads],
                        .elements_per_thread = decided[axis::elements_per_thread]}},
        inputs(inputs_of(kernel)),
        reduces(kernel == StreamKernel::dot) {}

  [[nodiscard]] std::uint64_t array_bytes() const { return launch.count * launch.word_bytes; }
  /// Bytes from one array to the next. Each array starts on a line.
  [[nodiscard]] std::uint64_t step_bytes() const {
    return (array_bytes() + access::line_bytes - 1) / access::line_bytes * access::line_bytes;
  }
  [[nodiscard]] std::uint64_t warps() const { return launch.threads() / access::warp_lanes; }
  [[nodiscard]] std::uint64_t output_bytes() const {
    return reduces ? warps() * std::max<std::uint64_t>(real_bytes, sizeof(float)) : array_bytes();
  }
  [[nodiscard]] std::uint64_t allocated_bytes() const { return inputs * step_bytes() + output_bytes(); }

  // The operation, the types and the turns of the compiled kernel that the case runs.
  [[nodiscard]] auto operation() const { return operation_of(kernel); }
  [[nodiscard]] auto types() const { return types_of(type, launch.word_bytes, CompiledTypes{}); }
  [[nodiscard]] auto real() const { return real_of(type); }
  [[nodiscard]] auto turns() const { return one_of<1, 2, 4>(launch.tile.elements_per_thread); }
};

static std::vector<access::Site> stream_sites(const StreamCase& streamed) {
  const auto request_of = [launch = streamed.launch](std::uint64_t k) { return request(launch, EveryElement{}, k); };
  std::vector<access::Site> sites = {
      {.name = streamed.inputs == 1 ? "source" : "sources",
       .op = access::Op::load,
       .word_bytes = streamed.launch.word_bytes,
       .instructions = streamed.inputs * streamed.launch.tile.elements_per_thread,
       .requests = streamed.inputs * streamed.launch.requests(),
       .extent_bytes = streamed.inputs * streamed.step_bytes(),
       .request = [=, inputs = streamed.inputs, step_bytes = streamed.step_bytes()](std::uint64_t k) {
         access::WarpRequest request = request_of(k / inputs);
         for (std::uint64_t& address : request.address) address += k % inputs * step_bytes;
         return request;
       }}};
  if (streamed.reduces) return sites;
  sites.push_back({.name = "target",
                   .op = access::Op::store,
                   .word_bytes = streamed.launch.word_bytes,
                   .instructions = streamed.launch.tile.elements_per_thread,
                   .requests = streamed.launch.requests(),
                   .extent_bytes = streamed.array_bytes(),
                   .request = request_of});
  return sites;
}

/// Scheduler cycles of words of 1 and 2 bytes: of a word of the target or of dot, and of the conversions between fp8
/// and float beside. Found with 2 words per thread (configs/reference/h100/words-stream.json).
static std::function<double(const model::Rates&)> stream_cycles(const StreamCase& streamed) {
  constexpr double conversion_cycles = 3;
  constexpr double product_cycles = 6;  // of dot, with its share of the sum over the warp
  const double arrays = streamed.inputs + (streamed.reduces ? 0 : 1);
  const bool converts = streamed.type == ElementType::fp8 && streamed.kernel != StreamKernel::copy;
  const NarrowCycles each{
      .read = 0,
      .write = 0,
      .copy = 40 + (converts ? conversion_cycles * arrays : 0) + (streamed.reduces ? product_cycles : 0)};
  return narrow_cycles(streamed.launch, each);
}

static Workload describe_stream(const Case& decided, const Device&) {
  const StreamCase streamed(decided);
  Workload workload;
  workload.kernel =
      dispatch(streamed.operation(), streamed.types(), streamed.turns(), [](auto operation, auto types, auto turns) {
        using Operation = decltype(operation);
        using Real = typename decltype(types)::Real;
        using Word = typename decltype(types)::Word;
        if constexpr (std::is_same_v<Operation, StreamDot>) {
          return measure::kernel_name<&dot<Word, Real, turns()>>();
        } else {
          return measure::kernel_name<&stream<Word, OperationOn<Operation, Real>, turns()>>();
        }
      });
  workload.sites = stream_sites(streamed);
  workload.useful_bytes_read = streamed.inputs * streamed.array_bytes();
  if (!streamed.reduces) workload.useful_bytes_written = streamed.array_bytes();
  const unsigned flops = dispatch(streamed.operation(), [](auto operation) { return operation.flops; });
  const bool is_float = streamed.type != ElementType::int8;
  if (flops > 0 && is_float) workload.useful_flops = flops * (streamed.array_bytes() / streamed.real_bytes);
  workload.double_precision = streamed.type == ElementType::float64;
  workload.address_cycles = stream_cycles(streamed);
  workload.allocated_bytes = streamed.allocated_bytes();
  workload.blocks = streamed.launch.blocks();
  workload.block_threads = streamed.launch.tile.block_threads;
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
    dispatch(case_.operation(), case_.types(), case_.turns(), [&](auto operation, auto types, auto turns) {
      using Operation = decltype(operation);
      using Real = typename decltype(types)::Real;
      using Word = typename decltype(types)::Word;
      const auto grid = static_cast<unsigned>(case_.launch.blocks());
      const unsigned block = case_.launch.tile.block_threads;
      const auto* a = array<Word>(0);
      const auto* b = array<Word>(1);
      if constexpr (std::is_same_v<Operation, StreamDot>) {
        dot<Word, Real, turns()><<<grid, block, 0, stream>>>(a, b, array<Sum<Real>>(case_.inputs), case_.launch.count);
      } else {
        global::stream<Word, OperationOn<Operation, Real>, turns()>
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
    return found.verification(stream, case_.reduces ? "warps' sums" : "elements of the target");
  }

 private:
  static constexpr unsigned check_threads = 256;

  [[nodiscard]] unsigned check_blocks() const { return session_->device().multiprocessors * 8; }
  template <class T>
  [[nodiscard]] T* array(unsigned number) const {
    return reinterpret_cast<T*>(arrays_ + number * case_.step_bytes());
  }
  [[nodiscard]] std::uint64_t reals() const { return case_.array_bytes() / case_.real_bytes; }

  void fill(cudaStream_t stream) {
    dispatch(case_.real(), [&](auto real) {
      for (unsigned number = 0; number < case_.inputs; ++number) {
        fill_stream<<<check_blocks(), check_threads, 0, stream>>>(array<typename decltype(real)::Real>(number), number,
                                                                  reals());
      }
    });
    measure::check(cudaGetLastError(), "launch the fill of the arrays");
  }

  void check(Mismatches* found, cudaStream_t stream) {
    dispatch(case_.operation(), case_.real(), [&](auto operation, auto real) {
      using Operation = decltype(operation);
      using Real = typename decltype(real)::Real;
      if constexpr (std::is_same_v<Operation, StreamDot>) {
        check_dot<Real><<<check_blocks(), check_threads, 0, stream>>>(array<Sum<Real>>(case_.inputs), reals(),
                                                                      case_.launch.word_bytes / case_.real_bytes,
                                                                      case_.launch.tile, case_.warps(), found);
      } else {
        check_stream<Real, Operation>
            <<<check_blocks(), check_threads, 0, stream>>>(array<Real>(case_.inputs), reals(), found);
      }
    });
  }

  StreamCase case_;
  measure::Session* session_;
  std::byte* arrays_;
};

template <class... Types>
static bool is_compiled(ElementType type, std::uint32_t word_bytes, TypeList<Types...>) {
  return ((Types::type == type && sizeof(typename Types::Word) == word_bytes) || ...);
}
static bool is_compiled(ElementType type, std::uint32_t word_bytes) {
  return is_compiled(type, word_bytes, CompiledTypes{});
}

/// Returns the sizes of words in which a type comes: "2, 4 or 16".
static std::string words_of(ElementType type) {
  std::vector<std::string> sizes;
  for (std::uint32_t bytes = 1; bytes <= sizeof(uint4); bytes *= 2) {
    if (is_compiled(type, bytes)) sizes.push_back(std::to_string(bytes));
  }
  std::string text = sizes.front();
  for (std::size_t k = 1; k < sizes.size(); ++k) text += (k + 1 < sizes.size() ? ", " : " or ") + sizes[k];
  return text;
}

static void validate_stream(const Case& chosen) {
  const ElementType type = chosen[axis::stream_type];
  const std::uint32_t real = bytes_of(type);
  const std::uint32_t word = chosen.is_auto(axis::word_bytes) ? real : chosen[axis::word_bytes];
  if (!is_compiled(type, word)) {
    throw usage_error("--word-bytes " + std::to_string(word) + " is no word of " + chosen.name(axis::stream_type) +
                      " elements; use " + words_of(type));
  }
  if (!chosen.is_auto(axis::block_threads) && chosen[axis::block_threads] % access::warp_lanes != 0) {
    throw usage_error("--block-threads " + std::to_string(chosen[axis::block_threads]) +
                      " is no multiple of 32, whose sums dot adds up; use " +
                      std::to_string((chosen[axis::block_threads] + 31) / 32 * 32));
  }
  require_whole_words(chosen, word);
}

static std::vector<Axis> stream_axes() {
  Axis word_bytes = word_bytes_axis();
  word_bytes.defaults = "auto";
  word_bytes.takes_auto = true;
  word_bytes.candidates = {16, 8, 4};
  word_bytes.numbers = {1, 2, 4, 8, 16};
  word_bytes.purpose = "size of a word of elements: what one thread moves with one instruction";
  Axis elements_per_thread = elements_per_thread_axis();
  elements_per_thread.purpose = "words per thread and array, a block's width apart";
  elements_per_thread.numbers = {1, 2, 4};
  elements_per_thread.candidates = {1, 2, 4};
  return {axis::stream_kernel({.flag = "stream",
                               .purpose = "kernel of STREAM: c = a, b = s c, c = a + b, a = b + s c, or the sum of a b",
                               .quick = "copy,triad,dot",
                               .value_optional = true}),
          axis::stream_type({.flag = "type",
                             .purpose = "type of the arrays' elements; fp8 (e4m3) is computed with through float",
                             .defaults = "float,double",
                             .quick = "double"}),
          std::move(word_bytes),
          std::move(elements_per_thread),
          block_threads_axis(),
          buffer_axis()};
}

/// Concludes which kernel moves the most bytes per second, from cases of one type and launch shape.
static Conclusion conclude_stream(std::span<const Outcome> outcomes) {
  const Outcome& best = best_of(outcomes);
  const Outcome& worst = worst_of(outcomes);
  const auto fact = [&](FactKind kind, std::vector<std::size_t> shown_by, const char* says, const Outcome& outcome) {
    return Fact{kind,
                std::move(shown_by),
                says,
                {{"type", outcome.tested.name(axis::stream_type)},
                 {"kernel", outcome.tested.name(axis::stream_kernel)},
                 headline_value("rate_gb_per_s", outcome)}};
  };
  if (outcomes.size() == 1) {
    return {.facts = {fact(FactKind::fastest, {best.index}, "{kernel} in {type} reaches {rate_gb_per_s}.", best)}};
  }
  if (as_good(worst, best)) {
    return {.facts = {fact(FactKind::as_fast_as, all_of(outcomes),
                           "In {type} all of the kernels are equally fast: {rate_gb_per_s}.", best)}};
  }
  Fact cost = fact(FactKind::costs, {worst.index, best.index},
                   "Per byte {kernel} takes {slowdown_ratio} as long: {rate_gb_per_s}. Compare your kernel with the "
                   "one that reads and writes as much.",
                   worst);
  cost.values.push_back(gain_value("slowdown_ratio", worst, best));
  return {.facts = {fact(FactKind::fastest, {best.index}, "In {type} {kernel} is fastest: {rate_gb_per_s}.", best),
                    std::move(cost)}};
}

static Probe stream_probe() {
  Probe probe;
  probe.name = "stream";
  probe.purpose = "copy, mul, add, triad and dot: how fast whole arrays stream";
  probe.family = Family::global;
  probe.axes = stream_axes();
  probe.baseline = std::string("triad");
  probe.describe = describe_stream;
  probe.validate = validate_stream;
  probe.size = [](std::span<Case> sweep, const Device& device) {
    size(sweep, device,
         [](const Case& tested) { return (inputs_of(tested[axis::stream_kernel]) + 1) * tested[axis::buffer_bytes]; });
  };
  probe.prepare = prepared<StreamExperiment>;
  probe.conclude = conclude_stream;
  return probe;
}

GPUMEM_PROBE(stream_probe);

}  // namespace gpumem::global
