#include "app/program/machine_code/warp_path.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "app/program/machine_code/constant_branches.hpp"
#include "app/program/machine_code/instructions.hpp"
#include "app/program/raw_words.hpp"

namespace gpumem::app {

namespace {

using Kind = MachineInstruction::Kind;

constexpr std::size_t outside = ~std::size_t{0};  ///< of all loops

/// Instructions that run one after another, as often.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t loop = outside;  ///< index of the innermost
  bool runs = true;            ///< as far as what it was launched with tells
  double times = 0;            ///< that warps ran it, at most
  double least = 0;            ///< and at least, for they were seen there
  bool certain = false;        ///< seen whenever it runs
  std::vector<std::size_t> next = {};
  std::vector<std::size_t> before = {};
  bool may_begin = false;  ///< warps may come from elsewhere
  bool may_end = false;    ///< or go there
};

/// From the target of a branch back to that branch.
struct Loop {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t around = outside;       ///< index of the innermost that it is in
  std::optional<double> times = {};   ///< that warps went through it; absent: nothing in it was seen
  std::optional<double> rounds = {};  ///< each time that it is entered, where that is known
  double entered = 0;                 ///< times that warps came to it from elsewhere
};

/// What a load is, as it was seen.
struct SeenLoad {
  double times = 0;   ///< that warps issued it
  double misses = 1;  ///< share of these that L1 did not have all of
};

/// The scoreboards of a warp that runs alone. Time is in cycles, and apart from it in waits for loads.
class LoneWarp {
 public:
  LoneWarp(const std::map<std::size_t, SeenLoad>& loads, const model::Rates& rates) : loads_(loads), rates_(rates) {}

  void run(const std::vector<MachineInstruction>& code, const Block& block) {
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
    now_.cycles += instruction.stall + (instruction.kind == Kind::wait ? barrier_cycles : 0);
  }

  /// When its result is there.
  [[nodiscard]] Chain after(const MachineInstruction& instruction, std::size_t index, double block_times) const {
    if (instruction.kind == Kind::off_chip_load) {
      const auto load = loads_.find(index);
      constexpr double usual = 0.5;
      if (load == loads_.end() || load->second.times < usual * block_times) return now_;
      return {now_.waits + load->second.misses, now_.cycles + rates_.l1_latency_cycles};
    }
    return {now_.waits,
            now_.cycles + (instruction.kind == Kind::shared_load ? rates_.shared_latency_cycles : other_cycles)};
  }

  void take(int board, Chain until) {
    Chain& free = free_[static_cast<std::size_t>(board) % boards];
    free.waits = std::max(free.waits, until.waits);
    free.cycles = std::max(free.cycles, until.cycles);
  }

  static constexpr std::size_t boards = 6;
  static constexpr double read_cycles = 12;  // about what a request takes to leave the register file
  static constexpr double barrier_cycles = 24;
  static constexpr double other_cycles = 20;  // of special functions, conversions, special registers

  const std::map<std::size_t, SeenLoad>& loads_;
  const model::Rates& rates_;
  Chain now_;
  std::array<Chain, boards> free_{};
};

class Path {
 public:
  Path(std::vector<MachineInstruction> code, const std::vector<inject::Site>& sites, double warps,
       const model::Rates& rates, ConstantBranches constant, UnseenWays unseen)
      : code_(std::move(code)), constant_(std::move(constant)), warps_(warps), rates_(rates) {
    for (const inject::Site& site : sites) {
      if ((site.flags & inject::raw_outside_kernel) != 0) continue;
      const std::size_t index = site.pc / instruction_bytes;
      if (index >= code_.size()) continue;
      auto often = static_cast<double>(site.requests);
      if (code_[index].strong && site.op == inject::RawOp::load && 2 * site.used_words * 4 < site.useful_bytes) {
        polls_ = true;
        often = std::min(often, warps_);
      }
      double& times = seen_[index];
      times = std::max(times, often);
      if (!is_off_chip(site) || site.op == inject::RawOp::store) continue;
      const auto requests = static_cast<double>(std::max(site.requests, std::uint64_t{1}));
      SeenLoad& load = loads_[index];
      load.times = times;
      load.misses =
          site.space == inject::RawSpace::local ? 0 : std::min(1.0, static_cast<double>(site.l2_requests) / requests);
    }
    // Where something was seen that could not run, the code means something else.
    const auto could_run = [&](const auto& site) { return runs(site.first) && !skips(site.first); };
    if (!std::ranges::all_of(seen_, could_run)) constant_ = {};
    find_loops();
    find_blocks();
    count_loops();
    bound_blocks();
    bound_from_below();
    part_ways(unseen);
  }

  [[nodiscard]] WarpPath path() const {
    WarpPath path;
    path.known = true;
    path.polls = polls_;
    std::array<double, pipes> busy{};
    for (const Block& block : blocks_) {
      const double times = block.times;
      if (times == 0) continue;
      for (std::size_t i = block.begin; i < block.end; ++i) {
        const MachineInstruction& instruction = code_[i];
        busy[static_cast<std::size_t>(Pipe::issue)] += times;
        if (instruction.kind == Kind::wait) path.barriers += times;
        path.matrix_wavefronts += times * instruction.wavefronts;
        if (instruction.pipe != Pipe::issue)
          busy[static_cast<std::size_t>(instruction.pipe)] += times * instruction.cycles;
        path.has_unseen_memory = path.has_unseen_memory || instruction.unseen_memory;
      }
    }
    const auto busiest = std::ranges::max_element(busy);
    path.scheduler_cycles = *busiest;
    path.busiest = static_cast<Pipe>(busiest - busy.begin());
    add(path.chains, region(outside, warps_));
    double least_waits = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      double times = loops_[i].times.value_or(0);
      for (const Block& block : blocks_) {
        if (block.loop == i && !loops_[i].times) times = std::max(times, block.times);
      }
      if (times == 0) continue;
      const Region way = region(i, times);
      add(path.chains, way);
      if (way.loads > 0 && way.chain.waits / way.loads < least_waits) {
        least_waits = way.chain.waits / way.loads;
        path.per_load = {least_waits, way.chain.cycles / way.loads};
      }
      path.has_unseen_loops = path.has_unseen_loops || !(loops_[i].times || loops_[i].rounds);
    }
    return path;
  }

 private:
  void find_loops() {
    std::map<std::size_t, std::size_t> end_of;  // by where they begin
    for (std::size_t i = 0; i < code_.size(); ++i) {
      // A branch to itself is what stands behind the end.
      const bool goes_back = code_[i].kind == Kind::branch && code_[i].target < i;
      if (goes_back && runs(i) && taken(i) != false) end_of[code_[i].target] = i + 1;
    }
    for (const auto& [begin, end] : end_of) loops_.push_back({begin, end});
    for (Loop& loop : loops_) {
      const auto known = constant_.rounds.find(loop.begin);
      if (known != constant_.rounds.end()) loop.rounds = known->second;
      for (std::size_t i = 0; i < loops_.size(); ++i) {
        const bool inside = is_inside(loop, loops_[i]) && length_of(loops_[i]) > length_of(loop);
        if (inside && (loop.around == outside || length_of(loops_[i]) < length_of(loops_[loop.around])))
          loop.around = i;
      }
    }
  }

  /// Whether constants let the instruction run, though perhaps for no thread, and its branch be taken.
  [[nodiscard]] bool runs(std::size_t i) const { return constant_.runs.empty() || constant_.runs[i]; }
  [[nodiscard]] bool skips(std::size_t i) const { return !constant_.skipped.empty() && constant_.skipped[i]; }
  [[nodiscard]] std::optional<bool> taken(std::size_t i) const {
    return constant_.taken.empty() ? std::nullopt : constant_.taken[i];
  }

  static bool is_inside(const auto& instructions, const Loop& loop) {
    return loop.begin <= instructions.begin && instructions.end <= loop.end;
  }
  static std::size_t length_of(const Loop& loop) { return loop.end - loop.begin; }

  void find_blocks() {
    std::set<std::size_t> begins = {0};
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (goes_to_target(code_[i])) begins.insert(code_[i].target);
      if (goes_to_target(code_[i]) || leaves(code_[i])) begins.insert(i + 1);
    }
    for (auto begin = begins.begin(); begin != begins.end() && *begin < code_.size(); ++begin) {
      const auto next = std::next(begin);
      Block block{.begin = *begin, .end = next == begins.end() ? code_.size() : std::min(*next, code_.size())};
      for (std::size_t i = 0; i < loops_.size(); ++i) {
        const bool is_shorter = block.loop == outside || length_of(loops_[i]) < length_of(loops_[block.loop]);
        if (is_inside(block, loops_[i]) && is_shorter) block.loop = i;
      }
      block.runs = runs(block.begin);
      for (std::size_t i = block.begin; i < block.end; ++i) {
        const auto site = seen_.find(i);
        if (site != seen_.end()) block.least = std::max(block.least, site->second);
        block.certain = block.certain || (code_[i].seen && code_[i].always);
      }
      blocks_.push_back(block);
    }
    connect();
  }

  static bool goes_to_target(const MachineInstruction& instruction) {
    return instruction.kind == Kind::branch || instruction.kind == Kind::call;
  }
  static bool leaves(const MachineInstruction& instruction) {
    return instruction.kind == Kind::end || instruction.kind == Kind::indirect;
  }

  void connect() {
    bool has_indirect = false;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t end = blocks_[i].end - 1;
      const MachineInstruction& last = code_[end];
      if (!blocks_[i].runs) continue;
      const bool unless_taken = !last.always || last.kind == Kind::call || !(goes_to_target(last) || leaves(last));
      const bool goes_on = unless_taken && taken(end) != true;
      blocks_[i].may_end = (leaves(last) && taken(end) != false) || (goes_on && i + 1 == blocks_.size());
      has_indirect = has_indirect || last.kind == Kind::indirect;
      if (goes_on && i + 1 < blocks_.size()) add_way(i, i + 1);
      if (!goes_to_target(last) || last.divergent || taken(end) == false) continue;
      const auto target = std::ranges::find(blocks_, last.target, &Block::begin);
      if (target == blocks_.end()) {
        blocks_[i].may_end = true;
      } else {
        add_way(i, static_cast<std::size_t>(target - blocks_.begin()));
      }
    }
    blocks_.front().may_begin = true;
    for (Block& block : blocks_) block.may_begin = block.may_begin || (has_indirect && block.before.empty());
  }

  void add_way(std::size_t from, std::size_t to) {
    blocks_[from].next.push_back(to);
    blocks_[to].before.push_back(from);
  }

  void count_loops() {
    for (const Block& block : blocks_) {
      if (block.loop == outside || block.least == 0) continue;
      std::optional<double>& times = loops_[block.loop].times;
      times = std::max(times.value_or(0), block.least);
    }
  }

  /// What no access tells follows from the others: a block runs no more often than all that come before it together,
  /// and than all that come after it.
  void bound_blocks() {
    for (Block& block : blocks_) block.times = block.certain ? block.least : most_in(block.loop);
    const auto sum = [&](const std::vector<std::size_t>& of) {
      double times = 0;
      for (const std::size_t i : of) times += blocks_[i].times;
      return times;
    };
    bool changes = true;
    for (std::size_t turn = 0; changes && turn < blocks_.size(); ++turn) {
      changes = false;
      for (Block& block : blocks_) {
        if (block.certain) continue;
        double most = block.times;
        if (!block.may_begin) most = std::min(most, is_counted(block) ? entering(block) : sum(block.before));
        if (!block.may_end) most = std::min(most, sum(block.next));
        most = std::max(most, block.least);
        changes = changes || most < block.times;
        block.times = most;
      }
    }
  }

  /// Of what is in a loop, but in none within it, how often warps run it at most.
  [[nodiscard]] double most_in(std::size_t loop) const {
    if (loop == outside) return warps_;
    if (loops_[loop].times) return *loops_[loop].times;
    return most_in(loops_[loop].around) * loops_[loop].rounds.value_or(1);
  }

  /// Whether the block begins a loop of which nothing but how often it is entered tells how often it ran.
  [[nodiscard]] bool is_counted(const Block& block) const {
    return block.loop != outside && loops_[block.loop].begin == block.begin && !loops_[block.loop].times;
  }
  /// How often warps run such a block: once each time that they come, where the rounds are not known.
  [[nodiscard]] double entering(const Block& header) const {
    const Loop& loop = loops_[header.loop];
    double times = 0;
    for (const std::size_t from : header.before) {
      const Block& block = blocks_[from];
      if (block.begin < loop.begin || block.end > loop.end) times += block.times;
    }
    return times * loop.rounds.value_or(1);
  }

  /// What was seen ran through what leads only there, and through what comes after nothing else.
  void bound_from_below() {
    bool changes = true;
    for (std::size_t turn = 0; changes && turn < blocks_.size(); ++turn) {
      changes = false;
      for (std::size_t i = blocks_.size(); i-- > 0;) {
        Block& block = blocks_[i];
        double before = 0;
        double after = 0;
        for (const std::size_t from : block.before) {
          const Block& other = blocks_[from];
          if (other.next.size() == 1 && !other.may_end && other.loop == block.loop) before += other.least;
        }
        for (const std::size_t to : block.next) {
          const Block& other = blocks_[to];
          if (other.before.size() == 1 && other.loop == block.loop) after += other.least;
        }
        const double least = std::min(block.times, std::max(before, after));
        if (block.certain || !(least > block.least)) continue;
        block.least = least;
        changes = true;
      }
    }
  }

  /// Within these bounds, how many warps go each way where a branch parts.
  void part_ways(UnseenWays unseen) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      Block& block = blocks_[i];
      Loop* loop = block.loop != outside && loops_[block.loop].begin == block.begin ? &loops_[block.loop] : nullptr;
      double times = block.may_begin ? warps_ : 0;
      for (const std::size_t from : block.before) {
        if (from < i && (loop == nullptr || !is_inside(blocks_[from], *loop))) {
          times += coming(blocks_[from], i, unseen);
        }
      }
      if (block.before.size() == 2 && meets_lanes(block))
        times = std::min(times, blocks_[blocks_[block.before[0]].before[0]].times);
      if (loop != nullptr) {
        loop->entered = times;
        times *= loop->rounds.value_or(1);
        if (loop->times) continue;
      }
      if (block.certain || block.may_begin) continue;
      block.times = std::clamp(times, block.least, std::max(block.least, block.times));
    }
  }

  /// Of the warps that ran a block, those that go on with another. A subroutine is for what the usual way cannot do:
  /// quotients of long integers, numbers too small to be normal. A loop is left as often as it is entered.
  [[nodiscard]] double coming(const Block& from, std::size_t to, UnseenWays unseen) const {
    if (code_[from.end - 1].kind == Kind::call) return from.times;  // and comes back
    const auto calls = [&](std::size_t block) { return code_[blocks_[block].end - 1].kind == Kind::call; };
    const auto stays = [&](std::size_t block) {
      return from.loop == outside || is_inside(blocks_[block], loops_[from.loop]);
    };
    const double leaving = from.loop == outside ? 0 : std::min(from.times, loops_[from.loop].entered);
    double rest = from.times;
    double most_of_others = 0;
    double open = 1;
    bool is_unusual = false;
    const bool both = unseen == UnseenWays::most || (unseen == UnseenWays::half && parts_lanes(from));
    for (const std::size_t next : from.next) {
      const Block& other = blocks_[next];
      if (next == to || other.times == 0) continue;
      if (other.before.size() == 1 && (other.certain || (next < to && !both))) {
        rest -= other.times;
        continue;
      }
      if (stays(next) && !stays(to)) return std::max(leaving, from.times - other.times);
      if (stays(to) && !stays(next)) {
        rest -= leaving;
        continue;
      }
      most_of_others += other.times;
      if (calls(to) && !calls(next)) {
        is_unusual = true;
      } else if (calls(to) || !calls(next)) {
        ++open;
      }
    }
    rest = std::max(0.0, rest);
    double share = open == 1 || both ? rest : unseen == UnseenWays::half ? rest / open : 0;
    if (is_unusual) share = 0;
    return std::max(share, rest - most_of_others);
  }

  /// Whether it parts into two ways that meet again right after: of a warp's lanes some go each way.
  [[nodiscard]] bool parts_lanes(const Block& from) const {
    if (from.next.size() != 2) return false;
    const Block& one_way = blocks_[from.next[0]];
    const Block& other_way = blocks_[from.next[1]];
    return one_way.next.size() == 1 && one_way.next == other_way.next;
  }

  /// Whether the lanes that have parted meet again there.
  [[nodiscard]] bool meets_lanes(const Block& block) const {
    const auto& one_way = blocks_[block.before[0]].before;
    return one_way.size() == 1 && one_way == blocks_[block.before[1]].before && parts_lanes(blocks_[one_way[0]]);
  }

  [[nodiscard]] double loads_in(const Block& block) const {
    double loads = 0;
    for (auto load = loads_.lower_bound(block.begin); load != loads_.end() && load->first < block.end; ++load) {
      loads += load->second.times;
    }
    return loads;
  }

  /// What all warps together do in a loop, or outside of all.
  struct Region {
    Chain chain;
    double loads = 0;
  };

  static void add(Chain& sum, const Region& region) {
    sum.waits += region.chain.waits;
    sum.cycles += region.chain.cycles;
  }

  /// Of a loop's way round, or of the way through what is outside of all, that warps go `times`. What runs half as
  /// often or less stands for itself.
  [[nodiscard]] Region region(std::size_t loop, double times) const {
    constexpr double usual = 0.5;
    Region all;
    const auto run = [&](const std::vector<const Block*>& way, int rounds_before, int rounds, double often) {
      LoneWarp warp(loads_, rates_);
      Chain before;
      for (int round = -rounds_before; round < rounds; ++round) {
        if (round == 0) before = warp.chain();
        for (const Block* block : way) warp.run(code_, *block);
      }
      all.chain.waits += often / rounds * (warp.chain().waits - before.waits);
      all.chain.cycles += often / rounds * (warp.chain().cycles - before.cycles);
    };
    std::vector<const Block*> way;
    for (const Block& block : blocks_) {
      if (block.loop != loop || block.times == 0) continue;
      all.loads += loads_in(block);
      if (block.times > usual * times) {
        way.push_back(&block);
      } else {
        run({&block}, 0, 1, block.times);
      }
    }
    // A loop is looked at when its loads of one round have become those that the next one waits for.
    loop == outside ? run(way, 0, 1, times) : run(way, 2, 4, times);
    return all;
  }

  std::vector<MachineInstruction> code_;
  ConstantBranches constant_;
  double warps_;
  const model::Rates& rates_;
  bool polls_ = false;
  std::map<std::size_t, double> seen_;  ///< by instruction: times that warps ran it
  std::map<std::size_t, SeenLoad> loads_;
  std::vector<Loop> loops_;
  std::vector<Block> blocks_;
};

}  // namespace

WarpPath warp_path(std::string_view code, unsigned major, const std::vector<inject::Site>& sites, double warps,
                   const model::Rates& rates, const LaunchConstants& constants, UnseenWays unseen) {
  std::vector<MachineInstruction> instructions = instructions_of(code, major);
  if (instructions.empty()) return {};
  ConstantBranches constant = constant_branches(code, instructions, major, constants);
  return Path(std::move(instructions), sites, warps, rates, std::move(constant), unseen).path();
}

}  // namespace gpumem::app
