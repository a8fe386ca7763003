#include "engine/model/store_merging.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/base/interruption.hpp"
#include "engine/model/cache_simulation.hpp"
#include "engine/model/occupancy.hpp"

namespace gpumem::model {

namespace {

/// Sums over the stores of a multiprocessor.
struct Stores {
  double requests = 0;
  double contended = 0;
  double lines = 0;    ///< of its requests
  double sectors = 0;  ///< of these
  double lines_left = 0;
  double sectors_left = 0;
  double few_lines = 0;  ///< of those left, the ones of lines with few stores
};

/// The lines that a multiprocessor holds on their way to L2.
class HeldLines {
 public:
  /// Returns true if the request goes to L2 with many others.
  bool store(const LineRequest& request, Stores& sums) {
    const auto sectors = static_cast<double>(number_of_sectors(request.sectors));
    sums.lines += 1;
    sums.sectors += sectors;
    auto line = std::ranges::find(lines_, request.line.number, &Line::number);
    if (line == lines_.end()) {
      if (lines_.size() == most_lines) leave(sums);
      line = lines_.insert(lines_.end(), Line{.number = request.line.number});
    }
    line->sectors |= request.sectors;
    line->stores += 1;
    line->stored_sectors += sectors;
    return line->is_merged();
  }

  [[nodiscard]] bool holds(std::uint64_t number) const {
    const auto line = std::ranges::find(lines_, number, &Line::number);
    return line != lines_.end() && line->is_merged();
  }

  void leave(Stores& sums) {
    for (const Line& line : lines_) {
      sums.lines_left += line.is_merged() ? 1 : line.stores;
      sums.few_lines += line.is_merged() ? 0 : line.stores;
      sums.sectors_left += line.is_merged() ? number_of_sectors(line.sectors) : line.stored_sectors;
    }
    lines_.clear();
  }

 private:
  static constexpr std::size_t most_lines = 28;

  struct Line {
    std::uint64_t number = 0;
    unsigned sectors = 0;  ///< a bit each
    double stores = 0;
    double stored_sectors = 0;

    [[nodiscard]] bool is_merged() const { return stores > 2; }
  };

  std::vector<Line> lines_;
};

/// A multiprocessor that stores what its blocks store. The oldest warps come first, in any order.
class Multiprocessor {
 public:
  Multiprocessor(const Workload& workload, const Device& device, unsigned number)
      : workload_(workload), every_(device.multiprocessors), block_(number) {
    for (const access::Site& site : workload.sites) {
      if (site.op == access::Op::store && in_device_memory(site, device)) sites_.push_back(&site);
    }
    const std::uint64_t resident = occupancy_of(workload, device).of_device / every_;
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(1, resident); ++i) begin_block();
    least_warps_ = warps_.size() - std::min<std::size_t>(warps_.size(), workload.warps_of_block());
  }

  /// Plays the next request; false if there is none.
  bool step(const Multiprocessor& other) {
    if (warps_.empty()) return false;
    random_ = mixed_high(random_ + 1);
    const auto chosen =
        warps_.begin() + static_cast<std::ptrdiff_t>((random_ >> 33U) % std::min(at_a_time, warps_.size()));
    Warp warp = *chosen;
    warps_.erase(chosen);
    store(warp, other);
    if (++warp.turn == sites_[warp.site]->instructions) {
      warp.turn = 0;
      ++warp.site;
    }
    if (warp.site < sites_.size()) {
      warps_.push_back(warp);
    } else if (warps_.size() <= least_warps_) {
      begin_block();
    }
    return true;
  }

  /// Its stores, once all that it holds has left.
  [[nodiscard]] const Stores& finish() {
    held_.leave(sums_);
    return sums_;
  }

 private:
  static constexpr std::size_t at_a_time = 4;  // fits the counts best among 1, 4 and 16

  struct Warp {
    std::uint64_t block = 0;
    std::uint64_t warp = 0;
    std::size_t site = 0;
    unsigned turn = 0;
  };

  void begin_block() {
    if (block_ >= workload_.blocks) return;
    for (std::uint64_t warp = 0; warp < workload_.warps_of_block(); ++warp) warps_.push_back({block_, warp});
    // Later blocks go to the multiprocessor that has room, which is another one each time.
    block_ += every_ - begun_ % 2;
    ++begun_;
  }

  void store(const Warp& warp, const Multiprocessor& other) {
    const access::Site& site = *sites_[warp.site];
    access::WarpRequest request{.word_bytes = site.word_bytes};
    site.fill((warp.block * site.instructions + warp.turn) * workload_.warps_of_block() + warp.warp, {&request, 1});
    line_requests_.take_apart(request, Sample(0), warp.site);
    bool contended = false;
    for (const LineRequest& of_line : line_requests_.all()) {
      contended = (held_.store(of_line, sums_) && other.held_.holds(of_line.line.number)) || contended;
    }
    sums_.requests += 1;
    sums_.contended += contended ? 1 : 0;
  }

  const Workload& workload_;
  std::vector<const access::Site*> sites_;
  std::uint64_t every_;
  std::uint64_t block_;  ///< that begins next
  std::uint64_t begun_ = 0;
  std::uint64_t random_ = 0;
  std::size_t least_warps_ = 0;  ///< with which there is room for another block
  std::deque<Warp> warps_;
  LineRequests line_requests_;
  HeldLines held_;
  Stores sums_;
};

}  // namespace

StoreMerging store_merging(const Workload& workload, const Device& device) {
  constexpr unsigned played = 2048;  // requests: 28 lines that leave at the end hardly count
  Multiprocessor first(workload, device, 0);
  Multiprocessor second(workload, device, device.multiprocessors / 2);  // neighbours share the lines between them
  for (unsigned i = 0; i < played; ++i) {
    stop_if_requested();
    const bool goes_on = first.step(second);
    if (!second.step(first) && !goes_on) break;
  }
  const Stores& stores = first.finish();
  if (stores.lines == 0) return {};
  return {.lines_share = stores.lines_left / stores.lines,
          .few_share = stores.few_lines / stores.lines,
          .sectors_share = stores.sectors_left / stores.sectors,
          .contended_share = stores.contended / stores.requests};
}

}  // namespace gpumem::model
