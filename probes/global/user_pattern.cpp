#include "probes/global/user_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "probes/access/chunks.hpp"
#include "probes/access/periodic.hpp"
#include "probes/error.hpp"
#include "probes/interruption.hpp"
#include "probes/pattern/expression_bounds.hpp"
#include "probes/pattern/expression_cost.hpp"
#include "probes/pattern/expression_evaluator.hpp"
#include "probes/pattern/expression_period.hpp"

namespace gpumem::global {

namespace {

using pattern::Evaluator;
using pattern::WarpAccesses;

/// Periods up to this many accesses are looked at twice to know the whole launch.
constexpr std::int64_t longest_period = std::int64_t{1} << 22U;

/// What the lanes of one warp do.
struct WarpElements {
  const pattern::WarpValues& element;  ///< of active lanes; until the next warp is evaluated
  std::uint32_t active = 0;
};

/// Evaluates both expressions. Of one thread at a time.
class PatternEvaluator {
 public:
  PatternEvaluator(const UserPattern& pattern, std::int64_t n)
      : option_(pattern.element.option), text_(pattern.element.text), element_(pattern.element, n) {
    const bool always = pattern.active.code.size() == 1 && pattern.active.code[0].op == pattern::Opcode::literal &&
                        pattern.active.code[0].value != 0;
    if (!always) active_.emplace(pattern.active, n);
  }

  /// Of `at`, in which those that do not take part become inactive.
  [[nodiscard]] WarpElements operator()(WarpAccesses& at) {
    if (active_) {
      const pattern::WarpValues& takes_part = (*active_)(at);
      for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
        if (takes_part[lane] == 0) at.active &= ~(std::uint32_t{1} << lane);
      }
    }
    if (at.active == 0) return {at.i, 0};
    const pattern::WarpValues& element = element_(at);
    std::int64_t signs = 0;
    for (const std::int64_t one : element) signs |= one;
    if (signs < 0) refuse_negative(at, element);
    return {element, at.active};
  }

 private:
  /// If one of an active lane is.
  void refuse_negative(const WarpAccesses& at, const pattern::WarpValues& element) const {
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((at.active >> lane & 1U) == 0 || element[lane] >= 0) continue;
      throw usage_error(fmt::format(
          "--{}: '{}' is {} for access i = {}; elements begin at 0: add what is missing, or leave the access out with "
          "--active",
          option_, text_, element[lane], at.i[lane]));
    }
  }

  std::string option_;
  std::string text_;
  Evaluator element_;
  std::optional<Evaluator> active_;
};

/// Evaluators for whoever needs one: they are dear to make, and not to be shared.
class EvaluatorPool {
 public:
  EvaluatorPool(UserPattern pattern, std::int64_t n) : pattern_(std::move(pattern)), n_(n) {}

  template <class Use>
  void with_one(const Use& use) {
    std::unique_ptr<PatternEvaluator> one = take();
    use(*one);
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(one));
  }

 private:
  std::unique_ptr<PatternEvaluator> take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        auto one = std::move(idle_.back());
        idle_.pop_back();
        return one;
      }
    }
    return std::make_unique<PatternEvaluator>(pattern_, n_);
  }

  UserPattern pattern_;
  std::int64_t n_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PatternEvaluator>> idle_;
};

/// Both repeat themselves, and elements grow by `growth` from period to period.
std::optional<pattern::Periodicity> proved_period(const UserPattern& pattern, std::int64_t n) {
  const auto element = pattern::periodicity(pattern.element, n);
  if (!element) return std::nullopt;
  pattern::Expression takes_part = pattern.active;
  const auto active = pattern::periodicity(takes_part, n);
  if (!active || active->growth != 0) return std::nullopt;
  const std::int64_t period = std::lcm(element->period, active->period);
  if (period > longest_period || period >= n) return std::nullopt;
  return pattern::Periodicity{period, element->growth * (period / element->period), element->first};
}

struct Highest {
  std::uint64_t accesses = 0;
  std::int64_t element = -1;
  std::int64_t access = 0;

  void add(const WarpAccesses& at, const WarpElements& warp) {
    accesses += static_cast<std::uint64_t>(std::popcount(warp.active));
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((warp.active >> lane & 1U) == 0 || warp.element[lane] <= element) continue;
      element = warp.element[lane];
      access = at.i[lane];
    }
  }
  void add(const Highest& other) {
    accesses += other.accesses;
    if (other.element > element) std::tie(element, access) = std::tuple(other.element, other.access);
  }
};

/// Of accesses [first, end).
Highest highest_among(PatternEvaluator& evaluate, std::int64_t first, std::int64_t end) {
  Highest highest;
  for (; first < end; first += access::warp_lanes) {
    stop_if_requested();
    WarpAccesses at =
        pattern::consecutive(first, std::min<std::size_t>(access::warp_lanes, static_cast<std::size_t>(end - first)));
    highest.add(at, evaluate(at));
  }
  return highest;
}

/// Of a launch that repeats itself: the first period tells how many take part, and it or the last one has the highest.
Highest highest_by_period(const UserPattern& pattern, std::int64_t n, std::int64_t period) {
  PatternEvaluator evaluate(pattern, n);
  const std::int64_t rest = n % period;
  Highest highest = highest_among(evaluate, 0, period);
  const std::uint64_t taking_part = highest.accesses * static_cast<std::uint64_t>(n / period);
  highest.add(highest_among(evaluate, n - rest - period, n - rest));
  highest.accesses = taking_part;
  highest.add(highest_among(evaluate, n - rest, n));
  return highest;
}

/// Of any launch: by evaluating all of it.
Highest highest_of_all(const UserPattern& pattern, std::int64_t n) {
  constexpr std::uint64_t chunk = std::uint64_t{1} << 16U;
  const unsigned threads = access::threads_for(static_cast<std::uint64_t>(n), chunk, 0);
  EvaluatorPool pool(pattern, n);
  std::vector<Highest> found(threads);
  access::in_chunks(
      static_cast<std::uint64_t>(n), chunk, threads, [&](unsigned thread, std::uint64_t first, std::uint64_t end) {
        pool.with_one([&](PatternEvaluator& evaluate) {
          found[thread].add(highest_among(evaluate, static_cast<std::int64_t>(first), static_cast<std::int64_t>(end)));
        });
      });
  Highest highest;
  for (const Highest& one : found) highest.add(one);
  return highest;
}

[[noreturn]] void refuse_idle(const UserPattern& pattern, std::int64_t n) {
  throw usage_error(fmt::format("--{}: '{}' is 0 for all {} accesses; none would take part", pattern.active.option,
                                pattern.active.text, n));
}

}  // namespace

UserPattern user_pattern(const std::string& element, const std::string& active, const Launch& launch) {
  const auto written = [&](const std::string& text, const char* option) {
    return with_accesses(pattern::parse_one(text, option), static_cast<std::int64_t>(launch.count));
  };
  const auto of_access = [&](const pattern::Expression& expression) {
    return of_access_alone(expression, launch.tile.block_threads, static_cast<std::int64_t>(launch.tile.elements()));
  };
  UserPattern pattern;
  pattern.written = written(element, "pattern");
  pattern.written_active = written(active, "active");
  pattern.element = of_access(pattern.written);
  pattern.active = of_access(pattern.written_active);
  return pattern;
}

FillRequests requests_of(const UserPattern& pattern, const Launch& launch) {
  const auto pool = std::make_shared<EvaluatorPool>(pattern, static_cast<std::int64_t>(launch.count));
  return [pool, launch](std::uint64_t first, std::span<access::WarpRequest> requests) {
    pool->with_one([&](PatternEvaluator& evaluate) {
      for (std::size_t k = 0; k < requests.size(); ++k) {
        const AccessRun run = launch.accesses_of(first + k);
        WarpAccesses at = pattern::consecutive(static_cast<std::int64_t>(run.first), run.count);
        const WarpElements warp = evaluate(at);
        requests[k].active = warp.active;
        for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
          requests[k].address[lane] = static_cast<std::uint64_t>(warp.element[lane]) * launch.word_bytes;
        }
      }
    });
  };
}

namespace {

access::Requests evaluated(const UserPattern& pattern, const Launch& launch, std::uint64_t extent_elements) {
  return {.name = "pattern",
          .word_bytes = launch.word_bytes,
          .count = launch.requests(),
          .extent_bytes = extent_elements * launch.word_bytes,
          .fill = requests_of(pattern, launch)};
}

/// Where all is evaluated, and it is known before about how far it reaches: together, as evaluating takes longest.
KnownPattern facts_and_counts(const UserPattern& pattern, const Launch& launch, std::uint64_t extent_elements) {
  access::Reach reach;
  KnownPattern known{.exact = access::summarise_exactly(evaluated(pattern, launch, extent_elements), {}, &reach)};
  const auto n = static_cast<std::int64_t>(launch.count);
  if (reach.accesses == 0) refuse_idle(pattern, n);
  const AccessRun run = launch.accesses_of(reach.highest_request);
  PatternEvaluator evaluate(pattern, n);
  const auto first = static_cast<std::int64_t>(run.first);
  const Highest highest = highest_among(evaluate, first, first + static_cast<std::int64_t>(run.count));
  known.facts = {.accesses = reach.accesses,
                 .extent_elements = reach.end_byte / launch.word_bytes,
                 .highest_access = static_cast<std::uint64_t>(highest.access)};
  return known;
}

}  // namespace

KnownPattern known_of(const UserPattern& pattern, const Launch& launch, const EvaluateAll& elsewhere) {
  constexpr std::int64_t most_elements_per_access = 16;  // what room there may be in the map of what is touched
  const auto n = static_cast<std::int64_t>(launch.count);
  const auto period = proved_period(pattern, n);
  const pattern::Bounds elements = bounds_of(pattern.element, n);
  const bool near = elements.high >= 0 && elements.high / most_elements_per_access < n;
  const std::uint64_t bound = near ? static_cast<std::uint64_t>(elements.high) + 1 : 0;
  if (!period && elsewhere) {
    if (std::optional<KnownPattern> known = elsewhere(pattern, launch, bound)) return *std::move(known);
  }
  if (!period && near) return facts_and_counts(pattern, launch, bound);
  const Highest highest = period ? highest_by_period(pattern, n, period->period) : highest_of_all(pattern, n);
  if (highest.accesses == 0) refuse_idle(pattern, n);
  KnownPattern known{.facts = {.accesses = highest.accesses,
                               .extent_elements = static_cast<std::uint64_t>(highest.element) + 1,
                               .highest_access = static_cast<std::uint64_t>(highest.access)},
                     .exact = {}};
  if (period) {
    known.facts.period = {.accesses = static_cast<std::uint64_t>(period->period), .growth_elements = period->growth};
  }
  return known;
}

PatternFacts facts_of(const UserPattern& pattern, const Launch& launch) { return known_of(pattern, launch).facts; }

access::ExactSummary counted(const UserPattern& pattern, const Launch& launch, const PatternFacts& facts) {
  const access::Requests requests = evaluated(pattern, launch, facts.extent_elements);
  return facts.period ? access::summarise_periodic(requests, period_of(launch, *facts.period))
                      : access::summarise_exactly(requests);
}

KnownPattern& KnownPatterns::entry(const UserPattern& pattern, const Launch& launch) {
  constexpr std::size_t most_entries = 256;
  const bool whole_warps = launch.tile.block_threads % access::warp_lanes == 0;
  const Tile tile = whole_warps ? Tile{access::warp_lanes, 1} : launch.tile;
  std::string key =
      fmt::format("{} {} {} {}", launch.count, launch.word_bytes, tile.block_threads, tile.elements_per_thread);
  for (const pattern::Expression* expression : {&pattern.element, &pattern.active}) {
    for (const pattern::Instruction& one : expression->code) {
      key += fmt::format(";{} {} {} {} {}", static_cast<int>(one.op), one.a, one.b, one.c, one.value);
    }
    key += '|';
  }
  if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  KnownPattern known = known_of(pattern, launch, elsewhere_);
  if (entries_.size() >= most_entries) entries_.clear();
  return entries_.emplace(std::move(key), std::move(known)).first->second;
}

const PatternFacts& KnownPatterns::facts(const UserPattern& pattern, const Launch& launch) {
  return entry(pattern, launch).facts;
}

const access::ExactSummary& KnownPatterns::counted(const UserPattern& pattern, const Launch& launch) {
  KnownPattern& known = entry(pattern, launch);
  if (!known.exact) known.exact = global::counted(pattern, launch, known.facts);
  return *known.exact;
}

/// Scheduler cycles of all warps for where accesses go, with what the kernel does around it, as compiled (see
/// pattern::cycles_of). Warps without an active lane only find out that they are. Of an affine pattern they are as few
/// as of the built-in kernels, whose rates include them.
std::optional<double> address_cycles(const Launch& launch, const UserPattern& pattern, std::uint64_t requests,
                                     const PatternFacts& facts) {
  constexpr double per_thread = 11;
  constexpr double per_access = 8;  // that takes part or not
  constexpr double per_request = 8;
  if (facts.period && facts.period->accesses == 1) return std::nullopt;
  const double words = launch.word_bytes / 4.0;
  const bool copies = launch.op == Op::copy;
  const double accessing = per_request + (launch.op == Op::write ? 7.8 * words - 5 : 0) + (copies ? 2.6 : 0) +
                           cycles_of(pattern.written) * (copies ? 2 : 1);
  const double always = per_access + cycles_of(pattern.written_active) + per_thread / launch.tile.elements_per_thread;
  return static_cast<double>(launch.requests()) * always + static_cast<double>(requests) * accessing;
}

Workload workload_of(const Launch& launch, const UserPattern& pattern, const access::ExactSummary& exact,
                     const PatternFacts& facts) {
  Workload workload;
  const std::uint64_t useful = facts.accesses * launch.word_bytes;
  access::Site site;
  site.word_bytes = launch.word_bytes;
  site.instructions = launch.tile.elements_per_thread;
  site.requests = exact.counts.requests;
  site.summary = exact.summary;
  site.fill = requests_of(pattern, launch);
  site.evaluated = launch.requests();
  site.described = true;
  if (facts.period) set_period(site, period_of(launch, *facts.period));
  site.summary->cost =
      access::average(exact.counts, exact.counts.requests, access::costed(site.space, site.op), site.word_bytes);
  if (launch.loads()) {
    site.name = "source";
    site.op = access::Op::load;
    workload.sites.push_back(site);
    workload.useful_bytes_read = useful;
  }
  if (launch.stores()) {
    site.name = "target";
    site.op = access::Op::store;
    workload.sites.push_back(site);
    workload.useful_bytes_written = useful;
  }
  workload.blocks = launch.blocks();
  workload.block_threads = launch.tile.block_threads;
  workload.address_cycles = address_cycles(launch, pattern, exact.counts.requests, facts);
  return workload;
}

}  // namespace gpumem::global
