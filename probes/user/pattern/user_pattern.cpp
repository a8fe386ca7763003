#include "probes/user/pattern/user_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/access/chunks.hpp"
#include "engine/access/periodic.hpp"
#include "engine/base/error.hpp"
#include "engine/base/interruption.hpp"
#include "engine/model/profile.hpp"
#include "engine/pattern/expression_bounds.hpp"
#include "engine/pattern/expression_cost.hpp"
#include "engine/pattern/expression_evaluator.hpp"
#include "engine/pattern/expression_period.hpp"
#include "probes/user/pattern/pattern_evaluation.hpp"

namespace gpumem::global {

namespace {

using pattern::WarpAccesses;

/// The longest period, in accesses, of which two are evaluated to know the whole launch.
constexpr std::int64_t longest_period = std::int64_t{1} << 22U;

/// Returns the common period of both expressions if they provably repeat. Elements grow by `growth` from period to
/// period.
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

/// Returns the highest element among accesses [first, end).
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

/// Returns the highest element of a launch that repeats itself. The first period tells how many accesses take part. The
/// highest element is in the first period, in the last whole one or in the rest behind it.
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

/// Returns the highest element of any launch by evaluating all of it.
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
  for (const Highest& of_thread : found) highest.add(of_thread);
  return highest;
}

[[noreturn]] void refuse_idle(const UserPattern& pattern, std::int64_t n) {
  throw usage_error(fmt::format("--{}: '{}' is 0 for all {} accesses; none would take part", pattern.active.option,
                                pattern.active.text, n));
}

access::Requests evaluated(const UserPattern& pattern, const Launch& launch, std::uint64_t extent_elements) {
  return {.name = "pattern",
          .word_bytes = launch.word_bytes,
          .count = launch.requests(),
          .extent_bytes = extent_elements * launch.word_bytes,
          .fill = requests_of(pattern, launch)};
}

/// Finds the facts and the exact counts in one pass over all accesses, because evaluating takes longest. No element
/// reaches `extent_elements`.
KnownPattern facts_and_counts(const UserPattern& pattern, const Launch& launch, std::uint64_t extent_elements) {
  access::LaunchExtent reach;
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

/// Returns the summary of a launch whose accesses are `distance` elements apart, the first at `lowest`.
access::SiteSummary touched_in_steps(const Launch& launch, std::uint64_t lowest, std::uint64_t distance) {
  const std::uint64_t word = launch.word_bytes;
  const access::Requests walk = {.name = "pattern",
                                 .word_bytes = launch.word_bytes,
                                 .count = launch.requests(),
                                 .extent_bytes = (lowest + distance * launch.count) * word,
                                 .fill = [&](std::uint64_t first, std::span<access::WarpRequest> requests) {
                                   for (std::size_t k = 0; k < requests.size(); ++k) {
                                     const AccessRun run = launch.accesses_of(first + k);
                                     for (unsigned lane = 0; lane < run.count; ++lane) {
                                       requests[k].address[lane] = (lowest + (run.first + lane) * distance) * word;
                                       requests[k].active |= std::uint32_t{1} << lane;
                                     }
                                   }
                                 }};
  const PatternPeriod steadily{.accesses = 1, .growth_elements = static_cast<std::int64_t>(distance)};
  return access::summarise_periodic(walk, period_of(launch, steadily)).summary;
}

/// Returns the facts and counts of a launch whose elements are (first + step i) mod modulus, if it takes every value
/// that the formula can take; nullopt for other launches. A request costs the same if its elements move by whole rounds
/// of the DRAM channels and wrap at the modulus: the modulus is whole rounds too, so blocks of each size move as a
/// whole and stay apart. The costs of requests therefore repeat, and one period of them is enough. The launch touches
/// the same elements as a walk in steps of gcd(step, modulus).
std::optional<KnownPattern> known_by_residues(const UserPattern& pattern, const Launch& launch) {
  const auto n = static_cast<std::int64_t>(launch.count);
  const auto found = pattern.takes_all_part() ? pattern::residues(pattern.element, n) : std::nullopt;
  if (!found) return std::nullopt;
  const std::int64_t round = access::atom_channels * access::dram_atom_bytes / launch.word_bytes;
  const std::int64_t distance = std::gcd(found->step, found->modulus);
  const std::int64_t taken = found->modulus / distance;
  const access::Period period = period_of(
      launch, {.accesses = static_cast<std::uint64_t>(round / std::gcd(found->step, round)), .growth_elements = 0});
  const std::uint64_t periods = std::min(period.regular, launch.requests()) / period.requests;
  if (found->modulus % round != 0 || taken > n || periods < 2) return std::nullopt;

  KnownPattern known{.exact = access::ExactSummary{}};
  const access::Requests all = evaluated(pattern, launch, 0);
  const auto counts_of = [&](std::uint64_t first, std::uint64_t count) {
    access::Requests some = all;
    some.count = count;
    some.fill = [&all, first](std::uint64_t k, std::span<access::WarpRequest> filled) { all.fill(first + k, filled); };
    return access::summarise_exactly(some).counts;
  };
  const access::Counts each = counts_of(0, period.requests);
  access::Counts& sum = known.exact->counts =
      counts_of(periods * period.requests, all.count - periods * period.requests);
  for (const auto count :
       {&access::Counts::requests, &access::Counts::sectors, &access::Counts::lines, &access::Counts::addresses}) {
    sum.*count += periods * each.*count;
  }
  const std::int64_t lowest = found->first % distance;
  const Launch walk{.op = launch.op, .word_bytes = launch.word_bytes, .count = static_cast<std::uint64_t>(taken)};
  known.exact->summary =
      touched_in_steps(walk, static_cast<std::uint64_t>(lowest), static_cast<std::uint64_t>(distance));
  known.exact->summary.cost = access::average(sum, all.count, access::costed(all.space, all.op), launch.word_bytes);
  const std::int64_t highest = lowest + distance * (taken - 1);
  known.facts = {.accesses = launch.count,
                 .extent_elements = static_cast<std::uint64_t>(highest) + 1,
                 .highest_access = static_cast<std::uint64_t>(pattern::where(*found, highest))};
  return known;
}

std::string key_of(const UserPattern& pattern, std::uint64_t accesses) {
  std::string key = fmt::format("{} ", accesses);
  for (const pattern::Expression* expression : {&pattern.element, &pattern.active}) {
    for (const pattern::Instruction& instruction : expression->code) {
      key += fmt::format(";{} {} {} {} {}", static_cast<int>(instruction.op), instruction.a, instruction.b,
                         instruction.c, instruction.value);
    }
    key += '|';
  }
  return key;
}

}  // namespace

bool UserPattern::takes_all_part() const {
  return active.code.size() == 1 && active.code[0].op == pattern::Opcode::literal && active.code[0].value != 0;
}

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
  auto evaluation = pattern.evaluation ? pattern.evaluation : std::make_shared<Evaluation>(pattern, launch.count);
  return [evaluation = std::move(evaluation), launch](std::uint64_t first, std::span<access::WarpRequest> requests) {
    evaluation->fill(launch, first, requests);
  };
}

KnownPattern known_of(const UserPattern& pattern, const Launch& launch, const EvaluateAll& elsewhere) {
  constexpr std::int64_t most_elements_per_access = 16;  // what room there may be in the map of what is touched
  const auto n = static_cast<std::int64_t>(launch.count);
  const auto period = proved_period(pattern, n);
  const pattern::Bounds elements = bounds_of(pattern.element, n);
  const bool near = elements.high >= 0 && elements.high / most_elements_per_access < n;
  const std::uint64_t bound = near ? static_cast<std::uint64_t>(elements.high) + 1 : 0;
  if (!period) {
    if (std::optional<KnownPattern> known = known_by_residues(pattern, launch)) return *std::move(known);
  }
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

void KnownPatterns::evaluate_once(UserPattern& pattern, const Launch& launch) {
  constexpr std::size_t most_evaluations = 2;  // which may be large
  const std::string key = key_of(pattern, launch.count);
  auto found = std::ranges::find(evaluations_, key, &NamedEvaluation::first);
  if (found == evaluations_.end()) {
    if (evaluations_.size() >= most_evaluations) evaluations_.erase(evaluations_.begin());
    evaluations_.emplace_back(key, std::make_shared<Evaluation>(pattern, launch.count));
    found = evaluations_.end() - 1;
  }
  pattern.evaluation = found->second;
}

KnownPattern& KnownPatterns::entry(const UserPattern& pattern, const Launch& launch) {
  constexpr std::size_t most_entries = 256;
  // Requests take accesses in order and end where a block's threads end. The number of elements per thread changes
  // nothing.
  const bool whole_warps = launch.tile.block_threads % access::warp_lanes == 0;
  std::string key =
      fmt::format("{} {} {}", launch.word_bytes, whole_warps ? access::warp_lanes : launch.tile.block_threads,
                  key_of(pattern, launch.count));
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

/// Returns the scheduler cycles that all warps take to compute addresses, with the code around that, as compiled (see
/// pattern::cycles_of). A warp without an active lane only computes that it has none. Null for an affine pattern, which
/// takes no more cycles than the built-in kernels, whose rates include them. Words of 1 and 2 bytes always have those
/// of the built-in kernels.
std::function<double(const model::Rates&)> address_cycles(const Launch& launch, const UserPattern& pattern,
                                                          std::uint64_t requests, const PatternFacts& facts) {
  if (const auto built_in = narrow_cycles(launch, pattern_cycles)) {
    return [built_in, all = static_cast<double>(launch.requests()),
            times = static_cast<double>(requests) * (launch.op == Op::copy ? 2 : 1),
            element = instructions_of(pattern.written),
            active = instructions_of(pattern.written_active)](const model::Rates& rates) {
      return built_in(rates) + times * cycles_of(element, rates.integer) + all * cycles_of(active, rates.integer);
    };
  }
  if (facts.period && facts.period->accesses == 1) return nullptr;
  return [op = launch.op, words = launch.word_bytes / 4.0, turns = launch.tile.elements_per_thread,
          all = static_cast<double>(launch.requests()), requests = static_cast<double>(requests),
          element = instructions_of(pattern.written),
          active = instructions_of(pattern.written_active)](const model::Rates& rates) {
    const bool copies = op == Op::copy;
    const double stored =
        op == Op::write ? rates.addresses.store_word_cycles * words - rates.addresses.store_saved_cycles : 0;
    const double accessing = rates.addresses.request_cycles + stored + (copies ? rates.addresses.copy_cycles : 0) +
                             cycles_of(element, rates.integer) * (copies ? 2 : 1);
    const double always =
        rates.addresses.access_cycles + cycles_of(active, rates.integer) + rates.addresses.thread_cycles / turns;
    return all * always + requests * std::max(accessing, 0.0);
  };
}

Workload workload_of(const Launch& launch, const UserPattern& pattern, const access::ExactSummary& exact,
                     const PatternFacts& facts) {
  Workload workload;
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
  const auto add = [&](const char* name, access::Op op, std::uint64_t& useful_bytes) {
    site.name = name;
    site.op = op;
    workload.sites.push_back(site);
    useful_bytes = facts.accesses * launch.word_bytes;
  };
  if (launch.loads()) add("source", access::Op::load, workload.useful_bytes_read);
  if (launch.stores()) add("target", access::Op::store, workload.useful_bytes_written);
  workload.blocks = launch.blocks();
  workload.block_threads = launch.tile.block_threads;
  workload.address_cycles = address_cycles(launch, pattern, exact.counts.requests, facts);
  return workload;
}

}  // namespace gpumem::global
