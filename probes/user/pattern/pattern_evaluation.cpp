#include "probes/user/pattern/pattern_evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/access/chunks.hpp"
#include "engine/base/error.hpp"

namespace gpumem::global {

using pattern::WarpAccesses;

PatternEvaluator::PatternEvaluator(const UserPattern& pattern, std::int64_t n)
    : option_(pattern.element.option), text_(pattern.element.text), element_(pattern.element, n) {
  if (!pattern.takes_all_part()) active_.emplace(pattern.active, n);
}

WarpElements PatternEvaluator::operator()(WarpAccesses& at) {
  if (active_) {
    const pattern::WarpValues& takes_part = (*active_)(at);
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if (takes_part[lane] == 0) at.active &= ~(std::uint32_t{1} << lane);
    }
  }
  if (at.active == 0) return {at.i, 0};
  const pattern::WarpValues& element = element_(at);
  std::int64_t signs = 0;
  for (const std::int64_t value : element) signs |= value;
  if (signs < 0) refuse_negative(at, element);
  return {element, at.active};
}

void PatternEvaluator::refuse_negative(const WarpAccesses& at, const pattern::WarpValues& element) const {
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    if ((at.active >> lane & 1U) == 0 || element[lane] >= 0) continue;
    throw usage_error(fmt::format(
        "--{}: '{}' is {} for access i = {}; elements begin at 0: add what is missing, or leave the access out with "
        "--active",
        option_, text_, element[lane], at.i[lane]));
  }
}

void Evaluation::fill(const Launch& launch, std::uint64_t first, std::span<access::WarpRequest> requests) {
  if (is_listed(requests.size() * std::min<std::uint64_t>(access::warp_lanes, launch.tile.block_threads)))
    return fill_from_list(launch, first, requests);
  pool_.with_one([&](PatternEvaluator& evaluate) {
    // Successive requests have successive accesses. If a request is shorter than a warp, the next one takes the
    // accesses that are left of the evaluated warp.
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    WarpAccesses at;
    const pattern::WarpValues* element = nullptr;
    std::uint32_t active = 0;
    const auto shift = static_cast<unsigned>(std::countr_zero(launch.word_bytes));
    for (std::size_t k = 0; k < requests.size(); ++k) {
      const AccessRun run = launch.accesses_of(first + k);
      requests[k].active = 0;
      for (unsigned lane = 0; lane < run.count;) {
        const std::uint64_t access = run.first + lane;
        if (access < begin || access >= end) {
          begin = access;
          end = std::min(access + access::warp_lanes, n_);
          pattern::set_consecutive(at, static_cast<std::int64_t>(begin), static_cast<std::size_t>(end - begin));
          const WarpElements warp = evaluate(at);
          element = &warp.element;
          active = warp.active;
        }
        const auto from = static_cast<unsigned>(access - begin);
        const unsigned lanes = std::min(run.count - lane, static_cast<unsigned>(end - access));
        if (lanes == access::warp_lanes) {  // nearly always: the compiler unrolls this loop
          for (unsigned i = 0; i < access::warp_lanes; ++i) {
            requests[k].address[i] = static_cast<std::uint64_t>((*element)[i]) << shift;
          }
        } else {
          for (unsigned i = 0; i < lanes; ++i) {
            requests[k].address[lane + i] = static_cast<std::uint64_t>((*element)[from + i]) << shift;
          }
        }
        requests[k].active |= (active >> from & ~std::uint32_t{0} >> (access::warp_lanes - lanes)) << lane;
        lane += lanes;
      }
    }
  });
}

/// Returns true if the list can be used. It is made once as many accesses were evaluated as the launch has.
bool Evaluation::is_listed(std::uint64_t accesses) {
  if (n_ > most_listed || evaluated_.fetch_add(accesses) < n_) return false;
  std::call_once(once_, [&] { make_list(); });
  return !list_.empty();
}

void Evaluation::make_list() {
  constexpr std::uint64_t chunk = std::uint64_t{1} << 16U;
  std::vector<std::uint32_t> list(n_);
  std::atomic<bool> fits = true;
  access::in_chunks(n_, chunk, access::threads_for(n_, chunk, 0),
                    [&](unsigned, std::uint64_t first, std::uint64_t end) {
                      pool_.with_one([&](PatternEvaluator& evaluate) {
                        if (!evaluate_into(evaluate, list, first, end)) fits = false;
                      });
                    });
  if (fits) list_ = std::move(list);
}

bool Evaluation::evaluate_into(PatternEvaluator& evaluate, std::vector<std::uint32_t>& list, std::uint64_t first,
                               std::uint64_t end) {
  WarpAccesses at;
  for (; first < end; first += access::warp_lanes) {
    const auto lanes = static_cast<unsigned>(std::min<std::uint64_t>(access::warp_lanes, end - first));
    pattern::set_consecutive(at, static_cast<std::int64_t>(first), lanes);
    const WarpElements warp = evaluate(at);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const bool active = (warp.active >> lane & 1U) != 0;
      if (active && warp.element[lane] >= std::int64_t{inactive}) return false;
      list[first + lane] = active ? static_cast<std::uint32_t>(warp.element[lane]) : inactive;
    }
  }
  return true;
}

void Evaluation::fill_from_list(const Launch& launch, std::uint64_t first,
                                std::span<access::WarpRequest> requests) const {
  for (std::size_t k = 0; k < requests.size(); ++k) {
    const AccessRun run = launch.accesses_of(first + k);
    std::uint32_t active = 0;
    for (unsigned lane = 0; lane < run.count; ++lane) {
      const std::uint32_t element = list_[run.first + lane];
      requests[k].address[lane] = std::uint64_t{element} * launch.word_bytes;
      active |= std::uint32_t{element != inactive} << lane;
    }
    requests[k].active = active;
  }
}

}  // namespace gpumem::global
