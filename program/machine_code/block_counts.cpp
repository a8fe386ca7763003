#include "program/machine_code/block_counts.hpp"

#include <algorithm>
#include <set>

#include "program/machine_code/strong_loads.hpp"

namespace gpumem::program {

namespace {

using Kind = MachineInstruction::Kind;

bool is_inside(const auto& instructions, const CodeLoop& loop) {
  return loop.begin <= instructions.begin && instructions.end <= loop.end;
}
std::size_t length_of(const CodeLoop& loop) { return loop.end - loop.begin; }

bool goes_to_target(const MachineInstruction& instruction) {
  return instruction.kind == Kind::branch || instruction.kind == Kind::call;
}
bool leaves(const MachineInstruction& instruction) {
  return instruction.kind == Kind::end || instruction.kind == Kind::indirect;
}

}  // namespace

BlockCounts::BlockCounts(std::vector<MachineInstruction> code, const std::vector<inject::Site>& sites, double warps,
                         ConstantBranches constant, UnseenWays unseen)
    : code_(std::move(code)), constant_(std::move(constant)), warps_(warps) {
  count_sites(sites);
  const auto could_run = [&](const auto& site) { return runs(site.first) && !skips(site.first); };
  if (!std::ranges::all_of(seen_, could_run)) constant_ = {};  // the code means something else
  find_loops();
  find_blocks();
  count_loops();
  bound_blocks();
  bound_from_below();
  part_ways(unseen);
}

void BlockCounts::count_sites(const std::vector<inject::Site>& sites) {
  for (const inject::Site& site : sites) {
    if ((site.flags & inject::raw_outside_kernel) != 0) continue;
    const std::size_t index = site.pc / instruction_bytes;
    if (index >= code_.size()) continue;
    auto often = static_cast<double>(site.requests);
    if (waits_for_others(site, code_[index])) {
      polls_ = true;
      often = std::min(often, warps_);
    }
    double& times = seen_[index];
    times = std::max(times, often);
  }
}

void BlockCounts::find_loops() {
  std::map<std::size_t, std::size_t> end_of;  // by where they begin
  for (std::size_t i = 0; i < code_.size(); ++i) {
    // Compilers put a branch to itself behind the end of the code.
    const bool goes_back = code_[i].kind == Kind::branch && code_[i].target < i;
    if (goes_back && runs(i) && taken(i) != false) end_of[code_[i].target] = i + 1;
  }
  for (const auto& [begin, end] : end_of) loops_.push_back({begin, end});
  for (CodeLoop& loop : loops_) {
    const auto known = constant_.rounds.find(loop.begin);
    if (known != constant_.rounds.end()) loop.rounds = known->second;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      const bool inside = is_inside(loop, loops_[i]) && length_of(loops_[i]) > length_of(loop);
      if (inside && (loop.around == outside || length_of(loops_[i]) < length_of(loops_[loop.around]))) loop.around = i;
    }
  }
}

/// Known from the launch's constants: if control may come to the instruction, if no thread then runs it, and if all
/// threads take its branch (true) or none does (false).
bool BlockCounts::runs(std::size_t i) const { return constant_.runs.empty() || constant_.runs[i]; }
bool BlockCounts::skips(std::size_t i) const { return !constant_.skipped.empty() && constant_.skipped[i]; }
std::optional<bool> BlockCounts::taken(std::size_t i) const {
  return constant_.taken.empty() ? std::nullopt : constant_.taken[i];
}

void BlockCounts::find_blocks() {
  std::set<std::size_t> begins = {0};
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (goes_to_target(code_[i])) begins.insert(code_[i].target);
    if (goes_to_target(code_[i]) || leaves(code_[i])) begins.insert(i + 1);
  }
  for (auto begin = begins.begin(); begin != begins.end() && *begin < code_.size(); ++begin) {
    const auto next = std::next(begin);
    BasicBlock block{.begin = *begin, .end = next == begins.end() ? code_.size() : std::min(*next, code_.size())};
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      const bool is_shorter = block.loop == outside || length_of(loops_[i]) < length_of(loops_[block.loop]);
      if (is_inside(block, loops_[i]) && is_shorter) block.loop = i;
    }
    block.runs = runs(block.begin);
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const auto site = seen_.find(i);
      if (site != seen_.end()) block.least = std::max(block.least, site->second);
      // No callback reports accesses to spilled registers, so one that was not seen may have run.
      const bool would_be_seen = code_[i].seen && !(code_[i].on_stack && site == seen_.end());
      block.certain = block.certain || (would_be_seen && code_[i].always);
    }
    blocks_.push_back(block);
  }
  connect();
}

void BlockCounts::connect() {
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
    const auto target = std::ranges::find(blocks_, last.target, &BasicBlock::begin);
    if (target == blocks_.end()) {
      blocks_[i].may_end = true;
    } else {
      add_way(i, static_cast<std::size_t>(target - blocks_.begin()));
    }
  }
  blocks_.front().may_begin = true;
  for (BasicBlock& block : blocks_) block.may_begin = block.may_begin || (has_indirect && block.before.empty());
  find_subroutines();
}

void BlockCounts::find_subroutines() {
  std::vector<bool> is_reached(blocks_.size(), false);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].may_begin) open.push_back(i);
  }
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    if (is_reached[i]) continue;
    is_reached[i] = true;
    const MachineInstruction& last = code_[blocks_[i].end - 1];
    for (const std::size_t next : blocks_[i].next) {
      if (last.kind != Kind::call || blocks_[next].begin != last.target) open.push_back(next);
    }
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    blocks_[i].of_subroutine = !is_reached[i] && !blocks_[i].before.empty();
}

void BlockCounts::add_way(std::size_t from, std::size_t to) {
  blocks_[from].next.push_back(to);
  blocks_[to].before.push_back(from);
}

void BlockCounts::count_loops() {
  for (const BasicBlock& block : blocks_) {
    if (block.loop == outside || block.least == 0) continue;
    std::optional<double>& times = loops_[block.loop].times;
    times = std::max(times.value_or(0), block.least);
  }
  // Accesses that some rounds leave out count a loop from below. Its rounds tell more, where they are known.
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    if (loops_[i].times && loops_[i].rounds && !is_counted_every_round(i)) loops_[i].times.reset();
  }
}

/// True if an access was seen in a block that no round of the loop leaves out.
bool BlockCounts::is_counted_every_round(std::size_t loop) const {
  const auto header = std::ranges::find(blocks_, loops_[loop].begin, &BasicBlock::begin);
  const auto first = static_cast<std::size_t>(header - blocks_.begin());
  const auto comes_back_without = [&](std::size_t left_out) {
    std::set<std::size_t> reached;
    std::vector<std::size_t> open = {first};
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      for (const std::size_t next : blocks_[block].next) {
        if (next == first) return true;
        if (next != left_out && is_inside(blocks_[next], loops_[loop]) && reached.insert(next).second) {
          open.push_back(next);
        }
      }
    }
    return false;
  };
  constexpr std::size_t most_tried = 256;  // of the blocks of a long loop
  std::size_t tried = 0;
  for (std::size_t i = first; i < blocks_.size() && is_inside(blocks_[i], loops_[loop]) && tried < most_tried; ++i) {
    if (!blocks_[i].certain || blocks_[i].least == 0 || blocks_[i].loop != loop) continue;
    if (i == first || !comes_back_without(i)) return true;
    ++tried;
  }
  return false;
}

/// Bounds the blocks that no access counts by the others: a block runs no more often than all blocks before it
/// together, and no more often than all blocks after it.
void BlockCounts::bound_blocks() {
  double most_calls = 0;
  for (const BasicBlock& block : blocks_) {
    if (block.runs && code_[block.end - 1].kind == Kind::call) most_calls += most_in(block.loop, warps_);
  }
  for (BasicBlock& block : blocks_) {
    block.times = block.certain ? block.least : most_in(block.loop, block.of_subroutine ? most_calls : warps_);
  }
  const auto sum = [&](const std::vector<std::size_t>& of) {
    double times = 0;
    for (const std::size_t i : of) times += blocks_[i].times;
    return times;
  };
  bool changes = true;
  for (std::size_t turn = 0; changes && turn < blocks_.size(); ++turn) {
    changes = false;
    for (BasicBlock& block : blocks_) {
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

/// The most times that warps run blocks of a loop that are in none of its inner loops. They run code outside of all
/// loops `outside_of_loops` times.
double BlockCounts::most_in(std::size_t loop, double outside_of_loops) const {
  if (loop == outside) return outside_of_loops;
  if (loops_[loop].times) return *loops_[loop].times;
  return most_in(loops_[loop].around, outside_of_loops) * loops_[loop].rounds.value_or(1);
}

/// True if the block begins a loop in which no access was seen, so that it is counted by how often the loop is entered.
bool BlockCounts::is_counted(const BasicBlock& block) const {
  return block.loop != outside && loops_[block.loop].begin == block.begin && !loops_[block.loop].times;
}
/// The times that warps run such a block: the times that they enter its loop, times its rounds (1 if these are not
/// known).
double BlockCounts::entering(const BasicBlock& header) const {
  const CodeLoop& loop = loops_[header.loop];
  double times = 0;
  for (const std::size_t from : header.before) {
    const BasicBlock& block = blocks_[from];
    if (block.begin < loop.begin || block.end > loop.end) times += block.times;
  }
  return times * loop.rounds.value_or(1);
}

/// Raises the least times of a block: warps seen in a block that leads only here ran this one, and so did warps seen in
/// a block that is reached only from here.
void BlockCounts::bound_from_below() {
  bool changes = true;
  for (std::size_t turn = 0; changes && turn < blocks_.size(); ++turn) {
    changes = false;
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      BasicBlock& block = blocks_[i];
      double before = 0;
      double after = 0;
      for (const std::size_t from : block.before) {
        const BasicBlock& other = blocks_[from];
        if (other.next.size() == 1 && !other.may_end && other.loop == block.loop) before += other.least;
      }
      for (const std::size_t to : block.next) {
        const BasicBlock& other = blocks_[to];
        if (other.before.size() == 1 && other.loop == block.loop) after += other.least;
      }
      const double least = std::min(block.times, std::max(before, after));
      if (block.certain || !(least > block.least)) continue;
      block.least = least;
      changes = true;
    }
  }
}

/// Decides, within these bounds, how many warps go each way at a branch.
void BlockCounts::part_ways(UnseenWays unseen) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    BasicBlock& block = blocks_[i];
    CodeLoop* loop = block.loop != outside && loops_[block.loop].begin == block.begin ? &loops_[block.loop] : nullptr;
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

/// The number of warps that ran `from` and go on with `to`. A subroutine is for values that the usual way cannot handle
/// (quotients of long integers, numbers too small to be normal), so the usual way is preferred. A loop is left as often
/// as it is entered.
double BlockCounts::coming(const BasicBlock& from, std::size_t to, UnseenWays unseen) const {
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
    const BasicBlock& other = blocks_[next];
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

/// True if the block has two ways that meet again right after. Then some lanes of a warp go each way.
bool BlockCounts::parts_lanes(const BasicBlock& from) const {
  if (from.next.size() != 2) return false;
  const BasicBlock& one_way = blocks_[from.next[0]];
  const BasicBlock& other_way = blocks_[from.next[1]];
  return one_way.next.size() == 1 && one_way.next == other_way.next;
}

/// True if lanes that have parted meet again at this block.
bool BlockCounts::meets_lanes(const BasicBlock& block) const {
  const auto& one_way = blocks_[block.before[0]].before;
  return one_way.size() == 1 && one_way == blocks_[block.before[1]].before && parts_lanes(blocks_[one_way[0]]);
}

}  // namespace gpumem::program
