#include <sstream>

#include "app/calibrate/calibration.hpp"
#include "app/calibrate/contribution.hpp"
#include "app/commands/commands.hpp"
#include "app/run/case_records.hpp"
#include "engine/base/error.hpp"
#include "engine/model/find_profile.hpp"
#include "engine/model/predict.hpp"
#include "report/record/fill.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test::test_calibrate {

namespace {

/// Patterns that take the model a second each, and tell no rate that a test here asks for, but for two of them.
bool takes_long(const Case& tested) {
  return tested.probe->name == "pattern" &&
         (tested.number("buffer_bytes") > std::uint64_t{16} << 20U || !tested.name("pattern").starts_with("i%4096"));
}

/// A GPU that takes exactly as long as the model says of a profile, and fails at what takes the model long.
class ModelledGpu final : public Backend {
 public:
  explicit ModelledGpu(model::Profile profile) : profile_(std::move(profile)) {}
  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] const Device& device() const override { return profile_.device; }
  [[nodiscard]] std::optional<std::string> profile() const override { return profile_.name; }
  [[nodiscard]] double trial(const Case& tested) override {
    return 1 / model::predict(describe(tested, profile_.device), profile_).seconds;
  }
  [[nodiscard]] report::Record run(const Case& decided) override {
    if (takes_long(decided)) {
      report::Record failed = report::record_of(decided);
      failed.status = report::Status::failed;
      return failed;
    }
    const Workload workload = describe(decided, profile_.device);
    report::Record record = report::record_of(decided, workload);
    add_prediction(record, *decided.probe, workload, profile_);
    report::TimeRecord time;
    time.summary.median = measure::Seconds(record.predicted_s.value_or(1e-3));
    time.samples = {time.summary.median};
    record.time = time;
    record.verified = true;
    record.headline.measured = record.headline.predicted;
    return record;
  }

 private:
  model::Profile profile_;
};

/// An H200 on which some rates are others.
model::Profile changed() {
  model::Profile profile = model::load_profile("h200");
  profile.rates.dram.read_bytes_per_s *= 0.8;
  profile.rates.dram.write_bytes_per_s *= 0.8;
  profile.rates.dram.copy_bytes_per_s *= 0.8;
  profile.rates.launch.blocks_per_s *= 1.2;
  profile.rates.link.partial_writes_per_s *= 0.7;
  profile.rates.link.to_host_bytes_per_s *= 0.7;
  profile.rates.latency.memory_cycles *= 1.3;
  return profile;
}

/// Checks the profile that was calibrated on a GPU with the rates of changed().
void check_found(const model::Profile& found, const std::string& notes) {
  const model::Profile truth = changed();
  CHECK(found.name == "mine");
  for (const auto rate : {model::rate_ids.dram.read_bytes_per_s, model::rate_ids.dram.copy_bytes_per_s,
                          model::rate_ids.launch.blocks_per_s, model::rate_ids.link.partial_writes_per_s,
                          model::rate_ids.link.to_host_bytes_per_s, model::rate_ids.shared.wavefronts_per_cycle,
                          model::rate_ids.latency.memory_cycles, model::rate_ids.latency.l2_far_cycles}) {
    CHECK(found.rates[rate] == Approx(truth.rates[rate]).epsilon(0.04));
  }
  CHECK(found.how.at("dram_read_bytes_per_s").find("measured by gpumem calibrate on 20") != std::string::npos);
  CHECK(found.how.at("pcie_to_host_bytes_per_s").find("pinned copies of 4 KiB to 256 MiB") != std::string::npos);
  CHECK(found.how.at("l2_far_latency_cycles").ends_with(": a chase of dependent loads through l2-far"));
  CHECK(found.how.at("l1_bytes") == truth.how.at("l1_bytes"));  // kept
  CHECK(notes.find("off by, held out") != std::string::npos);
}

}  // namespace

TEST_CASE("calibrating finds the rates of a GPU, and what was measured is contributed and makes the same profile again",
          "[calibrate]") {
  const gpumem::test::TemporaryDirectory directory;
  std::ostringstream out;
  const Environment environment{.registry = probes(),
                                .out = out,
                                .err = out,
                                .measure = [&](const MeasureOptions&) -> std::unique_ptr<Backend> {
                                  return std::make_unique<ModelledGpu>(changed());
                                },
                                .command = {"/home/me/gpumem", "calibrate", "--contribute", "/home/me/mine.json"}};
  CalibrateArguments arguments;
  arguments.output = directory / "profile.json";
  arguments.contribute = directory / "contribution.json";
  arguments.name = "mine";
  CHECK(run_calibrate_command(arguments, environment) == 0);
  CHECK(out.str().find("FAIL") == std::string::npos);
  check_found(model::load_profile(*arguments.output), out.str());
  const std::string text = gpumem::test::content_of(*arguments.contribute);
  CHECK(text.find("/home/me") == std::string::npos);
  const JsonText json(text, "contribution.json");
  const auto [fitted, held_out] = read_contribution(json.root());
  CHECK(fitted.results.size() > 300);
  CHECK(held_out.results.size() > 50);
  for (const report::Report& report : {fitted, held_out}) {
    CHECK(report.backend == "cuda");
    CHECK(report.started_at.starts_with("20"));
    CHECK(report.device->name == "NVIDIA H200");
    for (const report::Record& record : report.results) {
      CHECK(record.ran());
      CHECK(record.time->samples.empty());
    }
  }

  CalibrateArguments again;
  again.output = directory / "again.json";
  again.from = {*arguments.contribute};
  again.name = arguments.name;
  CHECK(run_calibrate_command(again, environment) == 0);
  CHECK(out.str().find("held out (those that the contribution holds out)") != std::string::npos);
  CHECK(gpumem::test::content_of(*again.output) == gpumem::test::content_of(*arguments.output));
}

TEST_CASE("calibrating without a GPU says how to do without", "[calibrate]") {
  std::ostringstream out;
  std::ostringstream err;
  const Environment environment{
      .registry = probes(), .out = out, .err = err, .measure = [](const MeasureOptions&) -> std::unique_ptr<Backend> {
        throw no_gpu_error("no GPU here");
      }};
  CalibrateArguments arguments;
  arguments.output = "-";
  try {
    static_cast<void>(run_calibrate_command(arguments, environment));
    FAIL("nothing thrown");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::no_gpu);
    CHECK(std::string(error.what()).find("gpumem calibrate --from REPORT") != std::string::npos);
  }
}

TEST_CASE("without a file the profile is the user's own, which predicts from then on", "[calibrate]") {
  const gpumem::test::TemporaryDirectory directory;
  std::ostringstream out;
  std::ostringstream err;
  bool measured = false;
  Environment environment{
      .registry = probes(), .out = out, .err = err, .measure = [&](const MeasureOptions&) -> std::unique_ptr<Backend> {
        measured = true;
        return std::make_unique<ModelledGpu>(changed());
      }};
  // Nowhere to go is found before anything is measured.
  CHECK(error_of([&] { static_cast<void>(run_calibrate_command({}, environment)); }) ==
        "neither XDG_CONFIG_HOME nor HOME says where your own profiles are; set one, or name a file with -o FILE");
  CHECK_FALSE(measured);
  gpumem::test::put(directory / "file", "in the way");
  environment.own_profiles = directory / "file" / "gpus";
  CHECK(error_of([&] {
          static_cast<void>(run_calibrate_command({}, environment));
        }).starts_with("cannot make the folder '" + environment.own_profiles.string() + "' for your own profiles: "));
  CHECK(out.str().empty());

  environment.own_profiles = directory / "new" / "gpus";
  CHECK(run_calibrate_command({}, environment) == 0);
  const std::filesystem::path file = environment.own_profiles / "h200.json";
  CHECK(out.str().find("Written to " + file.string() + "; from now on") != std::string::npos);
  CHECK(out.str().find("--gpu 'NVIDIA H200'") != std::string::npos);
  const model::Profile own = model::profile_for(changed().device, {.named = {}, .own = environment.own_profiles});
  CHECK(own.source == model::ProfileSource::own);
  CHECK(own.name == "NVIDIA H200, calibrated");
  CHECK(own.rates.dram.read_bytes_per_s == Approx(changed().rates.dram.read_bytes_per_s).epsilon(0.04));
  CHECK(model::find_profile("NVIDIA H200", environment.own_profiles).name == own.name);
}

TEST_CASE("reports that are none, or no measurement, are refused", "[calibrate]") {
  std::ostringstream out;
  const Environment environment{.registry = probes(), .out = out, .err = out};
  CalibrateArguments arguments;
  arguments.output = "-";
  arguments.from = {"/nowhere/report.json"};
  CHECK_THROWS_AS(run_calibrate_command(arguments, environment), Error);
}

TEST_CASE("latencies are read off sound chases in random order", "[calibrate]") {
  const Probe& latency = *find_probe("latency");
  const auto measured = [&](const std::string& level, const std::string& order, double cycles) {
    report::Record record = report::record_of(Case{&latency, {{"level", level}, {"order", order}}});
    record.time = report::TimeRecord{};
    record.time->summary.median = measure::Seconds(1e-3);
    record.headline.measured = cycles;
    return record;
  };
  std::vector<report::Record> records = {measured("l1", "random", 40), measured("l1", "paged", 50),
                                         measured("l2", "random", 0), measured("memory", "random", 800),
                                         measured("host", "random", 900)};
  records[3].verified = false;
  records[4].flags = {"contended"};
  model::Profile profile = model::load_profile("h200");
  const model::Rates before = profile.rates;
  const auto how = read_latencies(records, profile);
  CHECK(how.size() == 1);
  CHECK(how.contains("l1_latency_cycles"));
  CHECK(profile.rates.latency.l1_cycles == 40);
  CHECK(profile.rates.latency.l2_cycles == before.latency.l2_cycles);
  CHECK(profile.rates.latency.memory_cycles == before.latency.memory_cycles);
  CHECK(profile.rates.latency.host_cycles == before.latency.host_cycles);
}

TEST_CASE("queues are fitted to chases beside traffic that is held back", "[calibrate]") {
  const Probe& probe = *find_probe("loaded-latency");
  const auto measured = [&](std::uint64_t traffic, std::uint64_t written, double cycles) {
    report::Record record = report::record_of(Case{
        &probe, {{"traffic_percent", traffic}, {"written_percent", written}, {"busy_level", std::string("memory")}}});
    record.time = report::TimeRecord{};
    record.time->summary.median = measure::Seconds(1e-3);
    record.headline.measured = cycles;
    return record;
  };
  const auto queued = [](double share) { return 600 + 120 * share / (1 - 0.9 * share); };
  std::vector<report::Record> records;
  for (const std::uint64_t traffic : {0U, 40U, 60U, 80U, 95U}) {
    records.push_back(measured(traffic, 0, queued(static_cast<double>(traffic) / 100)));
  }
  records.push_back(measured(100, 0, 9000));  // not held back: the traffic's choice
  records.push_back(measured(0, 50, 600));
  records.push_back(measured(40, 50, 700));   // of this mix there are too few
  records.push_back(measured(40, 100, 700));  // and of this one none beside no traffic
  records.push_back(measured(60, 100, 800));
  records.push_back(measured(80, 100, 900));
  model::Profile profile = model::load_profile("h200");
  const auto how = read_loaded_latencies(records, profile);
  CHECK(how.size() == 2);
  CHECK(how.at("memory_queue_loads_growth") == "chases beside loads of device memory, 4 shares of what they reach");
  CHECK(profile.rates.queue.memory_loads.cycles == Approx(120).epsilon(1e-3));
  CHECK(profile.rates.queue.memory_loads.growth == Approx(0.9));
}

TEST_CASE("what ports and atomics of L2 reach is read off victims alone", "[calibrate]") {
  const Probe& neighbours = *find_probe("neighbours");
  const auto measured = [&](const std::string& victim, std::uint64_t split, double alone_gb_per_s) {
    report::Record record = report::record_of(Case{&neighbours, {{"split_percent", split}, {"victim", victim}}});
    record.time = report::TimeRecord{};
    record.time->summary.median = measure::Seconds(1e-3);
    const auto metric = std::ranges::find(record.metrics, "victim_alone_gb_per_s", &report::MetricRecord::name);
    metric->measured = alone_gb_per_s;
    return record;
  };
  std::vector<report::Record> records = {measured("l2", 50, 6000),      measured("l2", 12, 2000),
                                         measured("l2", 5, 10),         measured("atomics", 12, 500),
                                         measured("atomics", 75, 1600), measured("link", 50, 50)};
  records[2].verified = false;
  model::Profile profile = model::load_profile("h200");
  profile.device.multiprocessors = 132;
  profile.device.sm_clock_hz = 2'000'000'000;
  const auto how = read_neighbour_rates(records, profile);
  CHECK(how.size() == 3);
  CHECK(profile.rates.atomics.port_bytes_per_cycle == Approx(500.0 / 16 / 2));
  CHECK(profile.rates.l2.port_bytes_per_cycle == Approx(2000.0 / 16 / 2));  // 12 % are 16 multiprocessors
  CHECK(profile.rates.atomics.sectors_per_s == Approx(50e9));
  CHECK(read_neighbour_rates(std::span(records).last(1), profile).empty());
}

TEST_CASE("rates of clusters are read off their cases, or stay unknown", "[calibrate]") {
  const auto measured = [&](const char* probe, double bytes_per_cycle, std::vector<Parameter> parameters) {
    report::Record record = report::record_of(Case{find_probe(probe), std::move(parameters)});
    record.time = report::TimeRecord{};
    record.time->summary.median = measure::Seconds(1e-3);
    record.headline.measured = bytes_per_cycle;
    return record;
  };
  const auto pulled = [&](std::uint64_t blocks, const char* from, std::uint64_t pullers, const char* op,
                          double bytes_per_cycle) {
    return measured("cluster", bytes_per_cycle,
                    {{"cluster_blocks", blocks},
                     {"pull_from", from},
                     {"op", op},
                     {"pulling_blocks", pullers},
                     {"remote_stride_words", std::uint64_t{1}}});
  };
  const auto brought = [&](std::uint64_t tile_bytes, double bytes_per_cycle) {
    return measured("multicast", bytes_per_cycle,
                    {{"cluster_blocks", std::uint64_t{8}}, {"fetched_by", "multicast"}, {"tile_bytes", tile_bytes}});
  };
  std::vector<report::Record> records = {pulled(8, "ring", 1, "read", 20),
                                         pulled(8, "first", 0, "read", 3),
                                         pulled(2, "ring", 0, "read", 20 / std::cbrt(2)),
                                         pulled(8, "ring", 1, "write", 10),
                                         pulled(8, "ring", 1, "atomic", 5),
                                         brought(2048, 2048.0 / 600),
                                         brought(32768, 32768.0 / 2136)};
  records[4].flags = {"throttled"};
  model::Profile profile = model::load_profile("h200");
  profile.rates.cluster.atomic.alone_bytes_per_cycle = 7;
  const auto how = read_cluster_rates(records, profile);
  CHECK(how.size() == 6);
  CHECK_FALSE(how.contains("cluster_atomic_bytes_per_cycle"));
  CHECK(profile.rates.cluster.read.alone_bytes_per_cycle == 20);
  CHECK(profile.rates.cluster.write.alone_bytes_per_cycle == 10);
  CHECK(profile.rates.cluster.atomic.alone_bytes_per_cycle == 7);
  CHECK(profile.rates.cluster.read.served_bytes_per_cycle == 21);
  CHECK(profile.rates.cluster.read.all_bytes_per_cycle == Approx(132 * 20));
  CHECK(profile.rates.cluster.multicast_bytes_per_cycle == Approx(20));
  CHECK(profile.rates.cluster.tile_step_cycles == Approx(600 - 2048.0 / 20));
  CHECK(read_cluster_rates(std::vector<report::Record>{}, profile).empty());
}

TEST_CASE("the calibration plan holds out other patterns than it fits", "[calibrate]") {
  std::size_t fitted = 0;
  std::size_t held_out = 0;
  for (const CalibrationSweeps& sweeps : calibration_plan(probes())) {
    (sweeps.use == CalibrationUse::fitted ? fitted : held_out) += sweeps.plan.size();
  }
  CHECK(fitted > 300);
  CHECK(held_out > 50);
}

}  // namespace gpumem::app::test::test_calibrate
