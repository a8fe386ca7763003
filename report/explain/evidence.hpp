#pragma once
// The figures that an explanation of a case rests on: report/explain/why.cpp puts them into words.

#include <optional>
#include <string_view>

#include "report/record/record.hpp"

namespace gpumem::report {

/// What requests of a case cost each, and the least that requests of full warps and that word size could cost.
struct RequestCost {
  double each = 0;
  double least = 0;
  unsigned word_bytes = 0;

  [[nodiscard]] double excess() const { return each / least; }
};

/// Another case that does the same job better.
struct BetterCase {
  const Record* record = nullptr;
  const Parameter* place = nullptr;  ///< what it differs in
  double gain = 1;                   ///< how many times as good it is
};

struct Evidence {
  const Record& record;
  std::string_view limit;             ///< the stage
  std::optional<double> limit_s;      ///< what it takes
  std::optional<double> case_s;       ///< what the case takes
  const StageRecord* next;            ///< the second slowest stage; null if there is no other
  std::optional<RequestCost> load;    ///< sectors, the costliest site
  std::optional<RequestCost> store;   ///< the same of stores
  std::optional<RequestCost> shared;  ///< wavefronts, the costliest site, whatever it does
  std::size_t others = 0;             ///< cases that it could be compared with
  std::optional<BetterCase> better;   ///< the best of them, if that is better

  [[nodiscard]] bool on_host() const;  ///< whether a site lies in host memory
  /// A count, if it was taken.
  [[nodiscard]] std::optional<double> counted(std::optional<double> measure::Counts::*count) const;
  /// Bytes that device memory moved / useful bytes, as counted.
  [[nodiscard]] std::optional<double> moved_per_useful() const;
  /// Bytes that device memory read although no load asked for their sectors, as counted.
  [[nodiscard]] std::optional<double> unasked_read_bytes() const;
  /// The value of a parameter that is a number.
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view parameter) const;
};

/// The evidence on a case by itself; `others` and `better` are the caller's.
[[nodiscard]] Evidence evidence_on(const Record& record, std::string_view limit);

/// The costliest of a record's sites of `op` ("load", "store" or, for either, empty) whose requests are counted in the
/// unit. As counted, else as predicted. Absent if there is none.
[[nodiscard]] std::optional<RequestCost> costliest(const Record& record, std::string_view op, const access::Unit& unit);

}  // namespace gpumem::report
