#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "engine/model/find_profile.hpp"
#include "program/price/ported.hpp"
#include "program/price/pricing.hpp"
#include "program/results/program.hpp"
#include "report/read/read_report.hpp"
#include "report/record/kernels.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/program/machine_code/written_code.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::test_ported {

namespace {

namespace test = gpumem::test;
namespace written = gpumem::test::machine_code;
using gpumem::test::RawWriter;
using gpumem::test::streaming;
using inject::RawOp;

constexpr std::uint64_t requests = 1 << 20;
constexpr std::uint32_t blocks = requests / 8;

/// A process on an H200 that launches a kernel with these sites ten times.
RawWriter process_of(const std::vector<inject::Site>& sites, double each_ns, std::uint32_t grid = blocks) {
  RawWriter writer;
  writer.device(test::h200()).kernel(1, "_Z4copyPKfPf");
  writer.slot(1, 10, each_ns, grid);
  writer.sample(0, sites);
  return writer;
}

/// The report, written and read: as `port` has it.
report::Report report_of(const RawWriter& process) {
  const test::TemporaryDirectory folder;
  process.write(folder.path());
  const report::Report made = program_report(read_raw_data(folder.path()), {});
  std::ostringstream json;
  report::write_json(json, made);
  return report::read_report(json.str(), "r.json");
}

std::vector<inject::Site> copy_sites() {
  return {streaming(RawOp::load, requests), streaming(RawOp::store, requests, 4, 0x90)};
}

report::PortedKernel ported_kernel(const report::Report& report, const std::string& profile) {
  const report::PortedGpu gpu = ported(report, model::load_profile(profile));
  REQUIRE(gpu.kernels.size() == 1);
  return gpu.kernels.front();
}

inject::Site in_space(inject::Site site, inject::RawSpace space) {
  site.space = space;
  return site;
}

inject::Site shared_site() {
  inject::Site shared = streaming(RawOp::load, 64 * requests, 4, 0xa0);
  shared.space = inject::RawSpace::shared;
  shared.wavefronts = 8 * shared.requests;
  shared.least_wavefronts = shared.requests;
  return shared;
}

inject::Site atomic_site() {
  inject::Site adds = streaming(RawOp::atomic, requests / 4, 4, 0xb0);
  adds.memory_sectors = adds.used_words = 64;
  return adds;
}

/// Loads and stores unlike each other: words, spaces, efficiencies and hits.
std::vector<inject::Site> many_sites() {
  std::vector<inject::Site> sites = {shared_site(), atomic_site()};
  for (std::uint64_t i = 0; i < 24; ++i) {
    const RawOp op = i % 3 == 2 ? RawOp::store : RawOp::load;
    inject::Site site = streaming(op, requests / 8 + 1000 * i, std::uint64_t{4} << i % 4, 0x100 + 16 * i);
    if (i % 4 == 1) site.l2_sectors = site.memory_sectors = site.sectors / 2;
    if (i % 5 == 1) site.l2_requests = site.lines / 2;
    if (i % 6 == 0) site.space = inject::RawSpace::local;
    sites.push_back(site);
  }
  return sites;
}

}  // namespace

TEST_CASE("a report ported to the GPU of its recording says what the run predicted", "[program][ported]") {
  for (const auto& sites :
       {copy_sites(), many_sites(), std::vector{in_space(copy_sites()[0], inject::RawSpace::host)}}) {
    for (const double each_ns : {50e3, 300e3, 3000e3}) {
      const report::Report report = report_of(process_of(sites, each_ns));
      if (!report.results[0].predicted_s) continue;  // explains too little of this time
      const report::PortedKernel kernel = ported_kernel(report, "h200");
      INFO(sites.size() << " sites, " << each_ns << " ns");
      REQUIRE(kernel.predicted_s);
      CHECK(*kernel.predicted_s == Approx(*report.results[0].predicted_s).epsilon(1e-3));
      CHECK(kernel.there->seconds == Approx(*kernel.here_s).epsilon(1e-3));
      CHECK(kernel.limit_there == kernel.limit_here);
      CHECK(kernel.notes.empty());
    }
  }
}

TEST_CASE("machine code is priced on another GPU by its pipes", "[program][ported]") {
  const std::vector<written::Written> code = {{written::ldg, 0}, {written::fadd, written::none, 1}, {written::exits}};
  const auto report_with = [&](const std::vector<written::Written>& instructions) {
    RawWriter process = process_of({streaming(RawOp::load, requests, 4, 0)}, 100e3);
    process.code(1, written::code_of(instructions));
    return report_of(process);
  };
  const report::Report report = report_with(code);
  REQUIRE(report.results[0].work);
  REQUIRE(report.results[0].work->path);
  const report::PathWork& path = *report.results[0].work->path;
  CHECK(path.float_cycles == Approx(8.0 * blocks));  // an addition a warp
  CHECK(ported_kernel(report, "h200").predicted_s == Approx(*report.results[0].predicted_s).epsilon(1e-3));
  const auto cycles_on = [&](const char* profile, double integers = 0) {
    report::PathWork products;
    products.float_cycles = 100;
    products.busy_cycles[1] = 100 + integers;
    return busiest_pipe(products, model::load_profile(profile).device).cycles;
  };
  CHECK(cycles_on("h100") == 100);
  CHECK(cycles_on("l40s") == 100);       // 128 lanes as well
  CHECK(cycles_on("a100-80gb") == 200);  // 64
  // Integers are multiplied by one half of 128 lanes, beside floats in the other half.
  CHECK(cycles_on("h100", 100) == 150);
  CHECK(cycles_on("h100", 300) == 300);
  CHECK(cycles_on("a100-80gb", 100) == 300);
  report::PathWork mixed;
  mixed.busy_cycles[0] = mixed.busy_cycles[2] = 100;
  const double both = busiest_pipe(mixed, model::load_profile("h100").device).cycles;
  CHECK(both > 105);  // neither is busy all the time
  CHECK(both < 110);
  report::PathWork doubles;
  doubles.busy_cycles[3] = 100;
  CHECK(busiest_pipe(doubles, model::load_profile("l40s").device).cycles == 3200);  // 2 lanes instead of 64
  CHECK(busiest_pipe(doubles, model::load_profile("l40s").device).stage == "fp64");
}

TEST_CASE("what was measured here is carried over in full if the same limits there", "[program][ported]") {
  const report::Report report = report_of(process_of(copy_sites(), 100e3, blocks / 8));
  const report::PortedKernel kernel = ported_kernel(report, "b200");
  const double residue = *kernel.here_s / *report.results[0].predicted_s;
  REQUIRE(kernel.there);
  const bool same = kernel.limit_here == kernel.limit_there;
  CHECK(kernel.there->seconds == Approx(*kernel.predicted_s * std::pow(residue, same ? 1 : 0.5)));
  CHECK(kernel.there->low < kernel.there->seconds);
  CHECK(kernel.there->high > kernel.there->seconds);
  CHECK(kernel.there->seconds < 0.8 * *kernel.here_s);  // memory is faster there
  CHECK(kernel.all_there()->seconds == Approx(10 * kernel.there->seconds));
  const bool noted = std::ranges::find(kernel.notes, report::limit_note) != kernel.notes.end();
  CHECK(noted == !same);
}

TEST_CASE("a kernel without a time or a prediction here has none there, and says why", "[program][ported]") {
  report::Report report = report_of(process_of(copy_sites(), 100e3));
  const report::Record known = report.results[0];
  const auto reason = [&] {
    const report::PortedKernel kernel = ported_kernel(report, "b200");
    CHECK_FALSE(kernel.there);
    CHECK_FALSE(kernel.place_here);
    return kernel.no_time;
  };
  report.results[0].time.reset();
  CHECK(reason() == "no launch of it was timed here");
  report.results[0] = known;
  report.results[0].no_prediction = "it has loops";
  CHECK(reason() == "it has loops");
  report.results[0] = known;
  report.results[0].work.reset();
  CHECK(reason().starts_with("its report does not hold its work"));
  CHECK(why_not_portable(report)->find("record it again") != std::string::npos);
  report.results[0] = known;
  CHECK_FALSE(why_not_portable(report));
}

TEST_CASE("a GPU that lacks what a kernel uses has no time for it", "[program][ported]") {
  report::Report report = report_of(process_of(copy_sites(), 100e3));
  report::LaunchWork& work = *report.results[0].work;
  work.shared_bytes_per_block = 150 * 1024;
  CHECK(ported_kernel(report, "l40s").no_time ==
        "its block takes 150 KiB of shared memory, and a block has 99 KiB at most there");
  CHECK(ported_kernel(report, "b200").no_time.empty());
  work.shared_bytes_per_block = 0;
  work.features = {report::bulk_copies_feature};
  CHECK(ported_kernel(report, "l40s").no_time.starts_with("it uses bulk copies, which compute capability 8.9"));
  CHECK(ported_kernel(report, "b200").no_time.empty());
  work.features = {report::warpgroup_products_feature};
  CHECK(ported_kernel(report, "b200").no_time.starts_with("it uses wgmma, which compute capability 10.0"));
  CHECK(ported_kernel(report, "h100").no_time.empty());
}

TEST_CASE("what a price there does not know stands beside it", "[program][ported]") {
  const auto has = [](const report::PortedKernel& kernel, const char* note) {
    return std::ranges::find(kernel.notes, note) != kernel.notes.end();
  };
  const report::Report plain = report_of(process_of(copy_sites(), 100e3));
  CHECK_FALSE(has(ported_kernel(plain, "b200"), report::grid_note));
  CHECK_FALSE(has(ported_kernel(plain, "b200"), report::other_algorithm_note));
  const report::Report filling = report_of(process_of(copy_sites(), 100e3, 4 * 132));
  CHECK(has(ported_kernel(filling, "b200"), report::grid_note));
  CHECK_FALSE(has(ported_kernel(filling, "h100"), report::grid_note));  // as many multiprocessors
  // 96 MB: more than an H200's L2 holds, less than a B200's.
  const report::Report between = report_of(process_of({streaming(RawOp::load, 750'000)}, 40e3));
  REQUIRE(between.results[0].predicted_s);
  CHECK(has(ported_kernel(between, "b200"), report::l2_note));
  CHECK_FALSE(has(ported_kernel(between, "h100"), report::l2_note));
  report::Report library = plain;
  library.results[0].parameters[0].value = "cutlass::Kernel(int)";
  CHECK(has(ported_kernel(library, "b200"), report::other_algorithm_note));
  CHECK_FALSE(has(ported_kernel(library, "h200"), report::other_algorithm_note));
}

TEST_CASE("a run is predicted by the profile of its own GPU, whichever is named", "[program][ported]") {
  const test::TemporaryDirectory folder;
  process_of(copy_sites(), 100e3).write(folder.path());
  const auto profile_by = [&](const char* named) {
    return program_report(read_raw_data(folder.path()), {}, {.named = named}).profile;
  };
  CHECK(profile_by("b200") == "h200");
  CHECK(profile_by("h100") == "h200");  // as many multiprocessors, another memory
  CHECK(profile_by("h200") == "h200");
  model::Profile renamed = model::load_profile("h200");
  renamed.device.name = "the machine below my desk";
  CHECK(model::is_of_kind(renamed, model::load_profile("h200").device));
  CHECK_FALSE(model::is_of_kind(renamed, model::load_profile("h100").device));
}

TEST_CASE("kernels have their places here and there, and sums", "[program][ported]") {
  RawWriter writer;
  writer.device(test::h200()).kernel(1, "_Z4copyPKfPf").kernel(2, "_Z4sharPKfPf");
  writer.slot(1, 10, 100e3, blocks);
  writer.slot(2, 10, 110e3, blocks);
  writer.sample(0, copy_sites());
  writer.sample(1, {shared_site()});
  const report::Report report = report_of(writer);
  const report::PortedGpu gpu = ported(report, model::load_profile("l40s"));
  REQUIRE(gpu.kernels.size() == 2);
  REQUIRE(gpu.kernels[0].all_there());
  REQUIRE(gpu.kernels[1].all_there());
  CHECK(gpu.kernels[0].place_here == 1);
  CHECK(gpu.kernels[0].place_there == 2);  // copies are far slower there, shared memory is not
  CHECK(gpu.kernels[1].place_there == 1);
  CHECK(gpu.here_s == Approx(2.1e-3));
  CHECK(gpu.there.seconds == Approx(gpu.kernels[0].all_there()->seconds + gpu.kernels[1].all_there()->seconds));
  CHECK(gpu.time_share == Approx(1));
  CHECK(gpu.other_machine_code);
}

TEST_CASE("a report keeps few rows of sites, whose sums are the launch's", "[program][ported]") {
  const report::Report report = report_of(process_of(many_sites(), 600e3));
  REQUIRE(report.results[0].work);
  const report::LaunchWork& work = *report.results[0].work;
  CHECK(work.sites.size() < 20);
  double touched = 0;
  for (const report::SiteWork& site : work.sites) touched += site.sectors;
  double expected = 0;
  for (const inject::Site& site : many_sites()) {
    if (site.space != inject::RawSpace::shared) expected += static_cast<double>(site.sectors);
  }
  CHECK(touched == Approx(expected).epsilon(1e-5));
}

TEST_CASE("work that nobody can have done is refused", "[program][ported]") {
  const report::Report report = report_of(process_of(copy_sites(), 100e3));
  std::ostringstream out;
  report::write_json(out, report);
  const std::string json = out.str();
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string changed = json;
    const std::size_t at = changed.find(from, changed.find("\"work\""));
    REQUIRE(at != std::string::npos);
    changed.replace(at, from.size(), to);
    try {
      static_cast<void>(report::read_report(changed, "r.json"));
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(complaint("\"blocks\": 131072", "\"blocks\": 131073").empty());
  CHECK(complaint("\"blocks\": 131072", "\"blocks\": 0").find("/results/0/work/blocks") != std::string::npos);
  CHECK(complaint("\"block_threads\": 256", "\"block_threads\": 4096").find("from 1 to 1024") != std::string::npos);
  CHECK(complaint("[\"global\", ", "[\"nowhere\", ").find("/work/sites/0") != std::string::npos);
  CHECK(complaint("[\"global\", \"load\", 4, 0, 1048580", "[\"global\", \"load\", 4, 0, 0")
            .find("at least one request") != std::string::npos);
}

}  // namespace gpumem::program::test_ported
