#pragma once
// The rates of a GPU from measured cases: those with which the model comes closest to what the cases took.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/model/demand.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// A case as the fit sees it. Its demand depends on no rate that is fitted, so it is worked out once.
class FitCase {
 public:
  /// Takes from the profile only the values that no fit changes: the device, and how much its caches hold. `seconds` is
  /// the time that the case took, greater than 0. Cases of one `group` are left out together when the uncertainty is
  /// estimated, because cases of one pattern have errors in common.
  FitCase(Workload workload, const Profile& profile, double seconds, std::string group);

  /// Natural logarithm of predicted over measured seconds.
  [[nodiscard]] double error(const Profile& profile) const;
  [[nodiscard]] const std::string& group() const { return group_; }
  /// True if the model predicts such a case from rates that can be fitted: one or more launches of a kernel.
  [[nodiscard]] static bool suits(const Workload& workload);

 private:
  Workload workload_;  ///< its sites emptied: only their demand is needed
  Demand demand_;
  double launches_ = 1;
  double memory_share_ = 0;
  double seconds_;
  std::string group_;
};

/// The estimate of one rate from the cases.
struct RateEstimate {
  std::string name;
  double value = 0;
  /// Relative standard error, by leaving out a tenth of the groups at a time (jackknife).
  double uncertainty = 0;
  /// True if the cases tell the rate. If not, it keeps its value of the starting profile, and has no uncertainty.
  bool determined = false;
};

/// The errors of predictions, as shares of the measured bandwidth.
struct FitErrors {
  std::size_t cases = 0;
  double median = 0;
  double p95 = 0;  ///< 95 % of the cases are closer
  double worst = 0;
};

struct Fit {
  Profile profile;                  ///< the starting one with the rates found; `how` is the caller's business
  std::vector<RateEstimate> rates;  ///< those that are fitted to launches of kernels, in the order of rate_fields()
};

/// Finds the rates that make the robust loss (mean of |e| + 3 e^2, e the logarithm of predicted over measured) least,
/// by Gauss-Newton steps on the rates' logarithms. Deterministic. Throws a usage error without cases.
[[nodiscard]] Fit fit_rates(std::span<const FitCase> cases, const Profile& start);

/// Returns the errors of the profile's predictions; all zero without cases.
[[nodiscard]] FitErrors errors_of(std::span<const FitCase> cases, const Profile& profile);
/// Summarises given errors, one a case: the share by which its prediction is off, not negative.
[[nodiscard]] FitErrors errors_of(std::vector<double> errors);

}  // namespace gpumem::model
