#include "program/machine_code/warp_path.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "program/machine_code/block_counts.hpp"
#include "program/machine_code/constant_branches.hpp"
#include "program/machine_code/instructions.hpp"
#include "program/read/raw_words.hpp"

namespace gpumem::program {

namespace {

using Kind = MachineInstruction::Kind;

/// The counts of a load that was seen.
struct SeenLoad {
  double times = 0;   ///< that warps issued it
  double misses = 1;  ///< share of these that L1 did not have all of
};

/// The scoreboards of a warp that runs alone. Time is counted in cycles and, apart from these, in waits for loads.
class LoneWarp {
 public:
  /// Without `loads`, every load waits.
  LoneWarp(const std::map<std::size_t, SeenLoad>* loads, const model::Rates& rates) : loads_(loads), rates_(rates) {}

  void run(const std::vector<MachineInstruction>& code, const BasicBlock& block) {
    for (std::size_t i = block.begin; i < block.end; ++i) issue(code[i], i, block.times);
  }
  [[nodiscard]] const Chain& chain() const { return now_; }

 private:
  void issue(const MachineInstruction& instruction, std::size_t index, double block_times) {
    for (std::size_t board = 0; board < boards; ++board) {
      if ((instruction.waits_for >> board & 1U) == 0) continue;
      now_.waits = std::max(now_.waits, free_[board].waits);
      now_.cycles = std::max(now_.cycles, free_[board].cycles);
    }
    if (instruction.sets >= 0) take(instruction.sets, after(instruction, index, block_times));
    if (instruction.reads >= 0) take(instruction.reads, {now_.waits, now_.cycles + read_cycles});
    now_.cycles += instruction.stall;
    if (instruction.kind == Kind::wait) now_.cycles += barrier_cycles;
    if (instruction.kind == Kind::fence) now_.cycles += fence_cycles;
  }

  /// The time at which the instruction's result is there.
  [[nodiscard]] Chain after(const MachineInstruction& instruction, std::size_t index, double block_times) const {
    if (instruction.kind == Kind::off_chip_load) {
      if (loads_ == nullptr) return {now_.waits + 1, now_.cycles + rates_.latency.l1_cycles};
      const auto load = loads_->find(index);
      constexpr double usual = 0.5;
      if (load == loads_->end() || load->second.times < usual * block_times) return now_;
      return {now_.waits + load->second.misses, now_.cycles + rates_.latency.l1_cycles};
    }
    if (instruction.swaps_shared) return {now_.waits, now_.cycles + swap_cycles};
    return {now_.waits,
            now_.cycles + (instruction.kind == Kind::shared_load ? rates_.latency.shared_cycles : other_cycles)};
  }

  void take(int board, Chain until) {
    Chain& free = free_[static_cast<std::size_t>(board) % boards];
    free.waits = std::max(free.waits, until.waits);
    free.cycles = std::max(free.cycles, until.cycles);
  }

  static constexpr std::size_t boards = 6;
  static constexpr double read_cycles = 12;  // about what a request takes to leave the register file
  // __threadfence() takes 665 cycles on an H100 if a warp of each multiprocessor does nothing else, and 681 behind a
  // store.
  static constexpr double fence_cycles = 665;
  static constexpr double barrier_cycles = 7;  // of a warp that waits for no other, besides the stalls of the code
  // For special functions, conversions and special registers. Chains of MUFU, POPC, BREV and F2I take 16.8 to 18 cycles
  // each on an H100.
  static constexpr double other_cycles = 17;

  // Lanes that add floats to a word of shared memory load, add, compare and swap one after another. That takes 145.8
  // cycles a lane on an H100, for 1 to 32 lanes of a warp, all else in it 47.
  static constexpr double swap_cycles = 99;

  const std::map<std::size_t, SeenLoad>* loads_;
  const model::Rates& rates_;
  Chain now_;
  std::array<Chain, boards> free_{};
};

/// The rounds of a loop that compares and swaps at one word of shared memory, for a block of so many warps. One lane
/// succeeds in each. Warps get in each other's way: an addition takes 48.6, 45.6, 43.2 and 42.6 cycles on an H100 if
/// 4, 8, 16 and 32 warps make them, where a lone warp takes 145.8.
double rounds_of_swaps(double warps) {
  constexpr double alone_cycles = 145.8;
  constexpr double together_cycles = 45;
  return access::warp_lanes * std::max(1.0, warps * together_cycles / alone_cycles);
}

void add_rounds_of_swaps(ConstantBranches& constant, const std::vector<MachineInstruction>& code, double warps) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].kind != Kind::branch || code[i].target >= i) continue;
    const auto begin = code.begin() + static_cast<std::ptrdiff_t>(code[i].target);
    const auto end = code.begin() + static_cast<std::ptrdiff_t>(i);
    const bool is_inner = std::none_of(begin, end, [](const auto& inside) { return inside.kind == Kind::branch; });
    if (is_inner && std::any_of(begin, end, [](const auto& inside) { return inside.swaps_shared; }))
      constant.rounds.try_emplace(code[i].target, rounds_of_swaps(warps));
  }
}

/// Adds up the cycles that the counted blocks keep pipes busy, and the time that warps wait in them.
class Path {
 public:
  /// The path of warps that wait for every load.
  Path(const BlockCounts& counts, double warps, const model::Rates& rates)
      : counts_(counts), warps_(warps), rates_(rates), all_loads_wait_(true) {}
  Path(const BlockCounts& counts, const std::vector<inject::Site>& sites, double warps, const model::Rates& rates)
      : counts_(counts), warps_(warps), rates_(rates) {
    for (const inject::Site& site : sites) {
      constexpr unsigned elsewhere = inject::raw_outside_kernel | inject::raw_not_counted;
      if ((site.flags & elsewhere) == 0) counted_[site.pc / instruction_bytes] = &site;
      if (!is_off_chip(site) || site.op == inject::RawOp::store) continue;
      if ((site.flags & inject::raw_outside_kernel) != 0) continue;
      const std::size_t index = site.pc / instruction_bytes;
      const auto seen = counts.seen().find(index);
      if (seen == counts.seen().end()) continue;
      const auto requests = static_cast<double>(std::max(site.requests, std::uint64_t{1}));
      SeenLoad& load = loads_[index];
      load.times = seen->second;
      load.misses = std::min(1.0, static_cast<double>(site.l2_requests) / requests);
    }
  }

  [[nodiscard]] WarpPath path() const {
    WarpPath path;
    path.known = true;
    path.polls = counts_.polls();
    for (const BasicBlock& block : counts_.blocks()) {
      const double times = block.times;
      if (times == 0) continue;
      for (std::size_t i = block.begin; i < block.end; ++i) {
        const MachineInstruction& instruction = counts_.code()[i];
        path.busy_cycles[static_cast<std::size_t>(Pipe::issue)] += times * instruction.turns;
        if (instruction.kind == Kind::wait) path.barriers += times;
        const inject::Site* const site = site_at(i);
        if (site == nullptr) path.matrix_wavefronts += times * instruction.wavefronts;
        if (instruction.pipe != Pipe::issue)
          path.busy_cycles[static_cast<std::size_t>(instruction.pipe)] += times * cycles_of(instruction, site);
        if (instruction.computes_floats) path.float_cycles += times * instruction.cycles;
        if (instruction.hidden == Hidden::matrix_product) path.multiplies_by_warpgroup = true;
        if (instruction.hidden != Hidden::nothing && site == nullptr) path.uncounted.push_back({i, instruction.hidden});
      }
    }
    add(path.chains, region(outside, warps_));
    double least_waits = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < counts_.loops().size(); ++i) {
      double times = counts_.loops()[i].times.value_or(0);
      for (const BasicBlock& block : counts_.blocks()) {
        if (block.loop == i && !counts_.loops()[i].times) times = std::max(times, block.times);
      }
      if (times == 0) continue;
      const Region way = region(i, times);
      add(path.chains, way);
      if (way.loads > 0 && way.chain.waits / way.loads < least_waits) {
        least_waits = way.chain.waits / way.loads;
        path.per_load = {least_waits, way.chain.cycles / way.loads};
      }
      path.has_unseen_loops = path.has_unseen_loops || !(counts_.loops()[i].times || counts_.loops()[i].rounds);
    }
    return path;
  }

 private:
  /// The site that counts what the instruction moves; null if none does.
  [[nodiscard]] const inject::Site* site_at(std::size_t index) const {
    const auto site = counted_.find(index);
    return site == counted_.end() ? nullptr : site->second;
  }

  /// The cycles that a warp keeps the pipe of its scheduler busy. A matrix product of 64 rows by 32 bytes of each takes
  /// 4 cycles of the tensor core for 8 columns, whatever the type is, at the rate of NVIDIA's H100 white paper (4096
  /// FP16 operations a cycle and multiprocessor). The site tells the columns.
  static double cycles_of(const MachineInstruction& instruction, const inject::Site* site) {
    constexpr double cycles_of_eight_columns = 4;
    if (instruction.hidden != Hidden::matrix_product || site == nullptr) return instruction.cycles;
    return cycles_of_eight_columns * static_cast<double>(site->active_lanes) / static_cast<double>(site->requests);
  }

  [[nodiscard]] double loads_in(const BasicBlock& block) const {
    double loads = 0;
    for (auto load = loads_.lower_bound(block.begin); load != loads_.end() && load->first < block.end; ++load) {
      loads += load->second.times;
    }
    return loads;
  }

  /// The waits and loads of all warps together in one loop, or outside of all loops.
  struct Region {
    Chain chain;
    double loads = 0;
  };

  static void add(Chain& sum, const Region& region) {
    sum.waits += region.chain.waits;
    sum.cycles += region.chain.cycles;
  }

  /// The region of one loop, or of the code outside of all loops, which warps go through `times` times. Blocks that run
  /// half as often or less are timed by themselves.
  [[nodiscard]] Region region(std::size_t loop, double times) const {
    constexpr double usual = 0.5;
    Region all;
    const auto run = [&](const std::vector<const BasicBlock*>& way, int rounds_before, int rounds, double often) {
      LoneWarp warp(all_loads_wait_ ? nullptr : &loads_, rates_);
      Chain before;
      for (int round = -rounds_before; round < rounds; ++round) {
        if (round == 0) before = warp.chain();
        for (const BasicBlock* block : way) warp.run(counts_.code(), *block);
      }
      all.chain.waits += often / rounds * (warp.chain().waits - before.waits);
      all.chain.cycles += often / rounds * (warp.chain().cycles - before.cycles);
    };
    std::vector<const BasicBlock*> way;
    for (const BasicBlock& block : counts_.blocks()) {
      if (block.loop != loop || block.times == 0) continue;
      all.loads += loads_in(block);
      const bool is_usual = block.times > usual * times && !(block.of_subroutine && block.times > times);
      if (is_usual) {
        way.push_back(&block);
      } else {
        run({&block}, 0, 1, block.times);
      }
    }
    // A loop is timed for four rounds after the first two, when each round waits for the loads of the one before.
    loop == outside ? run(way, 0, 1, times) : run(way, 2, 4, times);
    return all;
  }

  const BlockCounts& counts_;
  double warps_;
  const model::Rates& rates_;
  bool all_loads_wait_ = false;
  std::map<std::size_t, SeenLoad> loads_;
  std::map<std::size_t, const inject::Site*> counted_;  // by instruction
};

}  // namespace

WarpPath warp_path(const KernelCode& code, const std::vector<inject::Site>& sites, double warps,
                   const model::Rates& rates, const LaunchConstants& constants, UnseenWays unseen) {
  std::vector<MachineInstruction> instructions = instructions_of(code.bytes, code.major);
  if (instructions.empty()) return {};
  ConstantBranches constant = constant_branches(code.bytes, instructions, code.major, constants);
  const BlockCounts counts(std::move(instructions), sites, warps, std::move(constant), unseen);
  return Path(counts, sites, warps, rates).path();
}

Chain longest_way(const KernelCode& code, double warps, const model::Rates& rates, const LaunchConstants& constants) {
  std::vector<MachineInstruction> instructions = instructions_of(code.bytes, code.major);
  if (instructions.empty()) return {};
  ConstantBranches constant = constant_branches(code.bytes, instructions, code.major, constants);
  add_rounds_of_swaps(constant, instructions, warps);
  for (MachineInstruction& instruction : instructions) instruction.seen = false;
  const BlockCounts counts(std::move(instructions), {}, warps, std::move(constant), UnseenWays::most);
  const Chain all = Path(counts, warps, rates).path().chains;
  return {all.waits / warps, all.cycles / warps};
}

}  // namespace gpumem::program
