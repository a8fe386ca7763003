#pragma once
// The part of a report that a fleet keeps: no samples, and of every case only what is compared between machines.

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/record/readings.hpp"

namespace gpumem::report {

/// A case on whichever machine it ran. Unlike a pair of cases of two reports (report/compare/pairs.cpp), it depends on
/// its own report alone, because the reports of a fleet are read and let go one by one.
struct FleetCaseName {
  /// The probe, the parameters and their roles in a table; everything else is empty. A parameter that `auto` decided
  /// has the value "auto", so that two GPUs are compared even if they decide differently.
  Record asked;
  ComparedQuantity quantity = {};  ///< the headline (the time where a case that ran has none), or a metric
  bool is_metric = false;
  std::size_t repetition = 0;  ///< equal cases of the same report that came before
};

/// Keeps one copy of each name, however many machines have it. May be used from several threads. The numbers then
/// depend on which thread comes first, so they must not decide an order.
class FleetNames {
 public:
  [[nodiscard]] std::size_t case_number(const FleetCaseName& name);
  /// Returns the number of a launch shape, which consists of the parameters that `auto` decided.
  [[nodiscard]] std::size_t shape_number(const std::vector<Parameter>& decided);

  [[nodiscard]] const FleetCaseName& case_name(std::size_t number) const { return cases_[number]; }
  [[nodiscard]] const std::vector<Parameter>& shape(std::size_t number) const { return shapes_[number]; }
  /// Returns the case as it was asked for, with the values that `auto` decided.
  [[nodiscard]] Record record(std::size_t case_number, std::size_t shape_number) const;

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::deque<FleetCaseName> cases_;  // references to elements last
  std::deque<std::vector<Parameter>> shapes_;
};

/// The verdict on a case of a machine.
enum class FleetVerdict {
  usual,
  slow,        ///< an outlier
  fast,        ///< an outlier
  unjudged,    ///< too few machines have it
  no_value,    ///< it ran, but has neither headline nor time
  wrong_data,  ///< and therefore no value
  failed,
  skipped,
};
[[nodiscard]] std::string_view to_string(FleetVerdict verdict);

/// One case of one machine. Cases in which GPUs used the host at the same time have no reading: they show what the GPUs
/// share, not what one can do.
struct FleetReading {
  std::size_t name = 0;                           ///< of the case
  std::size_t shape = 0;                          ///< that `auto` decided
  std::size_t position = 0;                       ///< in the report's results
  FleetVerdict verdict = FleetVerdict::unjudged;  ///< before it is held against others: why it has no value
  std::optional<double> value;  ///< of the name's quantity if it ran: measured; of a prediction, predicted
  std::string reason = {};      ///< why it was skipped or failed
  std::vector<std::string> flags = {};
};

/// A GPU of a host, as one report describes it, or a whole host with its pairs of GPUs.
struct FleetMachine {
  std::string file;
  std::string host;      ///< empty where the report does not know
  std::string gpu;       ///< the name of its kind
  std::size_t gpus = 1;  ///< more than 1: a node, with cases of its pairs of GPUs
  std::optional<std::string> uuid;
  std::optional<std::string> pci_bus_id;
  std::string backend;
  std::string started_at;
  std::optional<std::string> suite = {};  ///< that the report is of
  /// Names and values of what should be the same on all GPUs of a kind: "driver", "580.159.04".
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<FleetReading> readings;
};

/// Returns the GPU of a report, or each of several side by side (report/record/gpus.hpp). If the report has cases of
/// pairs of GPUs, the node is added; GPUs without other cases are then left out. Throws a usage error, which begins
/// with the file's name, for a report that names no GPU.
[[nodiscard]] std::vector<FleetMachine> fleet_machines(const Report& report, const std::string& file,
                                                       FleetNames& names);

}  // namespace gpumem::report
