#pragma once
// The access readings of a record folded to one number per operation, as tables, CSV and findings show them.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "report/record/record.hpp"

namespace gpumem::report {

enum class Source { predicted, counted };

/// Mean over the record's sites of `op` ("load" or "store") that have the reading of `unit`; absent if none has.
[[nodiscard]] std::optional<double> mean_per_request(const Record& record, std::string_view op, std::string_view unit,
                                                     Source source);

/// Per-request readings of both operations.
[[nodiscard]] PerRequest per_request(const Record& record, std::string_view unit, Source source);

/// Returns the number if it is finite and above zero, else nullopt. Other numbers, which a hostile report may have,
/// would spoil every ratio and median.
[[nodiscard]] std::optional<double> positive(std::optional<double> value);
/// The measured or the predicted headline, if it is positive.
[[nodiscard]] std::optional<double> positive_headline(const Record& record, bool measured);

/// A quantity by which the same case of several runs is compared.
struct ComparedQuantity {
  std::string name;
  Better better = Better::more;
  bool operator==(const ComparedQuantity&) const = default;
};
/// The headline. If neither way is better, more counts as better.
[[nodiscard]] ComparedQuantity headline_quantity(const Record& record);
/// The time of a launch, which stands in for an absent headline.
[[nodiscard]] ComparedQuantity time_quantity();

/// The time of the case in seconds: the measured median, else the prediction. Absent without either.
[[nodiscard]] std::optional<double> seconds_of(const Record& record);

/// Useful bytes over time in GB/s, as measured or as predicted. For a bandwidth probe it is the headline, for others it
/// follows from bytes and time. Absent if the case has no useful bytes, or no time.
[[nodiscard]] std::optional<double> bandwidth_of(const Record& record, bool measured);

/// Half the width of the headline's 95 % interval, as a share of it. Absent where nothing was measured.
[[nodiscard]] std::optional<double> headline_uncertainty(const Record& record);

/// The time of a stage in seconds: by the counts, else as predicted. Absent without either.
[[nodiscard]] std::optional<double> seconds_of(const StageRecord& stage);

/// The stage that limits a case: the counted one, else the predicted one, else the slowest of its stages if that takes
/// at least half of the time. Empty if it is not known.
[[nodiscard]] std::string limit_of(const Record& record);

// In the order of the enumerators.
inline constexpr std::array<std::string_view, 3> status_names = {"ok", "skipped", "failed"};
inline constexpr std::array<std::string_view, 3> verdict_names = {"pass", "fail", "skip"};

[[nodiscard]] constexpr std::string_view to_string(Status status) {
  return status_names.at(static_cast<std::size_t>(status));
}
[[nodiscard]] constexpr std::string_view to_string(Verdict verdict) {
  return verdict_names.at(static_cast<std::size_t>(verdict));
}

}  // namespace gpumem::report
