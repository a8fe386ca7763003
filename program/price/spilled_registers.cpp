#include "program/price/spilled_registers.hpp"

#include <algorithm>
#include <cmath>

#include "engine/access/request.hpp"
#include "program/machine_code/block_counts.hpp"
#include "program/read/raw_words.hpp"

namespace gpumem::program {

namespace {

using Kind = MachineInstruction::Kind;

/// The places on the stack, by byte, of accesses that callbacks told of.
class SeenPlaces {
 public:
  explicit SeenPlaces(const BlockCounts& counts) {
    for (const auto& [index, times] : counts.seen()) {
      const MachineInstruction& instruction = counts.code()[index];
      if (instruction.on_stack) places_.push_back({instruction.stack_offset, end_of(instruction)});
    }
  }

  [[nodiscard]] bool overlap(const MachineInstruction& access) const {
    return std::ranges::any_of(
        places_, [&](const Place& place) { return access.stack_offset < place.end && place.begin < end_of(access); });
  }

 private:
  struct Place {
    int begin = 0;
    int end = 0;
  };
  static int end_of(const MachineInstruction& access) { return access.stack_offset + static_cast<int>(access.bytes); }

  std::vector<Place> places_;
};

inject::Site site_of(const MachineInstruction& access, std::size_t index, double times, unsigned lanes) {
  constexpr unsigned row_word = 4;
  inject::Site site{.pc = index * instruction_bytes, .space = inject::RawSpace::local};
  site.op = access.kind == Kind::store ? inject::RawOp::store : inject::RawOp::load;
  site.word_bytes = static_cast<std::uint8_t>(access.bytes);
  site.flags = inject::raw_assumed;
  site.requests = static_cast<std::uint64_t>(std::llround(times));
  site.active_lanes = site.requests * lanes;
  site.useful_bytes = site.active_lanes * access.bytes;
  const unsigned rows = std::max(1U, access.bytes / row_word);
  site.lines = site.requests * rows;
  site.sectors = site.lines * ((lanes * row_word + access::sector_bytes - 1) / access::sector_bytes);
  site.least_sectors = site.sectors;
  inject::ShownRequest& shown = site.request[site.shown++];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    shown.address[lane] = access::local_address(static_cast<std::uint64_t>(std::max(0, access.stack_offset)), lane);
    shown.active |= std::uint32_t{1} << lane;
  }
  return site;
}

}  // namespace

SpilledRegisters spilled_registers(const LaunchSums& launch, unsigned major) {
  std::vector<MachineInstruction> code = instructions_of(launch.code, major);
  if (std::ranges::none_of(code, &MachineInstruction::on_stack)) return {};
  ConstantBranches constant = constant_branches(launch.code, code, major, launch.constants);
  const double warps = warps_of(launch);
  const BlockCounts counts(std::move(code), launch.sites, warps, std::move(constant), UnseenWays::half);
  const SeenPlaces seen(counts);
  const unsigned lanes = std::min(launch.block_threads, access::warp_lanes);
  SpilledRegisters spilled;
  double stored = 0;  // bytes, by stores outside of all loops, where a warp comes once
  double by_all = 0;  // if all warps came there
  for (const BasicBlock& block : counts.blocks()) {
    constexpr double once = 0.5;
    if (block.times < once) continue;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const MachineInstruction& access = counts.code()[i];
      if (!access.on_stack || counts.seen().contains(i) || seen.overlap(access)) continue;
      spilled.sites.push_back(site_of(access, i, block.times, lanes));
      if (block.loop != outside || access.kind != Kind::store) continue;
      stored += block.times * access.bytes;
      by_all += warps * access.bytes;
    }
  }
  if (!spilled.sites.empty()) spilled.threads_share = by_all > 0 ? std::min(1.0, stored / by_all) : 1;
  return spilled;
}

}  // namespace gpumem::program
