// The checks of profiles: all that the repository ships pass them, and each finds what it is for.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>

#include "app/calibrate/measured.hpp"
#include "app/calibrate/profile_checks.hpp"
#include "report/read/read_report.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::app::test_profile_checks {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Reads the cases of probes that a calibration measures. Leaves out patterns, because the model takes a second for
/// each, and GPUs that ran at the same time, because they slow each other down.
report::Report read(const fs::path& file) {
  constexpr std::string_view samples[] = {"samples"};
  constexpr std::string_view names[] = {"offset", "stride", "bank", "zero-copy", "transfer", "batching", "latency"};
  report::Report report = report::read_report(gpumem::test::content_of(file), file.string(), samples);
  std::erase_if(report.results, [&](const report::Record& record) {
    return report.devices.size() > 1 || std::ranges::find(names, record.probe) == std::end(names);
  });
  return report;
}

/// The launches of all of them.
std::vector<model::FitCase> launches_of(const std::vector<report::Report>& reports, const model::Profile& profile) {
  std::vector<model::FitCase> launches;
  for (const report::Report& report : reports) {
    std::ranges::move(fit_cases(report.results, profile, probes()), std::back_inserter(launches));
  }
  return launches;
}

/// Returns the check's verdict on the H200's profile after `change`.
ProfileCheck after(const std::function<ProfileCheck(const model::Profile&)>& check,
                   const std::function<void(model::Profile&)>& change) {
  model::Profile profile = model::load_profile("h200");
  change(profile);
  return check(profile);
}

}  // namespace

TEST_CASE("every profile of the repository passes the checks of a contribution", "[profile_checks]") {
  const fs::path configs = gpumem::test::source_folder() / "configs";
  std::size_t held_to_reports = 0;
  for (const fs::path& file : json_files(configs / "gpus")) {
    INFO(file.string());
    std::vector<report::Report> reports;
    for (const fs::path& report : json_files(configs / "reference" / file.stem())) reports.push_back(read(report));
    const auto launches = launches_of(reports, model::load_profile(file.string()));
    const auto checks = check_profile(gpumem::test::content_of(file), file.string(), launches, reports, probes());
    CHECK(checks.size() == (reports.empty() ? 5 : 6));
    held_to_reports += reports.empty() ? 0 : 1;
    for (const ProfileCheck& check : checks) {
      INFO(check.name << ": " << check.said);
      CHECK(check.passed);
    }
  }
  CHECK(held_to_reports > 0);
}

TEST_CASE("a rate has to say how it is known", "[profile_checks]") {
  const auto says = [](const char* how) {
    return after(check_sources, [&](model::Profile& profile) { profile.how["launch_s"] = how; });
  };
  for (const char* how :
       {"measured: the middle of three runs", "fitted to 12 cases", "the H200's; not measured", "assumed: a guess",
        "as cached_launch_s: the same", "Jia et al., Dissecting Volta (2018): 3 us", "no part of it"}) {
    INFO(how);
    CHECK(says(how).passed);
  }
  for (const char* how : {"", "somewhere", "Measured: 3 us", "3 us", "my notebook: 3 us", "as launched: 3 us",
                          "as launch_s: itself", "somebody, somewhere"}) {
    INFO(how);
    CHECK_FALSE(says(how).passed);
    CHECK(says(how).said == "launch_s says '" + std::string(how) + "'");
  }
}

TEST_CASE("a rate is within what the device can do", "[profile_checks]") {
  const auto times = [](model::RateId rate, double factor) {
    return after(check_ranges, [&](model::Profile& profile) { profile.rates[rate] *= factor; });
  };
  CHECK(times(model::rate_ids.dram.read_bytes_per_s, 1).passed);
  // Its memory reaches 0.96 of what its clock and its bus make.
  CHECK(times(model::rate_ids.dram.read_bytes_per_s, 1.05).said ==
        "dram_read_bytes_per_s is 4.865e+12, expected 1.605e+12 to 4.814e+12 by the memory's theoretical bandwidth");
  CHECK_FALSE(times(model::rate_ids.dram.write_bytes_per_s, 0.3).passed);
  CHECK_FALSE(times(model::rate_ids.l2.load_sectors_per_s, 0.4).passed);  // slower than memory
  CHECK_FALSE(times(model::rate_ids.l2.load_sectors_per_s, 4).passed);
  CHECK_FALSE(times(model::rate_ids.link.to_host_bytes_per_s, 1.2).passed);
  CHECK_FALSE(times(model::rate_ids.shared.wavefronts_per_cycle, 2).passed);
  CHECK_FALSE(times(model::rate_ids.l2.near_share, 3).passed);
  CHECK(after(check_ranges, [](model::Profile& profile) {
          profile.device.pcie_generation.reset();  // then nobody knows what the link can do
          profile.rates.link.to_host_bytes_per_s *= 10;
        }).passed);
}

TEST_CASE("no level of memory answers before a nearer one", "[profile_checks]") {
  const auto with = [](model::RateId rate, double cycles) {
    return after(check_latencies, [&](model::Profile& profile) { profile.rates[rate] = cycles; });
  };
  CHECK(with(model::rate_ids.latency.l2_far_cycles, 281).passed);
  CHECK(with(model::rate_ids.latency.l1_cycles, 300).said ==
        "l1_latency_cycles is 300, more than 280.9 of l2_latency_cycles");
  CHECK_FALSE(with(model::rate_ids.latency.shared_cycles, 3).passed);
  CHECK_FALSE(with(model::rate_ids.latency.memory_cycles, 3000).passed);
}

TEST_CASE("a rate is near what scaling makes of the H200's", "[profile_checks]") {
  const auto times = [](model::RateId rate, double factor) {
    return after(check_scaling, [&](model::Profile& profile) { profile.rates[rate] *= factor; });
  };
  CHECK(times(model::rate_ids.launch.blocks_per_s, 3).passed);
  CHECK(times(model::rate_ids.launch.blocks_per_s, 5).said.starts_with("block_launches_per_s is 5 times "));
  CHECK_FALSE(times(model::rate_ids.latency.memory_cycles, 0.2).passed);
  CHECK(times(model::rate_ids.host.copy_bytes_per_s, 10).passed);
  CHECK_FALSE(times(model::rate_ids.copy.pageable_s, 1000).passed);
  // A link that the device does not describe is no PCI Express link, and tells nothing.
  CHECK(after(check_scaling, [](model::Profile& profile) {
          profile.device.link_is_pcie = false;
          profile.rates.link.to_device_bytes_per_s *= 7;
        }).passed);
}

TEST_CASE("the rule that scales rates predicts an H100 from an H200, and the other way round", "[profile_checks]") {
  const auto [measured, from] = GENERATE(table<std::string, std::string>({{"h100", "h200"}, {"h200", "h100"}}));
  const fs::path folder = gpumem::test::source_folder() / "configs" / "reference" / measured;
  const std::vector<report::Report> reports = {read(folder / "offset.json"), read(folder / "stride.json"),
                                               read(folder / "zero-copy.json"), read(folder / "bank.json")};
  const model::Profile scaled = model::scaled_from(model::load_profile(from), model::load_profile(measured).device);
  const model::FitErrors errors = model::errors_of(launches_of(reports, scaled), scaled);
  INFO(measured << " from " << from << ": " << errors.median << ", " << errors.p95 << ", " << errors.worst << " of "
                << errors.cases);
  CHECK(errors.cases == 345);
  CHECK(errors.median < 0.015);
  CHECK(errors.p95 < 0.14);
}

TEST_CASE("a profile predicts its own measurements", "[profile_checks]") {
  const fs::path folder = gpumem::test::source_folder() / "configs" / "reference" / "h200";
  const std::vector<report::Report> reports = {read(folder / "bank.json"), read(folder / "latency.json"),
                                               read(folder / "transfer.json")};
  const auto launches = launches_of(reports, model::load_profile("h200"));
  const auto check = [&](const model::Profile& profile) {
    return check_predictions(profile, launches, reports, probes());
  };
  /// Returns what the check says of a rate multiplied by `factor`; empty if it passes.
  const auto wrong = [&](model::RateId rate, double factor) {
    const ProfileCheck found = after(check, [&](model::Profile& profile) { profile.rates[rate] *= factor; });
    return found.passed ? "" : found.said;
  };
  CHECK(wrong(model::rate_ids.shared.wavefronts_per_cycle, 1).empty());
  CHECK(wrong(model::rate_ids.shared.wavefronts_per_cycle, 0.9).starts_with("102 launches: "));
  CHECK(wrong(model::rate_ids.link.to_device_bytes_per_s, 0.7).find(" copies: ") != std::string::npos);
  CHECK(wrong(model::rate_ids.latency.l2_cycles, 1.3).starts_with("24 latencies: "));

  const ProfileCheck nothing = check_predictions(model::load_profile("h200"), {}, {}, probes());
  CHECK_FALSE(nothing.passed);
  CHECK(nothing.said == "no measured case to predict");
}

TEST_CASE("what is no profile fails at the schema", "[profile_checks]") {
  const auto checks = check_profile(R"({"schema_version": 2})", "mine.json", {}, {}, probes());
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].name == "schema");
  CHECK_FALSE(checks[0].passed);
  CHECK(checks[0].said.starts_with("mine.json: /schema_version: "));
}

}  // namespace gpumem::app::test_profile_checks
