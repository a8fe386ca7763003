#pragma once
// The conclusions of the loaded-latency probe, whose chases run beside traffic.

#include <span>

#include "probes/axis.hpp"
#include "probes/probe.hpp"

namespace gpumem::hierarchy {

namespace axis {
inline constexpr Number traffic_percent{"traffic_percent"};
inline constexpr Number<std::uint32_t> written_percent{"written_percent"};
}  // namespace axis

/// The metric that tells how much the traffic moved.
inline constexpr const char* traffic_gb_per_s = "traffic_gb_per_s";

/// Concludes, for each mix of loads and stores, from which traffic on a load takes twice as long as beside none, or
/// that it never does. A sweep without a case beside no traffic gives no fact.
[[nodiscard]] Conclusion conclude_loaded_latency(std::span<const Outcome> outcomes);

}  // namespace gpumem::hierarchy
