#include "report/advise/describe_sites.hpp"
#include "report/advise/site_cures.hpp"
#include "report/explain/explain.hpp"
#include "report/record/kernels.hpp"
#include "tests/catch.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::report::test_describe_sites {

namespace {

class Kernels : public Sentences {
 public:
  Kernels() : Sentences("kernels_explained.txt") {}
};

SiteRecord site(const std::string& space, const std::string& op, const char* unit, double each, double least,
                const std::string& pattern = "") {
  SiteRecord site{.site = "app.cu:14", .space = space, .op = op, .word_bytes = 4, .costs = {}, .pattern = pattern};
  site.requests = 1000;
  site.active_lanes = 32;
  site.costs.push_back({.unit = unit, .per_request = {.predicted = each, .counted = {}}, .least = least});
  return site;
}

SiteRecord with_lines(SiteRecord site, double lines) {
  site.costs.push_back({.unit = lines_unit, .per_request = {.predicted = lines, .counted = {}}, .least = {}});
  return site;
}

/// A kernel of 10 ms, of which so much could be saved, that takes `longer` times its prediction.
Record kernel(std::vector<SiteRecord> sites, double saved_s, double longer = 1) {
  Record record;
  record.probe = kernel_probe_name;
  record.parameters = {{kernel_parameter, std::string("k")}};
  record.access = std::move(sites);
  record.metrics = {{gpu_time_name, 10e-3, {}}, {could_save_name, {}, saved_s}};
  record.predicted_s = 1e-3;
  record.time = TimeRecord{measure::summarise(std::vector{measure::Seconds(1e-3 * longer)}), {}};
  record.bottleneck = Bottleneck{"dram", {}};
  return record;
}

std::string cure_of(const SiteRecord& site) { return site_cure(site, "k"); }

}  // namespace

TEST_CASE_METHOD(Kernels, "the worst site, what would do, its place and its cure are one phrase", "[kernel][explain]") {
  const SiteRecord transposed =
      with_lines(site("global", "load", sectors, 32, 4, "lanes 8192 elements (32 KiB) apart"), 32);
  const SiteRecord good = site("global", "store", sectors, 4, 4, "lanes next to each other");
  const Explanation said = kernel_explanation(kernel({transposed, good}, 9e-3));
  tell(said.brief);
  CHECK(said.full.starts_with("By the model 9.00 ms of 10.0 ms could be saved. Loads: lanes 8192"));
  CHECK(said.full.find("store") == std::string::npos);
}

TEST_CASE("every kind of waste has its cure", "[kernel][explain]") {
  CHECK(cure_of(site("shared", "load", wavefronts, 32, 1, "lanes 32 elements apart")).starts_with("pad the rows"));
  CHECK(
      cure_of(site("shared", "atomic", wavefronts, 3, 1, "lanes at random within 1 KiB")).starts_with("let each warp"));
  CHECK(cure_of(site("local", "store", sectors, 4, 4)).starts_with("keep it in registers"));
  CHECK(cure_of(site("global", "atomic", sectors, 22, 4)).starts_with("combine within the warp"));
  CHECK(cure_of(site("global", "store", sectors, 5, 4, "lanes next to each other, shifted off the sectors by 4 bytes"))
            .starts_with("begin at a multiple of 32 bytes"));
  CHECK(cure_of(with_lines(site("global", "load", sectors, 32, 4, "lanes 8 elements apart"), 8))
            .find("a structure of arrays") != std::string::npos);
  CHECK(
      cure_of(site("global", "load", sectors, 30, 4, "lanes at random within 4 MiB")).starts_with("sort the indices"));
}

TEST_CASE("who only calls a kernel is told what the call can change", "[kernel][explain]") {
  const SiteRecord random = site("global", "load", sectors, 30, 4, "lanes at random within 4 MiB");
  const SiteRecord strided = with_lines(site("global", "load", sectors, 32, 4, "lanes 4096 elements apart"), 32);
  const SiteRecord conflicts = site("shared", "load", wavefronts, 32, 1, "lanes 32 elements apart");
  const std::string copies = "void at::native::elementwise_kernel<128, 4, f>(int, f)";
  const std::string gathers = "void at::native::index_elementwise_kernel<128, 4, f>(long, f)";
  const std::string sorts = "void cub::detail::radix_sort::DeviceRadixSortOnesweepKernel<p>(int*)";
  CHECK(site_cure(strided, copies).starts_with("pass contiguous operands"));
  CHECK(site_cure(random, copies).empty());
  CHECK(site_cure(random, gathers).starts_with("sort the indices"));
  CHECK(site_cure(conflicts, gathers).empty());
  for (const SiteRecord& any : {random, strided, conflicts}) CHECK(site_cure(any, sorts).empty());
}

TEST_CASE_METHOD(Kernels, "atomics that wait for each other are wasteful however few sectors they touch",
                 "[kernel][explain]") {
  Record record = kernel({site("global", "atomic", sectors, 1, 1, "all lanes at the same address")}, 9e-3);
  CHECK(kernel_explanation(record).brief == "fine");
  record.bottleneck->predicted = "atomics";
  tell(kernel_explanation(record).brief);
}

TEST_CASE("launches that differ are no riddle", "[kernel][explain]") {
  Record record = kernel({site("global", "load", sectors, 4, 4)}, 0, 3);
  record.flags = {"counts_differ"};
  const Explanation said = kernel_explanation(record);
  CHECK(said.brief == "its launches differ");
  CHECK(said.full.find("the counted ones") != std::string::npos);
}

TEST_CASE_METHOD(Kernels, "a kernel that wastes nothing is fine, and one that waits for something else says so",
                 "[kernel][explain]") {
  const SiteRecord good = site("global", "load", sectors, 4, 4);
  CHECK(kernel_explanation(kernel({good}, 0)).brief == "fine");
  CHECK(kernel_explanation(kernel({good}, 0)).full.find("limited by device memory") != std::string::npos);
  const Explanation waits = kernel_explanation(kernel({good}, 0, 3));
  tell(waits.brief);
  CHECK(waits.full.find("3 x as long as its accesses explain") != std::string::npos);
  // Waste that costs no time is no advice.
  CHECK(kernel_explanation(kernel({site("global", "load", sectors, 32, 4)}, 1e-5)).brief == "fine");
}

TEST_CASE("a kernel that was not seen is explained by its reason alone", "[kernel][explain]") {
  Record record = kernel({}, 0);
  record.status = Status::skipped;
  record.reason = "a collective";
  CHECK(kernel_explanation(record).full.empty());
}

TEST_CASE("all records of kernels are explained with the others of a report", "[kernel][explain]") {
  std::vector<Record> records = {kernel({site("shared", "load", wavefronts, 32, 1, "lanes 32 elements apart")}, 3e-3)};
  add_explanations(records);
  CHECK(records.front().why_brief.starts_with("shared loads: lanes 32 elements apart, 32 wavefronts where 1 would do"));
}

}  // namespace gpumem::report::test_describe_sites
