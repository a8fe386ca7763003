#pragma once
// The evidence behind the explanation of a case: its limit, the cost of its requests, counts, and better cases.

#include <optional>
#include <span>
#include <string_view>

#include "report/record/record.hpp"

namespace gpumem::report {

/// The cost of each request of a case, and the least that requests of full warps with words of that size could cost.
struct RequestCost {
  double each = 1;
  double least = 1;
  unsigned word_bytes = 1;

  [[nodiscard]] double excess() const { return each / least; }
};

/// Another case that does the same job better.
struct BetterCase {
  const Record* record = nullptr;
  const Parameter* place = nullptr;  ///< the parameter in which it differs
  double gain = 1;                   ///< how many times as good it is
};

struct Evidence {
  const Record& record;
  std::string_view limit;             ///< the stage
  std::optional<double> limit_s;      ///< time of that stage
  std::optional<double> case_s;       ///< time of the case
  const StageRecord* next;            ///< the second slowest stage; null if there is no other
  std::optional<RequestCost> load;    ///< sectors, the costliest site
  std::optional<RequestCost> store;   ///< the same of stores
  std::optional<RequestCost> shared;  ///< wavefronts, the costliest site, whatever it does
  std::size_t others = 0;             ///< cases that it could be compared with
  bool is_best = false;               ///< of these and itself
  std::optional<BetterCase> better;   ///< the best of them, if that is better
  /// The ways to do the same job that ran, this case among them.
  std::span<const Record* const> alternatives = {};
};

/// Returns true if the count is only slightly above the request's own wavefronts. The excess then comes from taking
/// turns with other users of the memory, for example data that arrives from L2.
[[nodiscard]] bool took_turns(std::string_view unit, double counted, double own);

/// Returns the evidence on a case by itself. `limit` may be the limit of another case.
[[nodiscard]] Evidence evidence_on(const Record& record, std::string_view limit);

/// Returns the time that all stages take one after another, in seconds.
[[nodiscard]] double work_s(const Evidence& e);

/// A count, if it was taken.
[[nodiscard]] std::optional<double> count_of(const Evidence& e, std::optional<double> measure::Counts::*count);

/// Bytes that device memory moved / useful bytes, as counted.
[[nodiscard]] std::optional<double> moved_per_useful(const Evidence& e);
/// If more bytes move per useful byte than this, too much is moved.
inline constexpr double beyond_useful = 1.1;
/// Returns true if moved_per_useful() is above beyond_useful.
[[nodiscard]] bool moves_too_much(const Evidence& e);
/// Bytes that crossed between L1 and L2 / useful bytes, as counted.
[[nodiscard]] std::optional<double> l2_per_useful(const Evidence& e);
/// Bytes of the sectors that requests asked for / useful bytes, as counted.
[[nodiscard]] std::optional<double> asked_per_useful(const Evidence& e);
/// Bytes that device memory read although no load asked for their sectors, as counted.
[[nodiscard]] std::optional<double> unasked_read_bytes(const Evidence& e);

/// The value of a parameter that is a number.
[[nodiscard]] std::optional<std::uint64_t> number(const Evidence& e, std::string_view parameter);

}  // namespace gpumem::report
