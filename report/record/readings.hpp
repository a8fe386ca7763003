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
struct PerRequest {
  std::optional<double> load;
  std::optional<double> store;

  [[nodiscard]] bool any() const { return load || store; }
  [[nodiscard]] double sum() const { return load.value_or(0) + store.value_or(0); }
};

[[nodiscard]] PerRequest per_request(const Record& record, std::string_view unit, Source source);

/// The number if others can be held against it: finite and above zero. What a hostile report claims would spoil every
/// ratio and median.
[[nodiscard]] std::optional<double> positive(std::optional<double> value);
/// The headline as measured or as predicted, if it is such a number.
[[nodiscard]] std::optional<double> positive_headline(const Record& record, bool measured);

/// How long the case takes: the median measured, else what is predicted. Absent without either.
[[nodiscard]] std::optional<double> seconds_of(const Record& record);

/// Useful bytes over time, GB/s, as measured or as predicted. Of a bandwidth probe its headline; of others what follows
/// from bytes and time; absent where no bytes are what the case is about.
[[nodiscard]] std::optional<double> bandwidth_of(const Record& record, bool measured);

/// Half the width of the headline's 95 % interval, as a share of it. Absent where nothing was measured.
[[nodiscard]] std::optional<double> headline_uncertainty(const Record& record);

/// How long a stage takes: by what was counted, else by what was predicted. Absent without either.
[[nodiscard]] std::optional<double> seconds_of(const StageRecord& stage);

/// The stage that limits a case: the counted one, else the predicted one, else the slowest of its stages if that takes
/// most of the time. Empty where nothing says.
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
