#include "app/run/counting.hpp"
#include "report/record/fill.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_counting {

namespace {

access::Site site(access::Space space, access::Op op, const std::string& name = "site") {
  access::Site site;
  site.name = name;
  site.space = space;
  site.op = op;
  site.requests = 100;
  site.request = [](std::uint64_t k) {  // words side by side
    access::WarpRequest request{.active = ~std::uint32_t{0}};
    for (std::uint64_t lane = 0; lane < access::warp_lanes; ++lane) {
      request.address[lane] = (k * access::warp_lanes + lane) * request.word_bytes;
    }
    return request;
  };
  return site;
}

/// A launch without sites yet.
Workload kernel() {
  Workload workload;
  workload.kernel = "kernel";
  workload.blocks = 1000;
  workload.block_threads = 128;
  return workload;
}

/// A record whose sites are predicted to take `predicted` sectors or wavefronts a request.
report::Record record_of_sites(const Workload& workload, double predicted) {
  static const Probe probe = [] {
    Probe counted;
    counted.name = "counted";
    counted.axes = {{.flag = "n", .parameter = "n", .purpose = "a number", .defaults = "1"}};
    return counted;
  }();
  report::Record record = report::record_of({.probe = &probe, .parameters = {{"n", std::uint64_t{1}}}}, workload);
  for (std::size_t i = 0; i < record.access.size(); ++i) {
    const bool shared = workload.sites[i].space == access::Space::shared;
    record.access[i].cost(shared ? report::wavefronts : report::sectors).predicted = predicted;
  }
  return record;
}

const model::Profile& profile() {
  static const model::Profile h200 = model::load_profile("h200");
  return h200;
}

}  // namespace

TEST_CASE("counts stand beside what was predicted, per request", "[counting]") {
  Workload workload = kernel();
  workload.sites = {site(access::Space::global, access::Op::load), site(access::Space::host, access::Op::store),
                    site(access::Space::shared, access::Op::load)};
  report::Record record = record_of_sites(workload, 5);
  measure::Counts counts;
  counts.global_load_requests = 100;
  counts.global_load_sectors = 500;
  counts.global_store_requests = 100;
  counts.global_store_sectors = 500;
  counts.shared_load_requests = 100;
  counts.shared_load_wavefronts = 500;
  add_counts(record, workload, counts, profile());
  CHECK(record.access[0].per_request(report::sectors).counted == 5);
  CHECK(record.access[1].per_request(report::sectors).counted == 5);  // L1 counts mapped host memory as global
  CHECK(record.access[2].per_request(report::wavefronts).counted == 5);
  CHECK(record.access[2].per_request(report::sectors).counted == std::nullopt);
  CHECK(record.flags.empty());
  REQUIRE(record.counters);
  CHECK(record.counters->global_load_sectors == 500);
}

TEST_CASE("a single sector that was not predicted is a difference", "[counting]") {
  Workload workload = kernel();
  workload.sites = {site(access::Space::global, access::Op::load)};
  measure::Counts counts;
  counts.global_load_requests = 8388608;
  for (const double sectors : {41943039.0, 41943041.0}) {
    report::Record record = record_of_sites(workload, 5);
    counts.global_load_sectors = sectors;
    add_counts(record, workload, counts, profile());
    CHECK(record.flags == std::vector<std::string>{"counts_differ"});
  }
}

TEST_CASE("what the hardware cannot tell apart, or does not count, stays absent", "[counting]") {
  Workload workload = kernel();
  workload.sites = {site(access::Space::global, access::Op::load, "a"),
                    site(access::Space::global, access::Op::load, "b"), site(access::Space::global, access::Op::store)};
  report::Record record = record_of_sites(workload, 4);
  measure::Counts counts;
  counts.global_load_requests = 200;
  counts.global_load_sectors = 800;
  counts.global_store_requests = 0;  // as on a chip that miscounts: no division by it
  counts.global_store_sectors = 0;
  add_counts(record, workload, counts, profile());
  for (const report::SiteRecord& site : record.access) CHECK(site.per_request(report::sectors).counted == std::nullopt);
  CHECK(record.flags.empty());
  counts.global_load_sectors = 801;  // not the sum of both
  add_counts(record, workload, counts, profile());
  CHECK(record.flags == std::vector<std::string>{"counts_differ"});
}

TEST_CASE("loads and stores of local memory are counted by themselves", "[counting]") {
  Workload workload = kernel();
  workload.sites = {site(access::Space::local, access::Op::load, "array"),
                    site(access::Space::local, access::Op::store, "array")};
  report::Record record = record_of_sites(workload, 4);
  measure::Counts counts;
  counts.global_load_requests = 100;
  counts.global_load_sectors = 500;
  counts.local_load_requests = 200;
  counts.local_load_sectors = 800;
  counts.local_store_requests = 10;
  counts.local_store_sectors = 40;
  add_counts(record, workload, counts, profile());
  for (const report::SiteRecord& site : record.access) CHECK(site.per_request(report::sectors).counted == 4);
  CHECK(record.flags.empty());
}

TEST_CASE("load efficiency and throughput are those of one launch", "[counting]") {
  Workload workload = kernel();
  workload.sites = {site(access::Space::global, access::Op::load)};
  workload.operations = {{.work = gpumem::Operation::Work::launch, .stage = "kernel", .count = 4}};
  report::Record record = record_of_sites(workload, 8);
  record.time = report::TimeRecord{};
  record.time->summary.median = measure::Seconds(4e-6);
  measure::Counts counts;
  counts.global_load_requests = 100;
  counts.global_load_sectors = 800;
  add_counts(record, workload, counts, profile());
  CHECK(*record.counters->load_efficiency == Approx(0.5));            // 128 bytes of each request in 8 sectors
  CHECK(*record.counters->load_throughput_gb_per_s == Approx(25.6));  // 25600 bytes a microsecond

  CHECK(record.counters->global_load_sectors == 3200);  // of all four
  workload.operations.push_back({.work = gpumem::Operation::Work::copy_to_host, .stage = "copy out", .bytes = 4});
  add_counts(record, workload, counts, profile());
  CHECK(*record.counters->load_efficiency == Approx(0.5));
  CHECK(record.counters->load_throughput_gb_per_s == std::nullopt);  // the time is not the kernel's alone
}

TEST_CASE("load efficiency is of what lanes ask for, however often", "[counting]") {
  Workload workload = kernel();
  workload.useful_bytes_read = 128;  // a matrix that every warp loads again
  access::Site broadcast = site(access::Space::global, access::Op::load, "row");
  broadcast.request = [](std::uint64_t) { return access::WarpRequest{.active = ~std::uint32_t{0}}; };
  workload.sites = {site(access::Space::global, access::Op::load, "column"), broadcast,
                    site(access::Space::global, access::Op::store), site(access::Space::shared, access::Op::load)};
  measure::Counts counts;
  counts.global_load_requests = 200;
  counts.global_load_sectors = 500;
  report::Record record = record_of_sites(workload, 4);
  add_counts(record, workload, counts, profile());
  CHECK(*record.counters->load_efficiency == Approx(0.825));  // 132 bytes in 5 sectors
}

TEST_CASE("stages that the counters do not see keep their place as predicted", "[counting]") {
  Workload workload = kernel();
  workload.sites = {site(access::Space::global, access::Op::load)};
  workload.operations = {{.work = gpumem::Operation::Work::copy_to_device, .stage = "copy in", .bytes = 1U << 20U},
                         {.work = gpumem::Operation::Work::launch, .stage = "kernel"}};
  report::Record record = record_of_sites(workload, 4);
  record.bottleneck = report::Bottleneck{"pcie", std::nullopt};
  record.stages = {{"pcie", 1.0, std::nullopt}, {"dram", 1e-6, std::nullopt}};
  measure::Counts counts;
  counts.global_load_requests = 100;
  counts.global_load_sectors = 400;
  counts.l2_read_requests = 100;
  counts.l2_read_sectors = 400;
  counts.dram_read_bytes = 12800;
  counts.dram_write_bytes = 0;
  add_counts(record, workload, counts, profile());
  CHECK(record.bottleneck->counted == "pcie");
  CHECK(record.stages[0].counted_s == std::nullopt);
}

}  // namespace gpumem::app::test_counting
