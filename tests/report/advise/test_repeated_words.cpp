// Traffic that kernels or blocks repeat, in words and as advice.

#include <string>
#include <vector>

#include "report/advise/advice.hpp"
#include "report/advise/describe_sites.hpp"
#include "report/advise/repeated_words.hpp"
#include "report/record/kernels.hpp"
#include "report/write/reports/program_kernels.hpp"
#include "tests/catch.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::report::test_repeated_words {

namespace {

constexpr std::uint64_t mib = 1 << 20;

/// A kernel of 10 ms without a wasteful site that could save `saved_s` with others, or with its blocks.
Record kernel_of(const std::string& name, RepeatedTraffic repeated, double saved_s = 5e-3) {
  Record record = examples::kernel_case(name, 10e-3, saved_s);
  SiteRecord& site = record.access.front();
  site.op = "load";
  site.pattern = "lanes next to each other";
  site.costs = {{.unit = sectors, .per_request = {4.0, {}}, .least = 4}};
  record.repeated_traffic = std::move(repeated);
  return record;
}

RepeatedTraffic passes(std::uint64_t group = 1) {
  return {.cause = "several_passes",
          .kernels = {"scale(float*)", "add(float*)"},
          .group = group,
          .array = {64 * mib, "model.py:12 in step"},
          .saves_bytes = 1e9};
}

Report report_of(std::vector<Record> kernels) {
  Report report = examples::program();
  report.results = std::move(kernels);
  return report;
}

}  // namespace

TEST_CASE("kernels in a row, their array and one kernel in their place are one phrase", "[advice]") {
  const Record record = kernel_of("add(float*)", passes());
  CHECK(
      repeated_words(record) ==
      "2 kernels in a row go over the same 64 MiB made at model.py:12, each loading what the one before stored: scale, "
      "add; compute all in one kernel, which keeps the values in registers");
  CHECK(kernel_explanation(record).brief == repeated_words(record));
  CHECK(kernel_verdict_name(record) == "several_passes");
  CHECK(kernel_remedy(record).cure == "fuse_kernels");

  RepeatedTraffic alone = passes();
  alone.kernels = {"scale(float*)"};
  CHECK(repeated_words(kernel_of("scale(float*)", alone)).starts_with("launches in a row go over the same 64 MiB"));
  RepeatedTraffic of_pytorch = passes();
  of_pytorch.kernels = {"void at::native::vectorized_elementwise_kernel<4, f>(int)",
                        "void at::native::vectorized_elementwise_kernel<4, g>(int)"};
  CHECK(repeated_words(kernel_of("k", of_pytorch)).find("in one kernel (torch.compile does)") != std::string::npos);
  RepeatedTraffic many = passes();
  for (const char* name : {"c", "d", "e", "f"}) many.kernels.emplace_back(name);
  CHECK(repeated_words(kernel_of("c", many)).find(": scale, add, c, d, 2 more;") != std::string::npos);
}

TEST_CASE("a copy names the kernel that loads it", "[advice]") {
  RepeatedTraffic copy = passes();
  copy.cause = "layout_copy";
  const Record record = kernel_of("scale(float*)", copy);
  CHECK(
      repeated_words(record).starts_with("only copies 64 MiB made at model.py:12 to another layout, which only add "
                                         "loads"));
  CHECK(kernel_remedy(record).cure == "contiguous_operand");
}

TEST_CASE("reloads name the load and how often each byte comes", "[advice]") {
  const Record record = kernel_of("look_up(float*)", {.cause = "reloaded_by_blocks",
                                                      .kernels = {"look_up(float*)"},
                                                      .array = {48 << 10, {}},
                                                      .saves_bytes = 1e9,
                                                      .site = "app.cu:14",
                                                      .times_loaded = 4096});
  CHECK(
      repeated_words(record).starts_with("loads of 48 KiB: each byte comes from L2 4096 times, for one block after "
                                         "another (app.cu:14)"));
  const std::vector<AdviceRecord> advice = program_advice(report_of({record}));
  REQUIRE(advice.size() == 1);
  CHECK(advice[0].cause == "reloaded_by_blocks");
  CHECK(advice[0].cure == "share_between_blocks");
  CHECK(advice[0].source_line == "app.cu:14");
  REQUIRE(advice[0].array);
  CHECK(advice[0].array->bytes == 48 << 10);
}

TEST_CASE("kernels that one change puts together have one entry with the savings of all", "[advice]") {
  const Report report = report_of({kernel_of("scale(float*)", passes(), 2e-3), kernel_of("add(float*)", passes(), 5e-3),
                                   kernel_of("other(float*)", passes(2), 1e-3)});
  const std::vector<AdviceRecord> advice = program_advice(report);
  REQUIRE(advice.size() == 2);
  CHECK(advice[0].kernel == "add(float*)");
  CHECK(advice[0].saves_s == Approx(7e-3));
  CHECK(*advice[0].saves_low_s == Approx(0.8 * 7e-3));
  CHECK(*advice[0].saves_high_s == Approx(1.1 * 7e-3));
  CHECK(advice[1].saves_s == Approx(1e-3));

  const ProgramKernels kernels(report, 10);
  REQUIRE(kernels.fused.size() == 1);
  CHECK(kernels.fused.front() == &report.results.front());
  CHECK(kernels.fine.empty());
  CHECK(kernels.nothing_to_do().front().starts_with("1 kernel goes into a kernel with advice"));
}

TEST_CASE("repeated traffic that costs next to nothing, or that only later versions know, is not told", "[advice]") {
  CHECK(kernel_explanation(kernel_of("add(float*)", passes(), 1e-5)).brief == fine_brief);
  RepeatedTraffic later = passes();
  later.cause = "of_a_later_version";
  CHECK(repeated_words(kernel_of("add(float*)", later)).empty());
  CHECK(kernel_remedy(kernel_of("add(float*)", later)).cure != "fuse_kernels");
}

}  // namespace gpumem::report::test_repeated_words
