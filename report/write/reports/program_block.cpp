#include "report/write/reports/program_block.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/words.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/kernel_names.hpp"
#include "report/text/text.hpp"
#include "report/write/cells.hpp"
#include "report/write/reports/program_kernels.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t shortest_name = 16;
constexpr std::size_t longest_name = 60;

/// The bytes that device memory moved in a launch, by the counters, in percent of what it could have moved in that
/// time.
std::optional<double> counted_dram_percent(const Record& record) {
  const auto& counters = record.counters;
  if (!counters || !counters->dram_read_bytes || !counters->dram_write_bytes || !record.time) return std::nullopt;
  const double peak = record.headline.peak.value_or(0) / per_giga;
  const double seconds = record.time->summary.median.count();
  if (peak <= 0 || seconds <= 0) return std::nullopt;
  return (*counters->dram_read_bytes + *counters->dram_write_bytes) / seconds / peak * 100;
}

/// Adds columns left to right, except for the names: they come first, and get the room that the other columns leave.
class ProgramBlock {
 public:
  ProgramBlock(const Cases& rows, const KernelText& why) : rows_(rows), why_(why) { block_.rows.resize(rows.size()); }

  [[nodiscard]] Block build(std::size_t width) && {
    add_columns(width);
    add_names(width);
    return std::move(block_);
  }

  [[nodiscard]] Block build(const KernelText& name) && {
    constexpr std::size_t unlimited = 1000;
    add_columns(unlimited);
    for (std::size_t i = 0; i < rows_.size(); ++i) block_.rows[i].cells.front() = name(*rows_[i]);
    return std::move(block_);
  }

 private:
  using Read = std::function<std::optional<double>(const Record&)>;

  void add_columns(std::size_t width) {
    block_.columns.push_back({.heading = {"kernel", ""}, .names = true, .code = true});
    for (Row& row : block_.rows) row.cells.emplace_back();
    add_ranges(width);
    add_numbers({"GPU time", "%"}, 30, 3, 1, percent_of(gpu_share_name));
    add_numbers({"launches", ""}, 50, 3, 0, reading_of(launches_name));
    add_numbers({"of peak", "%"}, 40, 2, 0, [](const Record& record) -> std::optional<double> {
      if (!record.fraction_of_peak || !std::isfinite(*record.fraction_of_peak)) return std::nullopt;
      return *record.fraction_of_peak * 100;
    });
    add_numbers({"DRAM", "% of peak"}, 25, 2, 0, counted_dram_percent);
    add_numbers({"occupancy", "%"}, 60, 2, 0, [](const Record& record) -> std::optional<double> {
      if (!record.counters || !record.counters->achieved_occupancy) return std::nullopt;
      return *record.counters->achieved_occupancy * 100;
    });
    add_numbers({"bytes moved", "/byte used"}, 20, 2, 1, reading_of(moved_name));
    add_saved();
    beside_ = numbers_width();
    add_why();
  }

  static Read reading_of(const char* metric) {
    return [metric](const Record& record) { return finite_value(record, metric); };
  }
  static Read percent_of(const char* metric) {
    return [metric](const Record& record) {
      const auto share = finite_value(record, metric);
      return share ? std::optional(*share * 100) : std::nullopt;
    };
  }

  void add_numbers(Heading heading, unsigned rank, int digits, int most_decimals, const Read& read) {
    std::vector<std::optional<double>> values;
    for (const Record* record : rows_) values.push_back(read(*record));
    if (std::ranges::none_of(values, [](const auto& value) { return value.has_value(); })) return;
    std::vector<std::string> cells = aligned(values, digits, most_decimals);
    block_.columns.push_back({.heading = std::move(heading), .rank = rank});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      block_.rows[i].cells.push_back(cells[i].empty() ? "-" : std::move(cells[i]));
    }
  }

  /// Adds a column of the ranges that the program marks, if it marks any.
  void add_ranges(std::size_t width) {
    constexpr auto has_range = [](const Record* record) { return !record->range.empty(); };
    if (std::ranges::none_of(rows_, has_range)) return;
    const std::size_t most = std::clamp<std::size_t>(width / 8, 16, 32);
    block_.columns.push_back({.heading = {"range", ""}, .rank = 45, .names = true});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      block_.rows[i].cells.push_back(has_range(rows_[i]) ? truncated(one_line(rows_[i]->range), most) : "-");
    }
  }

  void add_saved() {
    double most_s = 0;
    for (const Record* record : rows_) most_s = std::max(most_s, finite_value(*record, could_save_name).value_or(0));
    const TimeUnit unit = time_unit(most_s);
    add_numbers({"could save", unit.name}, 0, 2, 1, [&](const Record& record) {
      const auto saved_s = finite_value(record, could_save_name);
      return saved_s.value_or(0) > 0 ? std::optional(*saved_s * unit.per_second) : std::nullopt;
    });
  }

  void add_why() {
    block_.columns.push_back({.heading = {"why", ""}, .names = true, .wraps = true});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = block_.rows[i];
      row.cells.push_back(why_(*rows_[i]));
      row.tints.resize(row.cells.size());
      if (rows_[i]->status != Status::ok) row.tints.back() = Tint::yellow;
    }
  }

  /// The width of all columns but the names, gaps included.
  [[nodiscard]] std::size_t numbers_width() const {
    constexpr std::size_t gap = 2;
    std::size_t sum = 0;
    for (std::size_t c = 1; c < block_.columns.size(); ++c) {
      const Heading& heading = block_.columns[c].heading;
      std::size_t width = std::max(display_width(heading.name), display_width(heading.unit));
      for (const Row& row : block_.rows) width = std::max(width, display_width(row.cells[c]));
      sum += gap + width;
    }
    return sum;
  }

  /// Fills the column of names. If the phrases have room beside the numbers, the names leave them most of it.
  void add_names(std::size_t width) {
    constexpr std::size_t readable_phrase = 60;
    const std::size_t room = width - std::min(width, beside_);
    const std::size_t both = shortest_name + readable_phrase;
    const std::size_t most = room < both ? room : std::max(shortest_name, (room - readable_phrase) / 2);
    std::vector<std::string> kernels;
    std::vector<std::string> launches;
    std::size_t longest = 0;
    const KernelLaunches several(rows_);
    for (const Record* record : rows_) {
      kernels.push_back(text_of(*record, kernel_parameter));
      launches.push_back(several.words(*record));
      longest = std::max(longest, display_width(launches.back()));
    }
    const std::size_t of_name = std::clamp(most - std::min(most, longest), shortest_name, longest_name);
    const std::vector<std::string> names = short_kernel_names(kernels, of_name);
    for (std::size_t i = 0; i < names.size(); ++i) block_.rows[i].cells.front() = names[i] + launches[i];
  }

  const Cases& rows_;
  const KernelText& why_;
  Block block_;
  std::size_t beside_ = 0;  ///< width of the numbers
};

}  // namespace

Block program_block(const Cases& rows, std::size_t width, const KernelText& why) {
  return ProgramBlock(rows, why).build(width);
}

Block program_block(const Cases& rows, const KernelText& name, const KernelText& why) {
  return ProgramBlock(rows, why).build(name);
}

}  // namespace gpumem::report
