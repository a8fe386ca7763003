#pragma once
// A pattern that a user brings as expressions: which element every access of a launch goes to, and which of them take
// part. The host evaluates it for the model here; pattern_kernel.hpp compiles it for the GPU.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/access/exact.hpp"
#include "engine/pattern/expression.hpp"
#include "probes/global/launch.hpp"

namespace gpumem::global {

class Evaluation;

/// An access takes part where `active` is not 0.
struct UserPattern {
  pattern::Expression element;  ///< depends on `i` alone: lane, warp, thread and block are computed from it
  pattern::Expression active;
  pattern::Expression written;  ///< the same as a kernel has them
  pattern::Expression written_active;
  std::shared_ptr<Evaluation> evaluation = {};  ///< shared with others that are the same, see KnownPatterns

  [[nodiscard]] bool takes_all_part() const;  ///< every access, as its text says
};

/// Parses the two texts for a launch. Throws usage errors like pattern::parse() and pattern::with_accesses().
[[nodiscard]] UserPattern user_pattern(const std::string& element, const std::string& active, const Launch& launch);

/// The extent of a launch and the number of accesses that take part.
struct PatternFacts {
  std::uint64_t accesses = 0;                ///< that take part
  std::uint64_t extent_elements = 0;         ///< one more than the highest element
  std::uint64_t highest_access = 0;          ///< one that goes there
  std::optional<PatternPeriod> period = {};  ///< absent unless one is proved
};

/// Evaluates a launch, or as much of it as determines the rest. Throws usage errors if an element is negative or
/// something divides by zero (these name the access), and if no access takes part.
[[nodiscard]] PatternFacts facts_of(const UserPattern& pattern, const Launch& launch);

/// The facts about a launch and, if they were found on the way, its exact counts.
struct KnownPattern {
  PatternFacts facts = {};
  std::optional<access::ExactSummary> exact = {};  ///< see counted(), where that took no further evaluation
};
/// A function that evaluates a whole launch with the same result as the host, or returns nullopt; then the host
/// evaluates it. No element reaches `bound_elements`, if that is not 0.
using EvaluateAll = std::function<std::optional<KnownPattern>(const UserPattern& pattern, const Launch& launch,
                                                              std::uint64_t bound_elements)>;
/// Returns the facts, and the counts if they take no further evaluation. Throws as facts_of(). If the whole launch has
/// to be evaluated, `elsewhere` is asked first, unless it is null.
[[nodiscard]] KnownPattern known_of(const UserPattern& pattern, const Launch& launch,
                                    const EvaluateAll& elsewhere = nullptr);

/// Returns the exact cost of one site of the launch.
[[nodiscard]] access::ExactSummary counted(const UserPattern& pattern, const Launch& launch, const PatternFacts& facts);

/// Fills in the requests of one site of the launch. May be called by any number of threads at a time. See
/// access::Requests::fill.
using FillRequests = std::function<void(std::uint64_t first, std::span<access::WarpRequest> requests)>;
[[nodiscard]] FillRequests requests_of(const UserPattern& pattern, const Launch& launch);

/// Keeps the facts and counts of recent patterns, because the cases of a sweep ask for the same ones again and again.
/// For one thread.
class KnownPatterns {
 public:
  explicit KnownPatterns(EvaluateAll elsewhere = nullptr) : elsewhere_(std::move(elsewhere)) {}  ///< see known_of

  /// Lets the pattern share its evaluation with recent equal patterns that have as many accesses.
  void evaluate_once(UserPattern& pattern, const Launch& launch);
  [[nodiscard]] const PatternFacts& facts(const UserPattern& pattern, const Launch& launch);  ///< see facts_of
  [[nodiscard]] const access::ExactSummary& counted(const UserPattern& pattern, const Launch& launch);

 private:
  [[nodiscard]] KnownPattern& entry(const UserPattern& pattern, const Launch& launch);

  EvaluateAll elsewhere_;
  std::map<std::string, KnownPattern> entries_;
  using NamedEvaluation = std::pair<std::string, std::shared_ptr<Evaluation>>;
  std::vector<NamedEvaluation> evaluations_;  ///< the latest last
};

/// Describes the launch, except for the name of its kernel and the memory it needs. `exact` holds for each of its
/// sites.
[[nodiscard]] Workload workload_of(const Launch& launch, const UserPattern& pattern, const access::ExactSummary& exact,
                                   const PatternFacts& facts);

}  // namespace gpumem::global
