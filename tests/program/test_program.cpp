// Results of a program from raw files: its kernels, their sites and counts, and the notes.

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "tests/catch.hpp"
#include "tests/counts.hpp"
#include "tests/program/reports_of_raw.hpp"

namespace gpumem::program::test_program {

using namespace reports_of_raw;
namespace test = gpumem::test;
using gpumem::test::counts_of;
using measure::Counts;

TEST_CASE("a program's kernels are ranked by what could be saved", "[program]") {
  const report::Report report = report_of({two_kernels()}, {.command = {"./app"}, .exit_code = 3, .notes = {}});
  REQUIRE(report.results.size() == 2);
  CHECK(report.backend == "cuda");
  CHECK(report.profile == "h200");
  REQUIRE(report.device);
  CHECK(report.device->name == "NVIDIA H200");
  CHECK(report.device->uuid == "GPU-07070707-0707-0707-0707-070707070707");
  CHECK(report.device->pci_bus_id == "00000000:1B:00.0");

  const report::Record& bad = report.results[0];
  CHECK(report::is_kernel(bad));
  CHECK(bad.status == report::Status::ok);
  CHECK(parameter(bad, report::kernel_parameter) == Value("bad(float const*, float*)"));
  CHECK(parameter(bad, report::grid_parameter) == Value(std::to_string(blocks)));
  CHECK(parameter(bad, report::block_threads_parameter) == Value(std::uint64_t{256}));
  CHECK(parameter(bad, report::device_parameter) == Value(std::uint64_t{0}));
  CHECK(bad.useful_bytes_read == requests * 128);
  CHECK(bad.useful_bytes_written == requests * 128);
  REQUIRE(bad.time);
  CHECK(bad.time->summary.median.count() == Approx(300e-6));
  CHECK(bad.headline.measured == Approx(2.0 * requests * 128 / 300e-6 / 1e9));
  CHECK(bad.headline.peak == Approx(report.device->theoretical_bandwidth_bytes_per_s() / 1e9));
  CHECK(metric(bad, report::gpu_time_name) == Approx(3e-3));
  CHECK(metric(bad, report::gpu_share_name) == Approx(3.0 / 4));
  CHECK(metric(bad, report::launches_name) == 10);
  CHECK(metric(bad, report::moved_name) == Approx((32.0 + 4) * 32 / 256));
  CHECK(bad.predicted_s);
  CHECK(bad.bottleneck);
  REQUIRE(metric(bad, report::could_save_name));
  CHECK(*metric(bad, report::could_save_name) > 1.8e-3);
  CHECK(*metric(bad, report::could_save_name) < 2.7e-3);

  REQUIRE(bad.access.size() == 2);
  const report::SiteRecord& load = bad.access[0];  // what wastes most comes first
  CHECK(load.site == "bad+0x50");
  CHECK(load.space == "global");
  CHECK(load.op == "load");
  CHECK(load.word_bytes == 4);
  CHECK(load.requests == requests);
  CHECK(load.active_lanes == 32);
  CHECK(load.pattern == "lanes 8 elements apart");
  CHECK(load.per_request(report::sectors).predicted == 32);
  CHECK(load.per_request(report::sectors).counted == std::nullopt);
  CHECK(load.costs[0].least == 4);
  CHECK(load.per_request(report::lines_unit).predicted == 8);

  CHECK(metric(report.results[1], report::could_save_name) == 0);
  REQUIRE(report.program);
  CHECK(report.program->command == std::vector<std::string>{"./app"});
  CHECK(report.program->exit_code == 3);
  CHECK(report.program->processes == 1);
  CHECK(report.program->kernels_seen == 2);
  CHECK(report.program->launches_seen == 20);
  CHECK(report.program->launches_counted == 2);
  CHECK(report.program->gpu_seconds == Approx(4e-3));
  CHECK(report.program->sampling_seconds == Approx(0.02));
  CHECK(report.program->notes.empty());
}

TEST_CASE("the processes of a program are one", "[program]") {
  RawWriter child = two_kernels(101);
  child.header.parent = 100;
  RawWriter other = two_kernels(102);  // numbers of kernels and devices are each process's own
  other.events.clear();
  other.device(test::h200(3)).kernel(2, "_Z4goodPKfPf").kernel(1, "_Z3badPKfPf");
  other.slots[0].device = other.slots[1].device = 3;
  const report::Report report = report_of({two_kernels(), child, other});
  CHECK(report.program->processes == 3);
  CHECK(report.program->launches_seen == 60);
  CHECK(report.program->launches_counted == 4);
  CHECK(report.devices.size() == 1);
  REQUIRE(report.results.size() == 2);
  CHECK(metric(report.results[0], report::launches_name) == 30);
  CHECK(metric(report.results[0], report::gpu_time_name) == Approx(2 * 3e-3 + 1e-3));
  CHECK(report.results[0].time->summary.count == 30);
}

TEST_CASE("another device, grid or block is another result", "[program]") {
  RawWriter writer = two_kernels();
  writer.device(test::h200(1, 9));
  writer.slot(1, 1, 100e3, blocks, 1);
  writer.slot(1, 1, 100e3, 77).grid[1] = 5;
  writer.slot(1, 1, 100e3, blocks).block[0] = 64;
  const report::Report report = report_of({writer});
  CHECK(report.results.size() == 5);
  CHECK(report.devices.size() == 2);
  CHECK(report.program->kernels_seen == 2);
  const auto has = [&](const char* name, const Value& value) {
    return std::ranges::any_of(report.results,
                               [&](const report::Record& record) { return parameter(record, name) == value; });
  };
  CHECK(has(report::grid_parameter, "77x5"));
  CHECK(has(report::block_threads_parameter, std::uint64_t{64}));
  CHECK(has(report::device_parameter, std::uint64_t{1}));
}

TEST_CASE("kernels that were not seen say why", "[program]") {
  using inject::Unseen;
  RawWriter writer;
  writer.device(test::h200());
  const auto add = [&](Unseen reason, const std::string& name) {
    const auto number = static_cast<std::uint32_t>(writer.slots.size() + 1);
    writer.kernel(number, name);
    writer.slot(number, 5, 1e3).unseen[static_cast<std::size_t>(reason)] = 4;
  };
  const std::pair<Unseen, std::string> reasons[] = {
      {Unseen::captured, "CUDA graph"},   {Unseen::collective, "collective"}, {Unseen::overhead, "--max-overhead"},
      {Unseen::not_chosen, "--kernel"},   {Unseen::failed, "patched"},        {Unseen::no_memory, "no memory left"},
      {Unseen::times_only, "only times"}, {Unseen::refused, "does not let"},  {Unseen::few_launches, "--replay"},
      {Unseen::none, "seen to its end"}};
  for (const auto& [reason, words] : reasons) add(reason, "k" + std::to_string(static_cast<int>(reason)));
  const report::Report report = report_of({writer});
  REQUIRE(report.results.size() == std::size(reasons));
  CHECK(report.program->skipped.size() == std::size(reasons) - 1);
  CHECK(report.program->sampling_seconds == std::nullopt);
  for (const auto& [reason, words] : reasons) {
    const std::string name = "k" + std::to_string(static_cast<int>(reason));
    const auto record = std::ranges::find_if(report.results, [&](const report::Record& result) {
      return parameter(result, report::kernel_parameter) == Value(name);
    });
    REQUIRE(record != report.results.end());
    CHECK(record->status == report::Status::skipped);
    REQUIRE(record->reason);
    CHECK(record->reason->find(words) != std::string::npos);
    CHECK(metric(*record, report::launches_name) == 5);
    CHECK(metric(*record, report::gpu_time_name) == Approx(5e-6));
    CHECK(metric(*record, report::could_save_name) == std::nullopt);
    CHECK(record->access.empty());
    if (reason == Unseen::none) continue;
    const auto skipped = std::ranges::find_if(
        report.program->skipped, [&](const auto& entry) { return entry.first.find(words) != std::string::npos; });
    REQUIRE(skipped != report.program->skipped.end());
    CHECK(skipped->second == 4);
  }
}

TEST_CASE("kernels that were counted have counts, stages by them and an occupancy", "[program]") {
  // The naive transpose of 8192 x 8192 floats, as an H200 counted it.
  RawWriter writer;
  writer.header.engine = inject::EngineKind::counters;
  writer.device(test::h200()).kernel(1, "_Z15transpose_naivePfPKfi").kernel(2, "_Z5otherv");
  writer.slot(1, 10, 1.05e6, 65536);
  writer.slot(2, 4, 1e5).unseen[static_cast<std::size_t>(inject::Unseen::few_launches)] = 4;
  const Counts counts = counts_of({{&Counts::global_load_requests, 2097152},
                                   {&Counts::global_load_sectors, 8388608},
                                   {&Counts::global_store_requests, 2097152},
                                   {&Counts::global_store_sectors, 67108864},
                                   {&Counts::shared_load_wavefronts, 0},
                                   {&Counts::shared_store_wavefronts, 0},
                                   {&Counts::l2_read_sectors, 8388608},
                                   {&Counts::l2_write_sectors, 67108864},
                                   {&Counts::dram_read_bytes, 322518016},
                                   {&Counts::dram_write_bytes, 324633344},
                                   {&Counts::achieved_occupancy, 0.81}});
  writer.counts(0, counts);
  const report::Report report = report_of({writer});
  CHECK(report.program->engines == std::vector<std::string>{"counters"});
  CHECK(report.program->launches_counted == 6);
  REQUIRE(report.results.size() == 2);
  const report::Record& naive = report.results[0];
  CHECK(naive.status == report::Status::ok);
  CHECK(naive.access.empty());
  CHECK(naive.counters == counts);
  REQUIRE(naive.occupancy);
  CHECK(naive.occupancy->possible == 1);
  REQUIRE(naive.bottleneck);
  CHECK(naive.bottleneck->predicted.empty());
  CHECK(naive.bottleneck->counted == "l2_sectors");
  const auto stage = [&](const char* name) {
    const auto found = std::ranges::find(naive.stages, name, &report::StageRecord::stage);
    return found == naive.stages.end() ? std::nullopt : found->counted_s;
  };
  CHECK(stage("l2_sectors").value_or(0) > 0.3e-3);
  CHECK(stage("l2_sectors").value_or(1) < 1.5e-3);
  CHECK(stage("dram").value_or(0) > 0.1e-3);
  CHECK(stage("dram").value_or(1) < 0.3e-3);
  CHECK_FALSE(stage("l2_lines"));  // which nothing counts
  CHECK(naive.why_brief.find("loads 4 sectors, stores 32 sectors") != std::string::npos);
  CHECK(naive.why.find("Occupancy 81 % of 100 %") != std::string::npos);
  CHECK(report.results[1].status == report::Status::skipped);
}

TEST_CASE("of several counts of a kernel the one with the median stands for all", "[program]") {
  RawWriter writer;
  writer.header.engine = inject::EngineKind::counters;
  writer.device(test::h200()).kernel(1, "_Z4goodv");
  writer.slot(1, 30, 1e5);
  for (const double sectors : {500.0, 100.0, 300.0}) {
    writer.counts(0, counts_of({{&Counts::global_load_requests, 100}, {&Counts::global_load_sectors, sectors}}));
  }
  const report::Report report = report_of({writer});
  REQUIRE(report.results.at(0).counters);
  CHECK(report.results[0].counters->global_load_sectors == 300);
  CHECK_FALSE(report.results[0].counters->l2_read_sectors);
}

TEST_CASE("notes say what could not be seen, each once", "[program]") {
  RawWriter writer = two_kernels();
  writer.problem("line one\nand\ttwo", false).problem("again").problem("again");
  writer.totals.graph_launches = 12;
  writer.totals.beyond_slots = 3;
  writer.sample(1, {streaming(inject::RawOp::load, requests, 32)}, 2);
  RawWriter child = two_kernels(101);
  child.problem("again");
  const report::Report report =
      report_of({writer, child}, {.command = {}, .exit_code = {}, .notes = {"first", "again"}});
  const auto& notes = report.program->notes;
  REQUIRE(notes.size() >= 2);
  CHECK(notes[0] == "first");
  CHECK(std::ranges::count(notes, "again") == 1);
  CHECK(std::ranges::count(notes, "line one and two") == 1);
  CHECK(notes_contain(report, "in 1 sample some access sites found no room"));
  CHECK(report.program->launches_seen == 43);
  REQUIRE(report.program->skipped.size() == 2);
  CHECK(report.program->skipped[0].second == 3);
  CHECK(report.program->skipped[1] == std::pair(std::string(report::graphs_reason), std::uint64_t{12}));
}

TEST_CASE("launches that were not counted any more are said, from the first process on that was left", "[program]") {
  CHECK(report_of({two_kernels()}).program->watched_s == std::nullopt);
  CHECK_FALSE(notes_contain(report_of({two_kernels()}), "not counted"));
  RawWriter writer = two_kernels();
  RawWriter other = two_kernels(101);
  writer.totals.began_ns = 5'000'000'000;
  writer.totals.left_ns = 8'000'000'000;
  other.totals.began_ns = 5'500'000'000;
  other.totals.left_ns = 7'100'000'000;
  const report::Report report = report_of({writer, other});
  CHECK(report.program->watched_s == Approx(2.1));
  CHECK(notes_contain(report, "launches after 2.1 s are in no count and no sum"));
  CHECK(notes_contain(report, "GPUMEM_RUN_STAY=1"));
}

TEST_CASE("blocks that one instruction moves are sites with many sectors, and what is not counted is named",
          "[program]") {
  const auto instruction = [](std::uint64_t operation) {
    return test::bytes_of(std::uint64_t{0x7000 | operation}) + test::bytes_of(std::uint64_t{0});
  };
  inject::Site load = streaming(inject::RawOp::load, 1000);
  load.pc = 0;
  load.flags = inject::raw_bulk_copy;
  load.word_bytes = 16;
  load.useful_bytes = 1000 * 8192;
  load.sectors = load.least_sectors = load.l2_sectors = load.memory_sectors = 1000 * 256;
  load.lines = load.l2_requests = 1000 * 64;
  load.used_words = 1000 * 2048;
  for (const bool counted : {true, false}) {
    RawWriter writer;
    const std::string tensor_load = instruction(0x1b4);
    const std::string tensor_store = instruction(0x1b5);
    const std::string exits = instruction(0x14d);
    writer.device(test::h200()).kernel(1, "_Z4goodPKfPf").slot(1, 10, 4e3);
    writer.code(1, tensor_load + (counted ? "" : tensor_store) + exits);
    writer.sample(0, {load});
    const report::Record record = report_of({writer}).results.at(0);
    REQUIRE(record.access.size() == (counted ? 1 : 2));
    CHECK(record.access[0].pattern == "blocks of 8 KiB");
    CHECK(record.access[0].costs.at(0).per_request.predicted == Approx(256));
    CHECK(record.predicted_s.has_value() == counted);
    if (counted) continue;
    CHECK(record.access[1].pattern == "tensor stores, not counted");
    CHECK(record.access[1].op == "store");
    CHECK(record.no_prediction.value_or("").find("tensor stores are not counted") != std::string::npos);
  }
}

TEST_CASE("machine code tells what nobody saw, if every access was", "[program]") {
  const auto instruction = [](std::uint64_t operation) {
    return test::bytes_of(std::uint64_t{0x7000 | operation}) + test::bytes_of(std::uint64_t{0});
  };
  const std::string copies_tensors = instruction(0x5b4) + instruction(0x94d);
  for (const std::uint32_t lost : {0U, 1U}) {
    RawWriter writer;
    writer.device(test::h200()).kernel(1, "_Z4goodPKfPf").code(1, copies_tensors).slot(1, 10, 5e4);
    writer.sample(0, {streaming(inject::RawOp::load, requests)}, lost);
    const report::Record record = report_of({writer}).results.at(0);
    CHECK(record.predicted_s.has_value() == (lost > 0));
    CHECK((record.no_prediction.value_or("").find("tensor loads") == std::string::npos) == (lost > 0));
  }
}

TEST_CASE("what is not said of a site is not counted as a saving", "[program]") {
  RawWriter writer;
  writer.device(test::h200()).kernel(1, "_Z4goodPKfPf").slot(1, 10, 5e4);
  inject::Site load = streaming(inject::RawOp::load, requests);
  load.used_words /= 4;  // others may use the rest: its requests are as good as can be
  writer.sample(0, {load});
  const report::Record record = report_of({writer}).results.at(0);
  CHECK(record.predicted_s);
  CHECK(metric(record, report::could_save_name) == 0);
}

TEST_CASE("of several launches the one with the median is shown", "[program]") {
  RawWriter writer = two_kernels();
  writer.sample(0, {streaming(inject::RawOp::load, 3 * requests)});
  writer.sample(0, {streaming(inject::RawOp::load, 9 * requests)});
  const report::Report report = report_of({writer});
  const auto good = std::ranges::find_if(report.results, [](const report::Record& record) {
    return parameter(record, report::kernel_parameter) == Value("good(float const*, float*)");
  });
  REQUIRE(good->access.size() == 1);
  CHECK(good->access[0].requests == 3 * requests);
  CHECK(notes_contain(report, "1 kernel accesses different amounts in different launches"));

  RawWriter lost = two_kernels();  // a table that lost sites speaks for no launch that another one has whole
  lost.sample(0, {streaming(inject::RawOp::load, 3 * requests)}, 1);
  lost.sample(0, {streaming(inject::RawOp::load, 9 * requests)}, 1);
  for (const report::Record& record : report_of({lost}).results) CHECK(record.access[0].requests == requests);
}

TEST_CASE("a GPU that nobody knows is predicted from its attributes, or not at all", "[program]") {
  const auto with = [](const inject::DeviceEvent& device) {
    RawWriter writer = two_kernels();
    std::string events = writer.events;
    writer.events.clear();
    writer.device(device);
    writer.events += events.substr(sizeof(inject::EventHeader) + (sizeof(inject::DeviceEvent) + 7) / 8 * 8);
    return report_of({writer});
  };
  inject::DeviceEvent device = test::h200();
  std::strcpy(device.name, "NVIDIA H999");
  report::Report report = with(device);
  CHECK(report.profile == std::nullopt);
  CHECK(report.profile_source == "attributes");
  CHECK(report.results[0].flags == std::vector<std::string>{"predicted_from_attributes"});
  CHECK(metric(report.results[0], report::could_save_name) > 0);

  device.memory_clock_hz = device.sm_clock_hz = 0;
  device.multiprocessors = 0;
  report = with(device);
  REQUIRE(report.results.size() == 2);
  for (const report::Record& record : report.results) {
    CHECK(record.status == report::Status::ok);
    REQUIRE(record.no_prediction);
    CHECK(record.why.find(*record.no_prediction) != std::string::npos);  // wherever one looks for a reason
    CHECK(record.predicted_s == std::nullopt);
    CHECK(metric(record, report::could_save_name) == std::nullopt);
    CHECK(record.access.size() == 2);
  }
}

}  // namespace gpumem::program::test_program
