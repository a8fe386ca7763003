#include "program/machine_code/strong_loads.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "program/machine_code/operations.hpp"
#include "program/read/raw_words.hpp"

namespace gpumem::program {

namespace {

using Kind = MachineInstruction::Kind;

constexpr std::size_t longest_loop = 256;  // instructions of a loop that does little but wait
constexpr std::size_t most_open = 32;      // results that depend on each other

/// A register of threads, or a uniform one.
struct Register {
  unsigned number = 0;
  bool uniform = false;
};

/// The code of a loop, from its first instruction to the branch back.
class LoopBody {
 public:
  LoopBody(std::string_view code, std::size_t begin, std::size_t end) : begin_(begin) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto [low, high] = measure::words_at(code, i);
      computations_.push_back(computation_of(low, high));
    }
  }

  /// True if the register may hold another value each time that the instruction at `at` is issued.
  [[nodiscard]] bool varies(Register of, std::size_t at) {
    const auto written = written_before(of, at - begin_);
    return written && result_varies(*written);
  }

 private:
  [[nodiscard]] bool writes(std::size_t i, Register of) const {
    const Computation& c = computations_[i];
    if (c.operation == Operation::nothing) return false;
    if (c.operation == Operation::forget || c.operation == Operation::leads_anywhere) return true;
    return c.uniform == of.uniform && of.number >= c.destination && of.number < c.destination + c.width;
  }

  /// The place of the last instruction that wrote the register before the one at `at`, in this round or in the one
  /// before.
  [[nodiscard]] std::optional<std::size_t> written_before(Register of, std::size_t at) const {
    for (std::size_t back = 1; back <= computations_.size(); ++back) {
      const std::size_t i = (at + computations_.size() - back) % computations_.size();
      if (writes(i, of)) return i;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool result_varies(std::size_t i) {
    const Computation& c = computations_[i];
    // A value that depends on the one before, or on memory, may be another one.
    const bool is_followed = c.operation != Operation::other && c.operation != Operation::forget &&
                             c.operation != Operation::leads_anywhere && c.operation != Operation::predicates;
    if (is_same_.contains(i)) return false;
    if (!is_followed || open_.size() == most_open || !open_.insert(i).second) return true;
    const auto operand_varies = [&](const Operand& operand) {
      const bool uniform = operand.kind == Operand::Kind::uniform;
      if (!uniform && operand.kind != Operand::Kind::thread) return false;
      if (operand.value == (uniform ? zero_uniform : zero_register)) return false;
      const unsigned registers = c.operation == Operation::multiply_wide && &operand == &c.operands[2] ? 2 : 1;
      for (unsigned k = 0; k < registers; ++k) {
        const auto written = written_before({operand.value + k, uniform}, i);
        if (written && result_varies(*written)) return true;
      }
      return false;
    };
    const bool any = std::ranges::any_of(c.operands, operand_varies);
    open_.erase(i);
    if (!any) is_same_.insert(i);
    return any;
  }

  std::size_t begin_;
  std::vector<Computation> computations_;
  std::set<std::size_t> open_;     ///< instructions whose operands are being followed
  std::set<std::size_t> is_same_;  ///< those whose results are the same in each round
};

}  // namespace

bool loads_again(std::string_view code, const std::vector<MachineInstruction>& instructions, std::size_t index) {
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t i = index + 1; i < std::min(instructions.size(), index + longest_loop); ++i) {
    const bool goes_back = instructions[i].kind == Kind::branch && instructions[i].target <= index;
    if (!goes_back || i - instructions[i].target >= longest_loop) continue;
    if (end == 0 || i + 1 - instructions[i].target < end - begin) {
      begin = instructions[i].target;
      end = i + 1;
    }
  }
  if (end == 0) return false;
  const auto [low, high] = measure::words_at(code, index);
  const auto address = static_cast<unsigned>(low >> 24U & 0xffU);
  LoopBody body(code, begin, end);
  return !body.varies({address}, index) && !body.varies({address + 1}, index);
}

bool waits_for_others(const inject::Site& site, const MachineInstruction& instruction) {
  constexpr std::uint64_t word = sizeof(std::uint32_t);
  return instruction.loads_again && site.op == inject::RawOp::load && 2 * site.used_words * word < site.useful_bytes;
}

void load_from_l2(std::vector<inject::Site>& sites, const std::vector<MachineInstruction>& code) {
  for (inject::Site& site : sites) {
    const std::size_t index = site.pc / instruction_bytes;
    const bool is_load = site.op == inject::RawOp::load && is_off_chip(site) && !is_local(site);
    if (!is_load || (site.flags & inject::raw_outside_kernel) != 0 || index >= code.size()) continue;
    if (!code[index].past_l1 || waits_for_others(site, code[index])) continue;
    site.l2_sectors = std::max(site.l2_sectors, site.sectors);
    site.l2_requests = std::max(site.l2_requests, site.lines);
  }
}

}  // namespace gpumem::program
