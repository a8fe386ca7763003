#pragma once
// A launch that is sampled in parts, so that it ends in time however long it would take.

#include <algorithm>
#include <cstdint>

namespace gpumem::inject {

/// The blocks of a launch that run, and how long they are looked at. The others exit before they do anything: the same
/// launch with other blocks runs them. All blocks before the first one that is turned away were let in, because a
/// block may wait for those before it.
struct LaunchPart {
  std::uint64_t begin_block = 0;  ///< the first one
  std::uint64_t end_block = 0;    ///< behind the last one
  std::uint64_t budget_ns =
      0;                       ///< after which requests are counted and no more; half of it: new blocks are turned away
  std::uint64_t began_ns = 0;  ///< by the GPU's clock; 0: not yet
  std::uint64_t let_in = 0;    ///< behind the last block that was let in; with `turned_away` no more are
  std::uint32_t looks = 0;     ///< 1: this part is looked at; 0: nobody is turned away and nothing is counted
  std::uint32_t spent = 0;     ///< 1: the budget is
};
inline constexpr std::uint64_t turned_away = std::uint64_t{1} << 63U;

inline constexpr std::uint64_t few_blocks = 16;
/// The fewest blocks of a launch of which one may go unseen: what they access hardly shows it.
inline constexpr std::uint64_t many_blocks = 128;

/// Returns the part of a launch of `blocks` blocks that is looked at first, from block `begin` on. `tried`: it has few
/// blocks, which tell how long all would take. That is for launches whose blocks do not wait for each other.
[[nodiscard]] constexpr LaunchPart first_part(std::uint64_t begin, std::uint64_t blocks, bool tried,
                                              std::uint64_t budget_ns) {
  constexpr std::uint64_t most = 64;
  LaunchPart part{.begin_block = begin, .end_block = blocks, .budget_ns = budget_ns, .let_in = begin, .looks = 1};
  if (!tried || blocks < few_blocks) return part;
  part.end_block = begin + std::min(blocks / few_blocks, most);
  part.budget_ns /= 4;
  return part;
}

/// Returns the nanoseconds that it takes to look at a block that otherwise takes `block_ns`: 8 times as long, for a
/// kernel that only loads (H100).
[[nodiscard]] constexpr double looking_ns(std::uint64_t block_ns) { return 8 * static_cast<double>(block_ns); }

/// The block behind the last one that has run, of a part as its launch has left it.
[[nodiscard]] constexpr std::uint64_t end_of(const LaunchPart& part) {
  const bool is_cut = (part.let_in & turned_away) != 0;
  return is_cut ? std::min(part.let_in & ~turned_away, part.end_block) : part.end_block;
}

/// Estimates the nanoseconds of a whole launch; 0: unknown. All blocks but the first `ended` took `took_ns`, by the
/// host's clock at worst.
[[nodiscard]] constexpr double whole_ns(double took_ns, std::uint64_t ended, std::uint64_t blocks) {
  constexpr double queue_ns = 1e4;  // until the GPU has the launch and the host knows of its end
  constexpr double least_ns = 1e6;
  if (took_ns < least_ns || 2 * ended > blocks) return 0;
  return (took_ns - queue_ns) * static_cast<double>(blocks) / static_cast<double>(blocks - ended);
}

/// The same, by events around the launch of these blocks. `empty_ns`: what the same launch takes if all of its blocks
/// end at once. That is at least what the patch at the begin of blocks adds, so it has to be a small part.
[[nodiscard]] constexpr double whole_ns_by_events(double took_ns, double empty_ns, std::uint64_t ended,
                                                  std::uint64_t blocks) {
  constexpr double most_share = 0.05;
  if (empty_ns > most_share * took_ns || 2 * ended > blocks) return 0;
  return took_ns * static_cast<double>(blocks) / static_cast<double>(blocks - ended);
}

/// Returns the part that is looked at after the first, which took `took_ns`. If that was short, it has all other
/// blocks, which are turned away in time. Otherwise it has as many as there is time for at the first part's pace. It is
/// empty if the first part took all its time.
[[nodiscard]] constexpr LaunchPart next_part(const LaunchPart& first, std::uint64_t took_ns, std::uint64_t blocks,
                                             std::uint64_t budget_ns) {
  const std::uint64_t ended = end_of(first);
  LaunchPart part{.begin_block = ended, .end_block = ended, .budget_ns = budget_ns, .let_in = ended, .looks = 1};
  if (first.spent != 0 || first.end_block != ended) return part;
  constexpr std::uint64_t at_once = 16;  // times as many blocks as the first part has, at its pace or better
  part.end_block = blocks;
  if (took_ns <= budget_ns / at_once) return part;
  const double each_ns = static_cast<double>(took_ns) / static_cast<double>(ended - first.begin_block);
  const double more = static_cast<double>(budget_ns) / each_ns;
  if (more < static_cast<double>(blocks - ended)) part.end_block = ended + static_cast<std::uint64_t>(more);
  return part;
}

}  // namespace gpumem::inject
