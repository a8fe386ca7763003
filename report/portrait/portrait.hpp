#pragma once
// The portrait of a GPU's memory: its levels, what misuse costs, and what is unusual. It is made from the readings of a
// report; nothing is measured or predicted anew.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// A reading from the clock or, if `predicted`, from the model.
struct Figure {
  double value = 0;
  bool predicted = false;
};

struct PortraitLevel {
  std::string name;                 ///< in words: "L1"
  bool per_multiprocessor = false;  ///< its capacity is that of one of them; bandwidths are those of the GPU
  std::optional<Figure> capacity_bytes;
  std::optional<Figure> latency_cycles;
  std::optional<Figure> latency_ns;
  std::optional<Figure> read_gb_per_s;
  std::optional<Figure> write_gb_per_s;
  std::optional<Figure> copy_gb_per_s;
  std::optional<double> peak_gb_per_s;     ///< the best that the hardware could do
  std::optional<double> fraction_of_peak;  ///< share of the peak that reads reach
};

/// The latency of a load that waits for the one before.
struct PortraitStep {
  std::string level;
  Figure latency_cycles;
  std::optional<Figure> latency_ns;
};

struct PortraitPoint {
  double x = 0;
  std::string place;  ///< in words: "offset 1"
  std::string tick;   ///< alone: "1"
  std::optional<double> measured;
  std::optional<double> predicted;
  bool joined = false;  ///< true if a line joins it to the point before

  [[nodiscard]] double value() const { return measured ? *measured : predicted.value_or(0); }
};

/// The cases of a probe that differ in what it sweeps alone, all of them measured or none.
struct PortraitCurve {
  std::string name;  ///< distinguishes it from the others of its chart: "write"; may be empty
  std::vector<PortraitPoint> points;

  /// The points of the best and of the worst value.
  [[nodiscard]] const PortraitPoint& best(Better better) const;
  [[nodiscard]] const PortraitPoint& worst(Better better) const;
};

struct PortraitChart {
  std::string probe;
  std::string title;     ///< "Cost of misalignment"
  std::string of;        ///< the cost's name in a table: "misalignment"
  std::string x_axis;    ///< with its unit
  std::string quantity;  ///< on the y axis
  Better better = Better::more;
  bool logarithmic_x = false;
  bool logarithmic_y = false;
  std::vector<PortraitCurve> curves;
  std::vector<std::string> sentences;
};

struct Portrait {
  std::string gpu;    ///< its name
  std::string label;  ///< `gpu`, told apart from other portraits beside it
  bool is_prediction = false;
  std::vector<PortraitLevel> levels;  ///< from the nearest
  std::vector<PortraitStep> ladder;   ///< likewise, of every path there is
  std::vector<PortraitChart> charts;
  std::vector<std::string> unusual;  ///< sentences; empty where nothing is
};

[[nodiscard]] Portrait portrait_of(const Report& report);

/// Throws a usage error if the report has neither levels nor curves. The error names the report and the command that
/// makes one that has them.
void refuse_nothing_to_portray(const NamedReport& report);

/// Returns the portraits of several reports. Each has a label of its own: the GPU's name, with the report's name if
/// several GPUs have the same name.
[[nodiscard]] std::vector<Portrait> portraits_of(std::span<const NamedReport> reports);

}  // namespace gpumem::report
