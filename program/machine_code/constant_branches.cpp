#include "program/machine_code/constant_branches.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/access/request.hpp"
#include "program/machine_code/known_values.hpp"
#include "program/machine_code/operations.hpp"

namespace gpumem::program {

namespace {

using Kind = MachineInstruction::Kind;

constexpr unsigned newest_known = 9;
constexpr std::size_t most_instructions = std::size_t{1} << 16U;
constexpr std::size_t most_steps = 4'000'000;  // of instructions, in all
constexpr std::size_t most_loop_steps = 1'000'000;
constexpr std::uint64_t sampled_warps = 8;

/// The values known where a block begins; nullopt if no way leads there.
using Entry = std::optional<KnownValues>;

class Propagation {
 public:
  Propagation(std::string_view code, const std::vector<MachineInstruction>& instructions, const LaunchConstants& launch,
              unsigned major)
      : code_(instructions), launch_(launch), major_(major), bank_(launch, major) {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const auto [low, high] = measure::words_at(code, i);
      computations_.push_back(computation_of(low, high));
      conditions_.push_back(condition_of(low, high));
    }
    find_blocks();
    find_subroutines();
  }

  /// Everything that can be told; empty if nothing can.
  [[nodiscard]] ConstantBranches branches() {
    std::size_t left = most_steps;
    if (!follow_all(left)) return {};
    ConstantBranches all;
    all.runs.assign(code_.size(), false);
    all.skipped.assign(code_.size(), false);
    all.taken.resize(code_.size());
    for (std::size_t block = 0; block < begins_.size(); ++block) {
      if (!entries_[block]) continue;
      KnownValues values = *entries_[block];
      for (std::size_t i = begins_[block]; i < end_of(block); ++i) {
        all.runs[i] = true;
        all.skipped[i] = values.predicate(computations_[i].guard) == false;
        all.taken[i] = is_taken(i, values);
        values.run(computations_[i], bank_);
      }
    }
    for (const auto& [header, end] : loops()) {
      if (const auto rounds = rounds_of({header, end}, left)) all.rounds[begins_[header]] = *rounds;
    }
    add_rounds_of_threads(all);
    return all;
  }

 private:
  /// Follows the whole code from its beginning. Returns false if nothing can be told.
  [[nodiscard]] bool follow_all(std::size_t& left) {
    entries_.assign(begins_.size(), std::nullopt);
    const auto nowhere = [](std::size_t, const KnownValues&) { return false; };
    return follow({0, begins_.size()}, 0, KnownValues(), entries_, left, nowhere);
  }

  /// The thread at a lane of the `sample`-th of the warps that are looked at, which are spread over the launch.
  [[nodiscard]] ThreadPlace place_of(std::uint64_t sample, std::uint64_t lane) const {
    const auto split = [](std::uint64_t index, const std::array<std::uint32_t, 3>& sizes) {
      const std::uint64_t row = index / sizes[0];
      return std::array{static_cast<std::uint32_t>(index % sizes[0]), static_cast<std::uint32_t>(row % sizes[1]),
                        static_cast<std::uint32_t>(row / sizes[1])};
    };
    const auto count = [](const std::array<std::uint32_t, 3>& sizes) {
      return std::uint64_t{sizes[0]} * sizes[1] * sizes[2];
    };
    const std::uint64_t threads = count(launch_.block);
    const std::uint64_t warps = (threads + access::warp_lanes - 1) / access::warp_lanes;
    const std::uint64_t thread = sample % warps * access::warp_lanes + lane;
    return {split(std::min(thread, threads - 1), launch_.block),
            split((count(launch_.grid) - 1) * sample / (sampled_warps - 1), launch_.grid)};
  }

  /// Adds the rounds of loops that depend on the thread and the block besides, in the mean over warps that enter them.
  /// The first and the last lane of each warp are followed, and the one that goes round more often counts.
  void add_rounds_of_threads(ConstantBranches& all) {
    if (std::ranges::count(launch_.grid, 0U) + std::ranges::count(launch_.block, 0U) > 0) return;
    std::map<std::size_t, std::vector<double>> found;  // by loop, of the warps that enter it
    std::set<std::size_t> unknown;
    std::size_t left = most_steps;
    const auto open_loops = loops();
    if (all.rounds.size() == open_loops.size()) return;  // most code has no other loops, and following it takes time
    for (std::uint64_t sample = 0; sample < sampled_warps; ++sample) {
      std::map<std::size_t, double> most;
      for (const std::uint64_t lane : {std::uint64_t{0}, std::uint64_t{access::warp_lanes - 1}}) {
        LaunchConstants of_thread = launch_;
        of_thread.place = place_of(sample, lane);
        bank_ = ConstantBank(of_thread, major_);
        if (!follow_all(left)) return;
        for (const auto& [header, end] : open_loops) {
          if (all.rounds.contains(begins_[header]) || unknown.contains(header) || !entries_[header]) continue;
          const auto rounds = rounds_of({header, end}, left);
          if (rounds) {
            most[header] = std::max(most[header], *rounds);
          } else {
            unknown.insert(header);
          }
        }
        if (unknown.size() + all.rounds.size() == open_loops.size()) return;
      }
      for (const auto& [header, rounds] : most) found[header].push_back(rounds);
    }
    for (const auto& [header, rounds] : found) {
      if (unknown.contains(header)) continue;
      all.rounds[begins_[header]] = std::reduce(rounds.begin(), rounds.end()) / static_cast<double>(rounds.size());
    }
  }

  void find_blocks() {
    std::set<std::size_t> begins = {0};
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const Kind kind = code_[i].kind;
      const bool goes = kind == Kind::branch || kind == Kind::call;
      if (goes && code_[i].target < code_.size()) begins.insert(code_[i].target);
      if ((goes || kind == Kind::end || kind == Kind::indirect) && i + 1 < code_.size()) begins.insert(i + 1);
    }
    begins_.assign(begins.begin(), begins.end());
  }

  /// Finds the instructions that each subroutine may run before it comes back. Its calls are taken to come back too.
  void find_subroutines() {
    for (const MachineInstruction& call : code_) {
      if (call.kind == Kind::call && call.target < code_.size()) subroutines_[call.target];
    }
    for (auto& [begin, body] : subroutines_) {
      std::set<std::size_t> reached;
      std::vector<std::size_t> open = {begin};
      while (!open.empty()) {
        const std::size_t i = open.back();
        open.pop_back();
        if (i >= code_.size() || !reached.insert(i).second) continue;
        const MachineInstruction& instruction = code_[i];
        if (instruction.kind == Kind::branch || instruction.kind == Kind::call) open.push_back(instruction.target);
        const bool goes_on = !instruction.always || instruction.kind == Kind::call ||
                             (instruction.kind != Kind::branch && instruction.kind != Kind::end);
        if (goes_on) open.push_back(i + 1);
      }
      body.assign(reached.begin(), reached.end());
    }
    // The subroutine says what a call writes.
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_[i].kind == Kind::call && code_[i].target < code_.size())
        computations_[i].operation = Operation::nothing;
    }
  }

  [[nodiscard]] std::size_t end_of(std::size_t block) const {
    return block + 1 < begins_.size() ? begins_[block + 1] : code_.size();
  }
  [[nodiscard]] std::size_t block_at(std::size_t instruction) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(begins_, instruction) - begins_.begin());
  }

  [[nodiscard]] std::optional<bool> is_taken(std::size_t index, const KnownValues& values) const {
    const Condition& condition = conditions_[index];
    if (!condition.known) return std::nullopt;
    const auto first = values.predicate(condition.predicates[0]);
    const auto second = values.predicate(condition.predicates[1]);
    if (first == false || second == false) return false;
    return first && second ? std::optional(true) : std::nullopt;
  }

  /// Calls `go(block, values)` for each block that may come next, with what is known there.
  template <class Function>
  void leave(std::size_t block, KnownValues values, const Function& go) const {
    const std::size_t last = end_of(block) - 1;
    const MachineInstruction& instruction = code_[last];
    const bool has_next = block + 1 < begins_.size();
    if (instruction.kind == Kind::call) {
      const auto subroutine = subroutines_.find(instruction.target);
      if (subroutine == subroutines_.end()) {
        values.forget();
      } else {
        go(block_at(instruction.target), KnownValues());
        for (const std::size_t i : subroutine->second) values.lose(computations_[i]);
      }
      if (has_next) go(block + 1, values);
      return;
    }
    if (instruction.kind != Kind::branch && instruction.kind != Kind::end) {
      if (has_next) go(block + 1, values);
      return;
    }
    const std::optional<bool> taken = is_taken(last, values);
    // A branch that depends on one predicate tells what that was.
    const Condition& condition = conditions_[last];
    const bool by_first = condition.known && condition.predicates[1].number == true_predicate;
    const auto with = [&](bool was_taken) {
      KnownValues then = values;
      if (by_first) then.set(condition.predicates[0], was_taken);
      return then;
    };
    if (taken != false && instruction.kind == Kind::branch && instruction.target < code_.size())
      go(block_at(instruction.target), with(true));
    if (taken != true && has_next) go(block + 1, with(false));
  }

  /// Blocks next to each other in the code.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    [[nodiscard]] bool has(std::size_t block) const { return block >= begin && block < end; }
  };

  /// Follows the code from one block on through a range, until nothing changes. `entries` then has the values known
  /// where its blocks begin. A way for which `elsewhere(block, values)` is true is not followed. Returns false if
  /// control may go anywhere, or if more steps are needed than are left.
  template <class Function>
  bool follow(Range range, std::size_t from, const KnownValues& at_first, std::vector<Entry>& entries,
              std::size_t& left, const Function& elsewhere) const {
    entries[from] = at_first;
    std::set<std::size_t> changed = {from};
    while (!changed.empty()) {
      const std::size_t block = *changed.begin();
      changed.erase(changed.begin());
      const std::size_t length = end_of(block) - begins_[block];
      if (length > left) return false;
      left -= length;
      KnownValues values = *entries[block];
      for (std::size_t i = begins_[block]; i < end_of(block); ++i) {
        if (computations_[i].operation == Operation::leads_anywhere) return false;
        values.run(computations_[i], bank_);
      }
      leave(block, values, [&](std::size_t next, const KnownValues& known) {
        if (elsewhere(next, known) || !range.has(next)) return;
        if (!entries[next]) {
          entries[next] = known;
          changed.insert(next);
        } else if (entries[next]->keep_common(known)) {
          changed.insert(next);
        }
      });
    }
    return true;
  }

  /// The loops: the block that each begins with, and the end of the last block that branches back to it.
  [[nodiscard]] std::map<std::size_t, std::size_t> loops() const {
    std::map<std::size_t, std::size_t> end_of_loop;
    for (std::size_t block = 0; block < begins_.size(); ++block) {
      const MachineInstruction& last = code_[end_of(block) - 1];
      if (last.kind == Kind::branch && last.target <= begins_[block]) end_of_loop[block_at(last.target)] = block + 1;
    }
    return end_of_loop;
  }

  /// The rounds of a loop each time it is entered; nullopt unless they are known and the same for all threads. The loop
  /// is followed round by round, from the values known before it.
  [[nodiscard]] std::optional<double> rounds_of(Range loop, std::size_t& left) const {
    std::size_t steps = std::min(left, most_loop_steps);
    left -= steps;
    const auto rounds = followed_rounds(loop, steps);
    left += steps;
    return rounds;
  }

  [[nodiscard]] std::optional<double> followed_rounds(Range loop, std::size_t& steps) const {
    Entry entry;
    bool is_simple = true;
    const auto join = [](Entry& into, const KnownValues& known) {
      if (into) {
        into->keep_common(known);
      } else {
        into = known;
      }
    };
    for (std::size_t block = 0; block < begins_.size(); ++block) {
      if (loop.has(block) || !entries_[block] || !may_lead_into(block, loop)) continue;
      KnownValues values = *entries_[block];
      for (std::size_t i = begins_[block]; i < end_of(block); ++i) values.run(computations_[i], bank_);
      leave(block, values, [&](std::size_t next, const KnownValues& known) {
        if (next == loop.begin) join(entry, known);
        is_simple = is_simple && (next == loop.begin || !loop.has(next));
      });
    }
    if (loop.begin == 0) join(entry, KnownValues());
    double rounds = 0;
    std::vector<Entry> entries(begins_.size());
    while (is_simple && entry) {
      for (std::size_t block = loop.begin; block < loop.end; ++block) entries[block].reset();
      const KnownValues now = *entry;
      entry.reset();
      bool leaves = false;
      ++rounds;
      const auto elsewhere = [&](std::size_t next, const KnownValues& known) {
        if (next == loop.begin) join(entry, known);
        leaves = leaves || !(loop.has(next) || subroutines_.contains(begins_[next]));
        return next == loop.begin;
      };
      if (!follow(loop, loop.begin, now, entries, steps, elsewhere)) return std::nullopt;
      for (std::size_t block = loop.begin; block < loop.end; ++block)
        leaves = leaves || (entries[block] && ends(block, *entries[block]));
      if (entry && (leaves || *entry == now)) return std::nullopt;
      if (!entry) return rounds;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool may_lead_into(std::size_t block, Range loop) const {
    const MachineInstruction& last = code_[end_of(block) - 1];
    const bool goes = last.kind == Kind::branch || last.kind == Kind::call;
    return loop.has(block + 1) || (goes && last.target < code_.size() && loop.has(block_at(last.target)));
  }

  /// True if threads may end at the end of the block.
  [[nodiscard]] bool ends(std::size_t block, KnownValues values) const {
    const std::size_t last = end_of(block) - 1;
    if (code_[last].kind != Kind::end) return false;
    for (std::size_t i = begins_[block]; i < last; ++i) values.run(computations_[i], bank_);
    return is_taken(last, values) != false;
  }

  const std::vector<MachineInstruction>& code_;
  LaunchConstants launch_;
  unsigned major_;
  ConstantBank bank_;
  std::vector<Computation> computations_;
  std::vector<Condition> conditions_;
  std::vector<std::size_t> begins_;  ///< of blocks
  /// The instructions of subroutines, by the first of each.
  std::map<std::size_t, std::vector<std::size_t>> subroutines_;
  std::vector<Entry> entries_;
};

}  // namespace

ConstantBranches constant_branches(std::string_view code, const std::vector<MachineInstruction>& instructions,
                                   unsigned major, const LaunchConstants& launch) {
  const bool says_anything = launch.parameter_offset != 0 || launch.grid[0] != 0;
  if (!says_anything || major > newest_known || instructions.empty() || instructions.size() > most_instructions) {
    return {};
  }
  return Propagation(code, instructions, launch, major).branches();
}

}  // namespace gpumem::program
