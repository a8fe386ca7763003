#pragma once
// Counts how often the basic blocks of a kernel's machine code ran, from the counts of its accesses and from the
// constants that it was launched with.

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "program/machine_code/constant_branches.hpp"
#include "program/machine_code/instructions.hpp"
#include "program/machine_code/warp_path.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

inline constexpr std::size_t outside = ~std::size_t{0};  ///< of all loops

/// Instructions that run one after another, equally often.
struct BasicBlock {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t loop = outside;  ///< index of the innermost
  bool runs = true;            ///< false: the launch's constants say that it cannot
  double times = 0;            ///< that warps ran it, as far as can be told
  double least = 0;            ///< and at least, for they were seen there or where it alone leads
  bool certain = false;        ///< seen whenever it runs
  std::vector<std::size_t> next = {};
  std::vector<std::size_t> before = {};
  bool may_begin = false;      ///< warps may come from elsewhere
  bool may_end = false;        ///< or go there
  bool of_subroutine = false;  ///< only calls lead there
};

/// The code from the target of a branch back to that branch.
struct CodeLoop {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t around = outside;       ///< index of the innermost that it is in
  std::optional<double> times = {};   ///< that warps went through it; absent: no access tells
  std::optional<double> rounds = {};  ///< each time that it is entered, where that is known
  double entered = 0;                 ///< times that warps came to it from elsewhere
};

/// The counts of all warps of a launch together.
class BlockCounts {
 public:
  /// `warps` is the number of the launch's warps, and `sites` are its accesses. `constant` is ignored if an access was
  /// seen that could not run by it.
  BlockCounts(std::vector<MachineInstruction> code, const std::vector<inject::Site>& sites, double warps,
              ConstantBranches constant, UnseenWays unseen);

  [[nodiscard]] const std::vector<MachineInstruction>& code() const { return code_; }
  [[nodiscard]] const std::vector<BasicBlock>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<CodeLoop>& loops() const { return loops_; }
  /// The times that warps ran each access that was seen, by its instruction.
  [[nodiscard]] const std::map<std::size_t, double>& seen() const { return seen_; }
  /// True if warps load again and again until others have stored. Such loads count once a warp.
  [[nodiscard]] bool polls() const { return polls_; }

 private:
  void count_sites(const std::vector<inject::Site>& sites);
  void find_loops();
  [[nodiscard]] bool runs(std::size_t i) const;
  [[nodiscard]] bool skips(std::size_t i) const;
  [[nodiscard]] std::optional<bool> taken(std::size_t i) const;
  void find_blocks();
  void connect();
  void add_way(std::size_t from, std::size_t to);
  void find_subroutines();
  void count_loops();
  [[nodiscard]] bool is_counted_every_round(std::size_t loop) const;
  void bound_blocks();
  [[nodiscard]] double most_in(std::size_t loop, double outside_of_loops) const;
  [[nodiscard]] bool is_counted(const BasicBlock& block) const;
  [[nodiscard]] double entering(const BasicBlock& header) const;
  void bound_from_below();
  void part_ways(UnseenWays unseen);
  [[nodiscard]] double coming(const BasicBlock& from, std::size_t to, UnseenWays unseen) const;
  [[nodiscard]] bool parts_lanes(const BasicBlock& from) const;
  [[nodiscard]] bool meets_lanes(const BasicBlock& block) const;

  std::vector<MachineInstruction> code_;
  ConstantBranches constant_;
  double warps_;
  bool polls_ = false;
  std::map<std::size_t, double> seen_;  ///< by instruction: times that warps ran it
  std::vector<CodeLoop> loops_;
  std::vector<BasicBlock> blocks_;
};

}  // namespace gpumem::program
