#pragma once
// The kernels of placements (pieces.hpp), and how global_probe.cuh gets at them: describe_launch and launch_into of a
// PiecePattern. A probe's file lists the kernels it needs:
//
//   template <> struct KernelsOf<MyPlacement> { using Shapes = ShapeList<Shape<std::uint32_t, 4>, Shape<uint4, 4>>; };

#include "probes/global/global_probe.cuh"
#include "probes/global/pieces.hpp"

namespace gpumem::global {

/// Calls visit(turn, piece, element) for what a thread of the kernel accesses.
template <unsigned pieces, unsigned turns, class Placement, class Visitor>
__device__ void for_each_piece(const Placement& placement, Visitor&& visit) {
  const Tile tile{piece_block_threads, turns};
#pragma unroll
  for (unsigned turn = 0; turn < turns; ++turn) {
    const std::uint64_t thread = tile.element(blockIdx.x, threadIdx.x, turn);
#pragma unroll
    for (unsigned piece = 0; piece < pieces; ++piece) {
      if (placement.active(thread, piece)) visit(turn, piece, placement(thread, piece));
    }
  }
}

/// Loads pieces. As in `read` nothing is stored unless `checksums` is given.
template <class Word, class Placement, unsigned pieces, unsigned turns>
__global__ void __launch_bounds__(piece_block_threads)
    read_pieces(const Word* source, std::uint32_t* checksums, Placement placement) {
  Word word[turns][pieces] = {};
  for_each_piece<pieces, turns>(
      placement, [&](unsigned turn, unsigned piece, std::uint64_t at) { word[turn][piece] = source[at]; });
  std::uint32_t checksum = 0;
#pragma unroll
  for (auto& of_turn : word) {
#pragma unroll
    for (const Word one : of_turn) checksum ^= WordTraits<Word>::fold(one);
  }
  if (checksums != nullptr) checksums[std::uint64_t{blockIdx.x} * piece_block_threads + threadIdx.x] = checksum;
}

/// Stores pieces of random content.
template <class Word, class Placement, unsigned pieces, unsigned turns>
__global__ void __launch_bounds__(piece_block_threads) write_pieces(Word* target, Placement placement) {
  for_each_piece<pieces, turns>(
      placement, [&](unsigned, unsigned, std::uint64_t at) { target[at] = WordTraits<Word>::random(at); });
}

/// Copies pieces. All loads are issued before the first store waits.
template <class Word, class Placement, unsigned pieces, unsigned turns>
__global__ void __launch_bounds__(piece_block_threads)
    copy_pieces(const Word* source, Word* target, Placement placement) {
  Word word[turns][pieces];
  for_each_piece<pieces, turns>(
      placement, [&](unsigned turn, unsigned piece, std::uint64_t at) { word[turn][piece] = source[at]; });
  for_each_piece<pieces, turns>(
      placement, [&](unsigned turn, unsigned piece, std::uint64_t at) { target[at] = word[turn][piece]; });
}

/// Of a kernel: what an instruction accesses, and how many pieces a thread has.
template <class WordType, unsigned number>
struct Shape {
  using Word = WordType;
  static constexpr unsigned pieces = number;
  static constexpr unsigned turns = placed_per_thread(sizeof(Word), pieces);
};
template <class... Shapes>
struct ShapeList {};

template <class Placement>
struct KernelsOf;

/// Calls visit(shape) for the one that fits.
template <class Visitor, class... Shapes>
void with_shape(ShapeList<Shapes...>, std::uint32_t word_bytes, std::uint32_t pieces, Visitor&& visit) {
  static_cast<void>(
      ((sizeof(typename Shapes::Word) == word_bytes && Shapes::pieces == pieces && (visit(Shapes{}), true)) || ...));
}

template <class Placement>
Workload describe_launch(const Launch& launch, const PiecePattern<Placement>& pattern, access::Space space) {
  Workload workload = workload_of_pieces(launch, pattern.placement, space);
  with_shape(typename KernelsOf<Placement>::Shapes{}, launch.word_bytes, pattern.placement.pieces(), [&](auto shape) {
    using Word = typename decltype(shape)::Word;
    if (launch.op == Op::read) {
      workload.kernel = measure::kernel_name<&read_pieces<Word, Placement, shape.pieces, shape.turns>>();
    } else if (launch.op == Op::write) {
      workload.kernel = measure::kernel_name<&write_pieces<Word, Placement, shape.pieces, shape.turns>>();
    } else {
      workload.kernel = measure::kernel_name<&copy_pieces<Word, Placement, shape.pieces, shape.turns>>();
    }
  });
  return workload;
}

template <class Placement>
void launch_into(const Launch& launch, const PiecePattern<Placement>& pattern, const std::uint32_t* source,
                 std::uint32_t* output, cudaStream_t stream) {
  const Placement& placement = pattern.placement;
  const auto grid = static_cast<unsigned>(launch.blocks());
  with_shape(typename KernelsOf<Placement>::Shapes{}, launch.word_bytes, placement.pieces(), [&](auto shape) {
    using Word = typename decltype(shape)::Word;
    constexpr unsigned pieces = shape.pieces;
    constexpr unsigned turns = shape.turns;
    const auto* from = reinterpret_cast<const Word*>(source);
    auto* to = reinterpret_cast<Word*>(output);
    switch (launch.op) {
      case Op::read:
        read_pieces<Word, Placement, pieces, turns><<<grid, piece_block_threads, 0, stream>>>(from, output, placement);
        break;
      case Op::write:
        write_pieces<Word, Placement, pieces, turns><<<grid, piece_block_threads, 0, stream>>>(to, placement);
        break;
      case Op::copy:
        copy_pieces<Word, Placement, pieces, turns><<<grid, piece_block_threads, 0, stream>>>(from, to, placement);
        break;
    }
  });
  measure::check(cudaGetLastError(), "launch the kernel");
}

template <class Placement>
std::unique_ptr<measure::Experiment> prepare_pieces(const Case& decided, const Placement& placement,
                                                    measure::Session& session) {
  return std::make_unique<GlobalExperiment<PiecePattern<Placement>>>(launch_of(op_of(decided), placement),
                                                                     PiecePattern<Placement>{placement}, session);
}

/// Supplies what runs a probe whose placement is `placement_of(case)`, where only the buffer's size may be auto.
/// `reach_of(case)` says how far the model reaches.
template <class PlacementOf>
void run_pieces(Probe& probe, PlacementOf placement_of, Reach (*reach_of)(const Case&)) {
  using Placement = decltype(placement_of(std::declval<const Case&>()));
  probe.describe = [=](const Case& decided, const Device&) {
    const Placement placement = placement_of(decided);
    const Launch launch = launch_of(op_of(decided), placement);
    Workload workload = describe(launch, PiecePattern<Placement>{placement});
    const Reach reach = reach_of(decided);
    if (reach == Reach::played) make_playable(workload, launch, placement);
    if (reach == Reach::none)
      workload.unmodelled = "how far L1 combines what a thread stores next to each other is no part of the model";
    return workload;
  };
  probe.size = [=](std::span<Case> sweep, const Device& device) {
    size(sweep, device, [&](const Case& one) {
      const Placement placement = placement_of(one);
      return allocated_bytes(launch_of(op_of(one), placement), placement.extent());
    });
  };
  probe.prepare = [=](const Case& decided, measure::Session& session) {
    return prepare_pieces(decided, placement_of(decided), session);
  };
}

}  // namespace gpumem::global
