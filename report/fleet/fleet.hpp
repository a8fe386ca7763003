#pragma once
// Compares the GPUs of a fleet: in which cases one differs from the others of its kind, as
// engine/statistics/outliers.hpp measures it.

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/statistics/outliers.hpp"
#include "report/fleet/fleet_machine.hpp"

namespace gpumem::report {

/// A case over the machines of a kind. Its values are from the machines that ran it with verified data, and are of the
/// quantity in its name.
struct FleetCase : measure::Spread {
  std::size_t name = 0;
  std::string label = {};    ///< in words, by what tells it from others of its probe: "offset: offset 3, write"
  std::size_t machines = 0;  ///< that have the case at all
  std::size_t slow = 0;
  std::size_t fast = 0;
  bool expected = false;        ///< true if more than half of the machines have a value
  std::size_t shapes = 0;       ///< different ones that `auto` decided
  std::size_t usual_shape = 0;  ///< the one that most machines decided
};

/// A case of a machine, judged.
struct FleetJudgement {
  std::size_t index = 0;  ///< into the kind's cases
  FleetVerdict verdict = FleetVerdict::usual;
  std::optional<double> value;
  std::optional<double> relative;  ///< value / median - 1
  std::optional<double> z;         ///< absent where the MAD is 0
  double loss = 0;                 ///< share of the median's speed that is lacking; negative where it is faster
  bool other_shape = false;        ///< `auto` decided otherwise than on most machines
};

/// The findings about a machine that a person should know.
struct FleetFinding {
  std::size_t machine = 0;
  std::vector<FleetJudgement> outliers;  ///< slow ones first, the worst of them first
  std::size_t judged = 0;                ///< cases that were held against the others
  std::vector<std::size_t> wrong_data;   ///< indices into the machine's readings
  std::vector<std::size_t> failed;
  std::vector<std::size_t> skipped;          ///< only those that most others ran
  std::vector<std::size_t> missing;          ///< indices into the kind's cases: most others have them
  std::map<std::string, std::size_t> flags;  ///< flags that concern the machine, and how many cases have them
};

/// The values of a property, and the machines that have each of them.
struct FleetTally {
  struct Value {
    std::string text;
    std::vector<std::size_t> machines;
  };
  std::string property;
  std::vector<Value> values;  ///< the most frequent first
};

/// GPUs of one name, or nodes with equally many of them, that are compared with each other. Measured and predicted ones
/// are different kinds.
struct FleetKind {
  std::string gpu;
  std::size_t gpus = 1;  ///< of each node; 1 where the machines are GPUs
  bool predicted = false;
  std::vector<std::size_t> machines;
  std::vector<FleetTally> properties;
  std::vector<FleetCase> cases;  ///< in the order of the reports
};

struct Unreadable {
  std::string file;
  std::string reason;  ///< the whole line, which may name the file
};

struct Fleet {
  Tool tool;                                ///< the gpumem that compares
  std::shared_ptr<const FleetNames> names;  ///< of cases and shapes, by number
  double tolerance = measure::outlier_tolerance;
  std::vector<FleetMachine> machines;
  std::vector<std::size_t> kind_of;                     ///< per machine
  std::vector<std::vector<FleetJudgement>> judgements;  ///< per machine, one for each reading
  std::vector<FleetKind> kinds;                         ///< the largest first
  std::vector<FleetFinding> findings;                   ///< of the machines that have any, the worst first
  std::vector<std::vector<std::size_t>> duplicates;     ///< machines of a kind with the same host and UUID
  std::vector<Unreadable> unreadable;                   ///< files that are not in it
};

/// Fills everything but `tool` and `unreadable`. `tolerance` is a share of the median.
[[nodiscard]] Fleet judge_fleet(std::vector<FleetMachine> machines, std::shared_ptr<const FleetNames> names,
                                double tolerance = measure::outlier_tolerance);

/// Returns true if any case of any machine was compared with others.
[[nodiscard]] bool anything_judged(const Fleet& fleet);

/// Returns the findings that are regressions: a slow outlier that lacks more than `share` of the median's speed, a
/// failed case or wrong data.
[[nodiscard]] std::vector<const FleetFinding*> fleet_regressions(const Fleet& fleet, double share);

// Readable names.

/// The name of a report's file, without its folders.
[[nodiscard]] std::string file_name(const FleetMachine& machine);
/// The host's name, or the file's where the report knows none.
[[nodiscard]] std::string host_words(const FleetMachine& machine);
/// "41:00.0", or the beginning of the UUID; empty where neither is known, and of a node.
[[nodiscard]] std::string gpu_words(const FleetMachine& machine);

/// "NVIDIA H200", "NVIDIA H200 (predicted)", "node with 8 NVIDIA H200"
[[nodiscard]] std::string kind_words(const FleetKind& kind);
/// Returns the noun for the machines of a kind, or of the fleet: "GPU", "node" or, if there are both, "machine".
[[nodiscard]] std::string_view machine_noun(const FleetKind& kind);
[[nodiscard]] std::string_view machine_noun(const Fleet& fleet);

/// "node042 41:00.0", for a person.
[[nodiscard]] std::string machine_label(const FleetMachine& machine);
}  // namespace gpumem::report
