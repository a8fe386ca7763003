#pragma once
// The kernels of placements (placement.hpp), and how global_probe.cuh gets at them: describe_launch and launch_into of
// a PlacedPattern. A probe's file lists the kernels it needs:
//
//   template <> struct KernelsOf<MyPlacement> { using Shapes = ShapeList<Shape<std::uint32_t, 4>, Shape<uint4, 4>>; };
//
// or `using Shapes = ShapesOfAllWords<4>;` for words of every size.

#include "probes/global/global_probe.cuh"
#include "probes/global/placement.hpp"

namespace gpumem::global {

/// Calls visit(turn, element, element) for what a thread of the kernel accesses.
template <unsigned elements, unsigned turns, class Placement, class Visitor>
__device__ void for_each_element(const Placement& placement, Visitor&& visit) {
  const Tile tile{placed_block_threads, turns};
#pragma unroll
  for (unsigned turn = 0; turn < turns; ++turn) {
    const std::uint64_t thread = tile.element(blockIdx.x, threadIdx.x, turn);
#pragma unroll
    for (unsigned which = 0; which < elements; ++which) {
      if (placement.active(thread, which)) visit(turn, which, placement(thread, which));
    }
  }
}

/// Loads elements. As in `read` nothing is stored unless `checksums` is given.
template <class Word, class Placement, unsigned elements, unsigned turns>
__global__ void __launch_bounds__(placed_block_threads)
    read_placed(const Word* source, std::uint32_t* checksums, Placement placement) {
  if (!has_words<Word>()) return;
  Word word[turns][elements] = {};
  for_each_element<elements, turns>(
      placement, [&](unsigned turn, unsigned which, std::uint64_t at) { word[turn][which] = load(source + at); });
  std::uint32_t checksum = 0;
#pragma unroll
  for (auto& of_turn : word) {
#pragma unroll
    for (const Word& loaded : of_turn) checksum ^= WordTraits<Word>::fold(loaded);
  }
  if (checksums != nullptr) checksums[std::uint64_t{blockIdx.x} * placed_block_threads + threadIdx.x] = checksum;
}

/// Stores elements of random content.
template <class Word, class Placement, unsigned elements, unsigned turns>
__global__ void __launch_bounds__(placed_block_threads) write_placed(Word* target, Placement placement) {
  if (!has_words<Word>()) return;
  for_each_element<elements, turns>(
      placement, [&](unsigned, unsigned, std::uint64_t at) { store(target + at, WordTraits<Word>::random(at)); });
}

/// Copies elements. All loads are issued before the first store waits.
template <class Word, class Placement, unsigned elements, unsigned turns>
__global__ void __launch_bounds__(placed_block_threads)
    copy_placed(const Word* source, Word* target, Placement placement) {
  if (!has_words<Word>()) return;
  Word word[turns][elements];
  for_each_element<elements, turns>(
      placement, [&](unsigned turn, unsigned which, std::uint64_t at) { word[turn][which] = load(source + at); });
  for_each_element<elements, turns>(
      placement, [&](unsigned turn, unsigned which, std::uint64_t at) { store(target + at, word[turn][which]); });
}

/// The shape of a compiled kernel: the word of an instruction, and the elements of a thread.
template <class WordType, unsigned number>
struct Shape {
  using Word = WordType;
  static constexpr unsigned elements = number;
  static constexpr unsigned turns = placed_per_thread(sizeof(Word), elements);
};
template <class... Shapes>
struct ShapeList {};
template <unsigned number>
using ShapesOfAllWords =
    ShapeList<Shape<std::uint8_t, number>, Shape<std::uint16_t, number>, Shape<std::uint32_t, number>,
              Shape<uint2, number>, Shape<uint4, number>, Shape<WideWord, number>>;

template <class Placement>
struct KernelsOf;

/// The shape of the kernel for a placement.
template <class Placement, class... Shapes>
[[nodiscard]] auto shape_of(const Placement& placement, ShapeList<Shapes...>) {
  return first_that<Shapes...>(
      [word_bytes = placement.word_bytes(), elements = placement.elements_per_thread()](auto shape) {
        return sizeof(typename decltype(shape)::Word) == word_bytes && shape.elements == elements;
      });
}
template <class Placement>
[[nodiscard]] auto shape_of(const Placement& placement) {
  return shape_of(placement, typename KernelsOf<Placement>::Shapes{});
}

template <class Placement>
Workload describe_launch(const Launch& launch, const PlacedPattern<Placement>& pattern, access::Space space) {
  Workload workload = workload_of_placed(launch, pattern.placement, space);
  workload.kernel = dispatch(shape_of(pattern.placement), [&](auto shape) {
    using Word = typename decltype(shape)::Word;
    constexpr unsigned elements = shape.elements;
    constexpr unsigned turns = shape.turns;
    if (launch.op == Op::read) return measure::kernel_name<&read_placed<Word, Placement, elements, turns>>();
    if (launch.op == Op::write) return measure::kernel_name<&write_placed<Word, Placement, elements, turns>>();
    return measure::kernel_name<&copy_placed<Word, Placement, elements, turns>>();
  });
  return workload;
}

template <class Placement>
void launch_into(const Launch& launch, const PlacedPattern<Placement>& pattern, const std::uint32_t* source,
                 std::uint32_t* output, cudaStream_t stream) {
  const Placement& placement = pattern.placement;
  const auto grid = static_cast<unsigned>(launch.blocks());
  dispatch(shape_of(placement), [&](auto shape) {
    using Word = typename decltype(shape)::Word;
    constexpr unsigned elements = shape.elements;
    constexpr unsigned turns = shape.turns;
    const auto* from = reinterpret_cast<const Word*>(source);
    auto* to = reinterpret_cast<Word*>(output);
    switch (launch.op) {
      case Op::read:
        read_placed<Word, Placement, elements, turns>
            <<<grid, placed_block_threads, 0, stream>>>(from, output, placement);
        break;
      case Op::write:
        write_placed<Word, Placement, elements, turns><<<grid, placed_block_threads, 0, stream>>>(to, placement);
        break;
      case Op::copy:
        copy_placed<Word, Placement, elements, turns><<<grid, placed_block_threads, 0, stream>>>(from, to, placement);
        break;
    }
  });
  measure::check(cudaGetLastError(), "launch the kernel");
}

template <class Placement>
std::unique_ptr<measure::Experiment> prepare_placed(const Case& decided, const Placement& placement,
                                                    measure::Session& session) {
  return std::make_unique<GlobalExperiment<PlacedPattern<Placement>>>(launch_of(decided[axis::op], placement),
                                                                      PlacedPattern<Placement>{placement}, session);
}

/// Fills in the functions that run a probe with the placement `placement_of(case)`. Only the buffer's size may be auto.
/// `modelling_of(case)` says how far the model reaches.
template <class PlacementOf>
void run_placed(Probe& probe, PlacementOf placement_of, Modelling (*modelling_of)(const Case&)) {
  using Placement = decltype(placement_of(std::declval<const Case&>()));
  probe.describe = [=](const Case& decided, const Device& device) {
    const Placement placement = placement_of(decided);
    const Launch launch = launch_of(decided[axis::op], placement);
    require_words(launch, device);
    Workload workload = describe(launch, PlacedPattern<Placement>{placement});
    const Modelling modelling = modelling_of(decided);
    if (modelling == Modelling::simulated) allow_simulation(workload, launch, placement);
    if (modelling == Modelling::none)
      workload.unmodelled = "the model does not know how far L1 combines neighbouring stores of a thread";
    return workload;
  };
  probe.size = [=](std::span<Case> sweep, const Device& device) {
    size(sweep, device, [&](const Case& tested) {
      const Placement placement = placement_of(tested);
      return allocated_bytes(launch_of(tested[axis::op], placement), placement.extent());
    });
  };
  probe.prepare = [=](const Case& decided, measure::Session& session) {
    return prepare_placed(decided, placement_of(decided), session);
  };
}

}  // namespace gpumem::global
