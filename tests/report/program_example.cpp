#include "tests/report/program_example.hpp"

#include "report/explain/explain.hpp"
#include "report/record/kernels.hpp"
#include "report/record/quantities.hpp"
#include "tests/counts.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::examples {

namespace {

constexpr double gpu_s = 31e-3;  // of the whole program
constexpr std::uint64_t launches = 10;

SiteRecord site(const std::string& place, const std::string& space, const std::string& op, const std::string& pattern,
                std::vector<CostRecord> costs) {
  SiteRecord site{
      .site = place, .space = space, .op = op, .word_bytes = 4, .costs = std::move(costs), .pattern = pattern};
  site.requests = 524'288;
  site.active_lanes = 32;
  return site;
}

CostRecord cost(const char* unit, double each, std::optional<double> least) {
  return {.unit = unit, .per_request = {.predicted = each, .counted = {}}, .least = least};
}

/// The work of a copy of 256 MiB, as a report keeps it.
LaunchWork copy_work() {
  const SiteWork load{.space = access::Space::global,
                      .op = access::Op::load,
                      .word_bytes = 4,
                      .requests = 2'097'150,
                      .useful_bytes = 268'435'000,
                      .sectors = 8'388'610,
                      .lines = 2'097'150,
                      .memory_sectors = 8'388'610,
                      .atoms = 4'194'300,
                      .memory_lines = 2'097'150,
                      .memory_line_pairs = 1'048'580,
                      .l1_wavefronts = 2'097'150,
                      .l2_sectors = 8'388'610,
                      .l2_requests = 2'097'150};
  SiteWork store = load;
  store.op = access::Op::store;
  store.l1_wavefronts = store.l2_sectors = store.l2_requests = 0;
  store.written_sectors = store.memory_sectors;
  return {.blocks = 65'536, .block_threads = 256, .registers_per_thread = 16, .sites = {load, store}};
}

}  // namespace

Record kernel_case(const std::string& name, double own_s, double saved_s) {
  Record record;
  record.probe = kernel_probe_name;
  record.parameters = {{kernel_parameter, name},
                       {grid_parameter, std::string("256x256")},
                       {block_threads_parameter, std::uint64_t{256}},
                       {device_parameter, std::uint64_t{0}}};
  record.swept = kernel_parameter;
  record.useful_bytes_read = record.useful_bytes_written = 268'435'456;
  record.time = time_record(own_s / launches, 9);
  record.predicted_s = own_s / launches * 1.02;
  record.predicted_low_s = *record.predicted_s / 1.3;
  record.predicted_high_s = *record.predicted_s * 1.3;
  record.explained_share = 1;
  record.headline.measured = record.useful_bytes() / (own_s / launches) * per_giga;
  record.headline.predicted = record.useful_bytes() / *record.predicted_s * per_giga;
  record.headline.peak = 4814.304;
  record.fraction_of_peak = *record.headline.measured / *record.headline.peak;
  record.bottleneck = Bottleneck{"dram", {}};
  record.access = {site("app.cu:14", "global", "store", "lanes 8192 elements (32 KiB) apart",
                        {cost(sectors, 32, 4), cost(lines_unit, 32, {})})};
  record.metrics = {{gpu_time_name, own_s, {}},
                    {gpu_share_name, own_s / gpu_s, {}},
                    {launches_name, static_cast<double>(launches), {}},
                    {moved_name, 4.5, {}},
                    {could_save_name, {}, saved_s},
                    {could_save_low_name, {}, 0.8 * saved_s},
                    {could_save_high_name, {}, 1.1 * saved_s}};
  std::vector<Record> alone = {record};
  add_explanations(alone);
  return alone.front();
}

Report program() {
  Report report = measured_copy();
  report.findings.clear();
  report.conclusions.clear();
  report.command = {"gpumem", "run", "--", "python3", "train.py"};
  report.program = ProgramRecord{.command = {"python3", "train.py"},
                                 .exit_code = 0,
                                 .processes = 1,
                                 .kernels_seen = 5,
                                 .launches_seen = 60,
                                 .launches_counted = 5,
                                 .skipped = {{"launched by a CUDA graph", launches}},
                                 .gpu_seconds = gpu_s,
                                 .sampling_seconds = 0.26,
                                 .bin_s = 16e-3,
                                 .engines = {sites_engine},
                                 .notes = {"GPUs of compute capability 8.9 are not watched by this build"}};
  Record tile = kernel_case("void tile<0>(float*, float const*, int)", 3.3e-3, 1.8e-3);
  tile.access = {site("app.cu:22", "shared", "load", "lanes 32 elements apart", {cost(wavefronts, 32, 1)})};
  Record copy = kernel_case("copy(float*, float const*, unsigned long)", 2e-3, 0);
  copy.access = {site("app.cu:7", "global", "load", "lanes next to each other", {cost(sectors, 4, 4)})};
  Record unseen = kernel_case("triton_poi_fused_add_0", 7.7e-3, 0);
  unseen.status = Status::skipped;
  unseen.reason = "launched by a CUDA graph";
  unseen.access.clear();
  unseen.predicted_s.reset();
  unseen.headline.predicted.reset();
  unseen.bottleneck.reset();
  unseen.metrics[3].measured.reset();
  unseen.metrics[4].predicted.reset();
  report.results = {
      kernel_case("void at::native::elementwise_kernel<128, 2, at::native::direct_copy(int)>(int)", 11e-3, 9.8e-3),
      tile, copy, unseen, kernel_case("sum(float*)", 7e-3, 0)};
  report.results.back().access = copy.access;
  report.results[0].ran_s = {8e-3, 0, 3e-3};
  report.results[1].ran_s = {0, 3.3e-3, 0};
  report.results[3].ran_s = {0, 7.7e-3, 0};
  report.results[0].range = "forward, backward, library:transposed copy, ...";
  report.results[1].range = "forward";
  add_explanations(report.results);
  order_columns(report, {});
  return report;
}

Report program_in_time() {
  Report report = program();
  report.results[2].work = copy_work();
  constexpr std::uint64_t process = 4711;
  const auto launch = [](std::optional<std::uint64_t> result, std::uint64_t stream, double begin_s, double seconds,
                         std::optional<std::uint64_t> graph = {}) {
    return LaunchSpan{result, process, 0, stream, graph, begin_s, seconds};
  };
  report.program->timeline = ProgramTimeline{
      .launches = {launch(0, 7, 0, 1.1e-3), launch(1, 7, 1.1e-3, 0.33e-3), launch(2, 13, 0.5e-3, 0.2e-3),
                   launch(3, 7, 2e-3, 0.77e-3, 5), launch({}, 7, 2.5e-3, 0.1e-3, 5)},
      .graphs = {{5, process, 0, 7, 2e-3, 0.8e-3}, {5, process, 0, 7, 3e-3, {}}},
      .ranges = {{"step", process, 42, -1e-3, 4e-3}, {"forward", process, 42, -0.5e-3, 2e-3}},
      .samples = {launch(0, 7, 4e-3, 60e-3)},
      .left_out = 3};
  Record& first = report.results.front();
  first.caller = "model.py:42 in forward";
  first.operator_name = "aten::copy_";
  first.called_from = {{"/usr/lib/libtorch_cuda.so", {}, "at::native::copy_kernel", "libtorch_cuda.so", "native", true},
                       {"/home/me/model.py", 42, "forward", {}, "python", false}};
  first.access.front().array = ArrayRecord{256 << 20, "load.py:7 in load"};
  return report;
}

Report counted_program() {
  using measure::Counts;
  Report report = program();
  report.command = {"gpumem", "run", "--counters", "--", "python3", "train.py"};
  report.program->engines = {counters_engine};
  report.program->launches_counted = 12;
  report.results.erase(report.results.begin() + 3, report.results.end());
  for (Record& record : report.results) {
    record.access.clear();
    record.useful_bytes_read = record.useful_bytes_written = 0;
    record.predicted_s.reset();
    record.headline.measured.reset();
    record.headline.predicted.reset();
    record.fraction_of_peak.reset();
    record.metrics[3].measured.reset();
    record.metrics[4].predicted.reset();
    record.bottleneck = Bottleneck{"", "dram"};
    record.stages = {{"dram", std::nullopt, record.time->summary.median.count() * 0.4}};
    record.occupancy = OccupancyRecord{0.75, "registers"};
    record.counters = test::counts_of({{&Counts::global_load_requests, 2097152},
                                       {&Counts::global_load_sectors, 8388608},
                                       {&Counts::global_store_requests, 2097152},
                                       {&Counts::global_store_sectors, 67108864},
                                       {&Counts::dram_read_bytes, 322518016},
                                       {&Counts::dram_write_bytes, 324633344},
                                       {&Counts::achieved_occupancy, 0.58}});
  }
  report.results[1].stages[0].counted_s = report.results[1].time->summary.median.count() * 0.9;
  Record& unseen = report.results[2];
  unseen.status = Status::skipped;
  unseen.reason = "counting takes more launches than it had";
  unseen.counters.reset();
  unseen.bottleneck.reset();
  unseen.stages.clear();
  add_explanations(report.results);
  order_columns(report, {});
  return report;
}

}  // namespace gpumem::report::examples
