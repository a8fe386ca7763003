// The page of `gpumem run`: which kernels of a user's program waste most, and what is wrong with them. Kernels that
// are fine, and rows beyond the first ten, are a line; what could not be seen has its reason.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "engine/base/words.hpp"
#include "report/explain/caller_words.hpp"
#include "report/explain/describe_sites.hpp"
#include "report/explain/kernel_verdict.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/text/kernel_names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/cells.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_rows = 10;
constexpr double worth_saving = 0.02;             // of a kernel's time
constexpr double worth_saving_of_program = 1e-3;  // for a kernel whose time is not known
constexpr double worth_a_row = 0.02;              // of the program's time, for a kernel of which no saving is known
constexpr std::size_t most_command_columns = 80;
constexpr std::size_t shortest_name = 16;
constexpr std::size_t longest_name = 60;

/// As finite as a number that anybody may have written.
std::optional<double> value_of(const Record& record, const char* metric) {
  const auto value = metric_value(record, metric);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string plural(std::uint64_t count, std::string_view singular, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? singular : many);
}
std::string launches_words(std::uint64_t count) { return plural(count, "launch", "launches"); }

std::string share_words(double share) { return share < 0.01 ? "less than 1 %" : fixed(share * 100, 0) + " %"; }

double sum_of(const Cases& cases, const char* metric) {
  double sum = 0;
  for (const Record* record : cases) sum += value_of(*record, metric).value_or(0);
  return sum;
}

/// How launches were looked at.
std::string looked_words(const ProgramRecord& program) {
  const bool counted = std::ranges::find(program.engines, counters_engine) != program.engines.end();
  if (!counted) return "seen access by access";
  return program.engines.size() > 1 ? "seen access by access or counted" : "counted";
}

/// "gpumem: 19 kernels in 7270 launches of python3 train.py, 1.3 s on the GPU; 19 launches seen access by access,
/// 0.26 s for it".
std::string headline(const ProgramRecord& program) {
  std::vector<std::string> words;
  for (const std::string& word : program.command) words.push_back(shell_quoted(word));
  std::string command = truncated(one_line(join(words, " ")), most_command_columns);
  std::vector<std::string> about;
  if (program.processes > 1) about.push_back(fmt::format("{} processes", program.processes));
  if (program.exit_code.value_or(0) != 0) about.push_back(fmt::format("exit code {}", *program.exit_code));
  if (!about.empty()) command += " (" + join(about, ", ") + ")";
  if (program.launches_seen == 0) return "gpumem: no kernel was launched by " + command;
  std::string text = fmt::format("gpumem: {} in {} of {}", counted(program.kernels_seen, "kernel"),
                                 launches_words(program.launches_seen), command);
  if (program.gpu_seconds) text += fmt::format(", {} on the GPU", duration_words(*program.gpu_seconds));
  if (program.launches_counted == 0) return text + fmt::format("; none {}", looked_words(program));
  text += fmt::format("; {} {}", launches_words(program.launches_counted), looked_words(program));
  if (program.sampling_seconds.value_or(0) > 0)
    text += fmt::format(", {} for it", duration_words(*program.sampling_seconds));
  return text;
}

/// What a report shows, in groups that are said differently.
struct Kernels {
  Cases rows;
  Cases fine;     ///< with nothing worth saving, and nothing else to say
  Cases settled;  ///< of libraries, whose caller can change nothing
  Cases beyond;   ///< the first rows: with something
  Cases others;   ///< looked at, without a saving that is known and without a row
  Cases unseen;   ///< without a row either

  explicit Kernels(const Report& report) {
    const double program_s = report.program->gpu_seconds.value_or(0);
    Cases unknown;
    for (const Record& record : report.results) {
      const auto saved_s = value_of(record, could_save_name);
      if (record.status != Status::ok || !saved_s) {
        unknown.push_back(&record);
      } else {
        const auto gpu_s = value_of(record, gpu_time_name);
        const bool worth = *saved_s > 0 && (gpu_s ? *saved_s >= worth_saving * *gpu_s
                                                  : *saved_s >= worth_saving_of_program * program_s);
        const bool is_fine = kernel_explanation(record).brief == fine_brief;
        const bool is_settled = kernel_verdict(record).is_settled;
        (is_fine ? fine : worth ? rows : is_settled ? settled : unknown).push_back(&record);
      }
    }
    sort(rows, could_save_name);
    sort(unknown, gpu_time_name);
    if (rows.size() > most_rows) {
      beyond.assign(rows.begin() + most_rows, rows.end());
      rows.resize(most_rows);
    }
    for (const Record* record : unknown) {
      const bool has_row = rows.size() < most_rows && value_of(*record, gpu_share_name).value_or(0) >= worth_a_row;
      Cases& without_row = record->status == Status::ok ? others : unseen;
      (has_row ? rows : without_row).push_back(record);
    }
  }

 private:
  static void sort(Cases& cases, const char* metric) {
    std::ranges::stable_sort(cases, std::ranges::greater(),
                             [&](const Record* record) { return value_of(*record, metric).value_or(0); });
  }
};

/// "5 kernels", or how many pairs of grid and block of them.
std::string kernel_words(const Cases& cases, std::string_view more = "") {
  std::set<std::string> names;
  for (const Record* record : cases) names.insert(text_of(*record, kernel_parameter));
  const std::string text = plural(names.size(), fmt::format("{}kernel", more), fmt::format("{}kernels", more));
  return names.size() == cases.size() ? text : text + fmt::format(" in {} launch configurations", cases.size());
}

/// What shares are of: all of the time, or as much of it as is known.
std::string whole_words(const Report& report) {
  const auto& skipped = report.program->skipped;
  const bool all =
      std::ranges::find(skipped, graphs_reason, &std::pair<std::string, std::uint64_t>::first) == skipped.end() &&
      std::ranges::all_of(report.results,
                          [](const Record& record) { return value_of(record, gpu_time_name).has_value(); });
  return all ? "the GPU time" : "the GPU time that is known";
}

/// ": 12 % of the GPU time", where that is known.
std::string share_of(const Cases& cases, const std::string& whole) {
  const double share = sum_of(cases, gpu_share_name);
  return share > 0 ? fmt::format(": {} of {}", share_words(share), whole) : "";
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  std::string sentence = text.substr(0, end);
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

std::string why(const Record& record, const std::string& looked) {
  if (record.status != Status::ok) {
    const bool failed = record.status == Status::failed;
    return (failed ? "failed: " : "not " + looked + ": ") + one_line(record.reason.value_or("no reason given"));
  }
  std::string text = record.why_brief.empty() ? first_sentence(record.why) : record.why_brief;
  if (text.empty() && record.no_prediction) text = "no saving is known: " + *record.no_prediction;
  if (text.empty() && record.bottleneck) text = "limited by " + stage_words(record.bottleneck->predicted);
  text = text.empty() ? "nothing says what limits it" : one_line(text);
  const std::string caller = caller_words(record);
  return caller.empty() ? text : text + "; " + caller;
}

/// What device memory moved for a launch, by the counters, over what it could have moved in its time.
std::optional<double> counted_dram_percent(const Record& record) {
  const auto& counters = record.counters;
  if (!counters || !counters->dram_read_bytes || !counters->dram_write_bytes || !record.time) return std::nullopt;
  const double peak = record.headline.peak.value_or(0) / per_giga;
  const double seconds = record.time->summary.median.count();
  if (peak <= 0 || seconds <= 0) return std::nullopt;
  return (*counters->dram_read_bytes + *counters->dram_write_bytes) / seconds / peak * 100;
}

/// Adds columns left to right; the names, which fill what room the others leave, come first all the same.
class ProgramBlock {
 public:
  ProgramBlock(const Cases& rows, std::string looked) : rows_(rows), looked_(std::move(looked)) {
    block_.rows.resize(rows.size());
  }

  [[nodiscard]] Block build(std::size_t width) && {
    block_.columns.push_back({.heading = {"kernel", ""}, .names = true});
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
    const std::size_t beside = numbers_width();
    add_why();
    add_names(beside, width);
    return std::move(block_);
  }

 private:
  using Read = std::function<std::optional<double>(const Record&)>;

  static Read reading_of(const char* metric) {
    return [metric](const Record& record) { return value_of(record, metric); };
  }
  static Read percent_of(const char* metric) {
    return [metric](const Record& record) {
      const auto share = value_of(record, metric);
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

  /// Of programs that mark any.
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
    for (const Record* record : rows_) most_s = std::max(most_s, value_of(*record, could_save_name).value_or(0));
    const TimeUnit unit = time_unit(most_s);
    add_numbers({"could save", unit.name}, 0, 2, 1, [&](const Record& record) {
      const auto saved_s = value_of(record, could_save_name);
      return saved_s.value_or(0) > 0 ? std::optional(*saved_s * unit.per_second) : std::nullopt;
    });
  }

  void add_why() {
    block_.columns.push_back({.heading = {"why", ""}, .names = true, .wraps = true});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Row& row = block_.rows[i];
      row.cells.push_back(why(*rows_[i], looked_));
      row.tints.resize(row.cells.size());
      if (rows_[i]->status != Status::ok) row.tints.back() = Tint::yellow;
    }
  }

  /// Of all columns but the names, with what stands between them.
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

  /// Where the phrases have room beside the numbers, names leave them most of it.
  void add_names(std::size_t beside, std::size_t width) {
    constexpr std::size_t readable_phrase = 60;
    const std::size_t room = width - std::min(width, beside);
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
  std::string looked_;  ///< at launches
  Block block_;
};

/// What the columns are shares of, and where the savings come from.
std::string legend(const Report& report, const Cases& rows) {
  std::vector<std::string> parts;
  const double peak = report.device ? report.device->theoretical_bandwidth_bytes_per_s() * per_giga : 0;
  if (peak > 0 &&
      std::ranges::any_of(rows, [](const Record* record) { return record->fraction_of_peak.has_value(); })) {
    parts.push_back(fmt::format("Of peak: useful bytes over time, of the {} of {}.", rate_words(peak),
                                one_line(report.device->name)));
  }
  if (std::ranges::any_of(rows, [](const Record* record) { return value_of(*record, could_save_name).has_value(); })) {
    parts.push_back("Could save: by the model, " + prediction_source(report) +
                    ", if wasteful accesses were as good as they could be, and enough loads were under way.");
  }
  return join(parts, " ");
}

/// Launches that the rows tell of with this reason.
double launches_told(const Cases& rows, const std::string& reason) {
  Cases with_reason;
  for (const Record* record : rows) {
    if (record->status != Status::ok && record->reason == reason) with_reason.push_back(record);
  }
  return sum_of(with_reason, launches_name);
}

std::string beyond_words(const Cases& beyond) {
  return fmt::format(
      "{} could save {}; --output report.json has all of them, and gpumem explain report.json tells why.",
      kernel_words(beyond, "more "), duration_words(sum_of(beyond, could_save_name)));
}

/// "3 more kernels have not been counted: 2 % of the GPU time."
std::string rest_words(const Cases& cases, bool more, const std::string& what, const std::string& whole) {
  if (cases.empty()) return "";
  return fmt::format("{} {} {}{}.", kernel_words(cases, more ? "more " : ""), cases.size() == 1 ? "has" : "have", what,
                     share_of(cases, whole));
}

}  // namespace

Page program_page(const Report& report, std::size_t width) {
  const ProgramRecord& program = report.program.value();
  const Kernels kernels(report);
  const std::string looked = looked_words(program);
  const std::string whole = whole_words(report);
  Page page;
  page.before.push_back({headline(program), Tint::bold});
  if (!kernels.rows.empty()) page.blocks.push_back(ProgramBlock(kernels.rows, looked).build(width));
  const auto say = [&](const std::string& text, Tint tint = Tint::none) {
    if (!text.empty()) page.after.push_back({text, tint});
  };
  if (!kernels.beyond.empty()) say(beyond_words(kernels.beyond));
  if (!kernels.fine.empty()) {
    say(kernel_words(kernels.fine) + (kernels.fine.size() == 1 ? " is fine" : " are fine") +
        share_of(kernels.fine, whole) + ".");
  }
  if (!kernels.settled.empty()) {
    say(kernel_words(kernels.settled) + " of libraries " + (kernels.settled.size() == 1 ? "leaves" : "leave") +
        " nothing for their caller to change" + share_of(kernels.settled, whole) + ".");
  }
  const bool more = !kernels.rows.empty();
  say(rest_words(kernels.others, more, "no saving that is known", whole));
  say(rest_words(kernels.unseen, more, "not been " + looked, whole));
  for (const auto& [reason, launches] : program.skipped) {
    if (launches_told(kernels.rows, reason) >= static_cast<double>(launches)) continue;
    const std::string what = reason == graphs_reason ? "" : fmt::format("not {}: ", looked);
    say(fmt::format("{} {}{}.", launches_words(launches), what, one_line(reason)), Tint::yellow);
  }
  for (const std::string& note : program.notes) say("Note: " + one_line(note), Tint::yellow);
  say(legend(report, kernels.rows), Tint::dim);
  return page;
}

}  // namespace gpumem::report
