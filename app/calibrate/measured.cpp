#include "app/calibrate/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "app/calibrate/calibration.hpp"
#include "app/calibrate/contribution.hpp"
#include "app/output/terminal.hpp"
#include "app/run/case_records.hpp"
#include "app/run/run.hpp"
#include "app/run/shape_choice.hpp"
#include "engine/access/chunks.hpp"
#include "engine/base/documents.hpp"
#include "engine/base/error.hpp"
#include "engine/base/read_input.hpp"
#include "engine/model/profile_names.hpp"
#include "report/read/read_report.hpp"
#include "report/record/cases.hpp"

namespace gpumem::app {

namespace {

constexpr std::size_t day_length = std::string_view("2026-01-31").size();

/// Names the pattern of a record: its probe with the swept value, the stride and the word size.
std::string group_of(const report::Record& record) {
  return words_of(record, [&](const std::string& name) {
    return name == record.swept || name == "stride_elements" || name == "word_bytes";
  });
}

/// Fills in the attributes that reports do not give, from the shipped profile of the same kind of GPU.
Device completed(Device device, const std::string& path) {
  for (const std::string& name : model::profile_names()) {
    const Device kind = model::load_profile(name).device;
    if (!model::same_gpu(kind.name, device.name)) continue;
    const auto fill = [](auto& own, auto of_kind) { own = own == 0 ? of_kind : own; };
    fill(device.shared_bytes_per_block, kind.shared_bytes_per_block);
    fill(device.shared_bytes_per_multiprocessor, kind.shared_bytes_per_multiprocessor);
    fill(device.threads_per_multiprocessor, kind.threads_per_multiprocessor);
    fill(device.copy_engines, kind.copy_engines);
  }
  if (device.threads_per_multiprocessor == 0 || device.shared_bytes_per_block == 0) {
    throw usage_error(
        fmt::format("{}: does not say how many threads and how much shared memory a multiprocessor of '{}' "
                    "holds; calibrate on the machine with that GPU",
                    path, device.name));
  }
  return device;
}

/// Collects the results of reports of one kind of GPU.
class Collected {
 public:
  explicit Collected(const Environment& environment) : environment_(environment) {}

  /// Adds the results of a file, which may be "-". A contribution also has held-out results.
  void add(const std::string& path, std::vector<report::Record>& fitted, std::vector<report::Record>& held_out) {
    const std::string source = source_name(path);
    const std::string text = report::read_text(path, environment_.in);
    const JsonText parsed(text, source);
    if (is_contribution(parsed.root())) {
      ContributedReports reports = read_contribution(parsed.root());
      add(std::move(reports.fitted), source, fitted);
      add(std::move(reports.held_out), source, held_out);
    } else {
      add(read_document(text, source, "report", [&] { return report::read_report(parsed.root()); }), source, fitted);
    }
  }

  /// A report of these results, with the environment of the report that began last.
  [[nodiscard]] report::Report report_of(std::vector<report::Record> results) const {
    report::Report report = last_;
    report.device = device_;
    report.results = std::move(results);
    return report;
  }

 private:
  void add(report::Report report, const std::string& source, std::vector<report::Record>& records) {
    if (report.backend != "cuda" || !report.device) {
      throw usage_error(fmt::format("{}: is no measurement; rates can only be fitted to what a GPU did", source));
    }
    const Device found = completed(*report.device, source);
    if (device_ && device_->name != found.name) {
      throw usage_error(
          fmt::format("{}: was measured on '{}', the reports before on '{}'; a profile is of one kind of "
                      "GPU",
                      source, found.name, device_->name));
    }
    // A later report may have seen the link awake.
    if (!device_ || found.link_bytes_per_s() > device_->link_bytes_per_s()) device_ = found;
    std::ranges::move(std::exchange(report.results, {}), std::back_inserter(records));
    if (report.started_at >= last_.started_at) last_ = std::move(report);
  }

  const Environment& environment_;
  std::optional<Device> device_;
  report::Report last_;
};

/// Removes every fourth pattern and returns it: rates have to hold for patterns that they were not fitted to.
std::vector<report::Record> every_fourth(std::vector<report::Record>& records) {
  std::map<std::string, std::size_t> patterns;
  for (const report::Record& record : records) patterns[group_of(record)];
  std::size_t next = 0;
  for (auto& [pattern, number] : patterns) number = next++;
  const auto held_out = std::stable_partition(records.begin(), records.end(), [&](const report::Record& record) {
    return is_read_off(record.probe) || patterns.at(group_of(record)) % 4 != 3;
  });
  std::vector<report::Record> taken(std::make_move_iterator(held_out), std::make_move_iterator(records.end()));
  records.erase(held_out, records.end());
  return taken;
}

}  // namespace

std::string Measured::day() const { return fitted.started_at.substr(0, day_length); }

Measured measure_plan(Backend& backend, bool quiet, const Environment& environment) {
  Progress progress(environment.err, environment.err_terminal, !quiet);
  std::vector<CalibrationSweeps> plan = calibration_plan(environment.registry);
  std::size_t total = 0;
  std::size_t done = 0;
  for (const CalibrationSweeps& sweeps : plan) total += sweeps.plan.size();
  const auto before = [&](const Case& tested) {
    progress.show(fmt::format("{}/{} {}", done, total, to_string(tested)));
  };
  Measured measured;
  measured.fitted = measured.held_out = started_report(environment);
  for (CalibrationSweeps& sweeps : plan) {
    auto& target = sweeps.use == CalibrationUse::fitted ? measured.fitted : measured.held_out;
    for (PlannedSweep& sweep : sweeps.plan.sweeps) {
      const ShapeChoice choice = choose_shape(sweep, backend, before);
      for (const Case& tested : sweep.cases) {
        ++done;
        before(tested);
        target.results.push_back(choice.failure ? failed_record(tested, *choice.failure) : backend.run(tested));
        target.results.back().chosen = choice.chosen;
      }
    }
  }
  for (report::Report* report : {&measured.fitted, &measured.held_out}) describe_backend(*report, backend);
  measured.held_out_in_words = "other offsets and strides";
  return measured;
}

Measured measured_before(const std::vector<std::string>& from, const std::vector<std::string>& check,
                         const Environment& environment) {
  Collected collected(environment);
  std::vector<report::Record> fitted;
  std::vector<report::Record> held_out;
  for (const std::string& path : from) collected.add(path, fitted, held_out);
  for (const std::string& path : check) collected.add(path, held_out, held_out);
  std::string held_out_in_words =
      check.empty() ? "those that the contribution holds out" : "the reports given to --check";
  if (check.empty() && held_out.empty()) {
    held_out = every_fourth(fitted);
    held_out_in_words = "every fourth pattern and word size";
  }
  return {.fitted = collected.report_of(std::move(fitted)),
          .held_out = collected.report_of(std::move(held_out)),
          .held_out_in_words = std::move(held_out_in_words)};
}

std::vector<model::FitCase> fit_cases(const std::vector<report::Record>& records, const model::Profile& profile,
                                      const std::vector<Probe>& registry) {
  struct Described {
    const report::Record& record;
    Workload workload;
  };
  std::vector<Described> described;  // one after another: probes remember what they described
  for (const report::Record& record : records) {
    const auto tested = is_sound(record) ? report::case_of(record, registry) : std::nullopt;
    if (!tested) continue;
    Workload workload = describe(*tested, profile.device);
    if (model::FitCase::suits(workload)) described.push_back({record, std::move(workload)});
  }
  std::vector<std::optional<model::FitCase>> found(described.size());
  access::in_chunks(found.size(), 1, access::threads_for(found.size(), 1, 0), [&](unsigned, std::uint64_t i, auto) {
    auto& [record, workload] = described[i];
    found[i].emplace(std::move(workload), profile, record.time->summary.median.count(), group_of(record));
  });
  std::vector<model::FitCase> cases;
  for (std::optional<model::FitCase>& of_record : found) cases.push_back(std::move(*of_record));
  return cases;
}

}  // namespace gpumem::app
