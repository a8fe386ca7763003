#include <string>
#include <utility>
#include <vector>

#include "report/advise/describe_sites.hpp"
#include "report/advise/kernel_verdict.hpp"
#include "report/record/kernels.hpp"
#include "tests/catch.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::report::test_kernel_verdict {

namespace {

class Kernels : public Sentences {
 public:
  Kernels() : Sentences("kernels_explained.txt") {}
};

/// A kernel of 1 ms whose stages take so many microseconds, predicted to take as long as the longest.
Record kernel(const std::vector<std::pair<std::string, double>>& stages, double time_us = 1000,
              const std::string& name = "k") {
  Record record;
  record.probe = kernel_probe_name;
  record.parameters = {{kernel_parameter, name}};
  record.time = TimeRecord{measure::summarise(std::vector{measure::Seconds(time_us * 1e-6)}), {}};
  double longest = 0;
  for (const auto& [stage, microseconds] : stages) {
    record.stages.push_back({stage, microseconds * 1e-6, {}});
    longest = std::max(longest, microseconds * 1e-6);
  }
  record.predicted_s = std::max(longest, 0.9e-6 * time_us);
  record.bottleneck = Bottleneck{stages.front().first, {}};
  record.access.push_back({.site = "app.cu:14", .space = "global", .op = "load", .word_bytes = 4, .costs = {}});
  record.metrics = {{gpu_time_name, time_us * 1e-5, {}}, {could_save_name, {}, 0.0}};
  return record;
}

}  // namespace

TEST_CASE("what reaches most of its limit is fine", "[kernel][explain]") {
  const KernelVerdict verdict = kernel_verdict(kernel({{"dram", 850}, {"latency", 400}}));
  CHECK(verdict.name == "memory");
  CHECK(verdict.is_fine);
  CHECK(kernel_explanation(kernel({{"dram", 850}, {"latency", 400}})).brief == fine_brief);
}

TEST_CASE("what reaches little of any limit is not", "[kernel][explain]") {
  const Record record = kernel({{"dram", 600}, {"l2_sectors", 500}, {"latency", 400}});
  const KernelVerdict verdict = kernel_verdict(record);
  CHECK(verdict.name == "nothing_alone");
  CHECK_FALSE(verdict.is_fine);
  CHECK(verdict.brief.find("device memory 60 %, sectors moved between L1 and L2 50 %") != std::string::npos);
}

TEST_CASE_METHOD(Kernels, "small words are a verdict where nothing else is", "[kernel][explain]") {
  Record bytes = kernel({{"dram", 600}, {"l2_sectors", 500}, {"latency", 400}});
  bytes.access.front().word_bytes = 1;
  CHECK(kernel_verdict(bytes).name == "narrow_words");
  tell(kernel_verdict(bytes).brief);
  CHECK(kernel_verdict(bytes).full.starts_with("none of its accesses is wider than 1 byte, so that much of its time"));
  bytes.access.front().word_bytes = 2;
  tell(kernel_verdict(bytes).brief);
  Record fine = kernel({{"dram", 850}, {"latency", 400}});
  fine.access.front().word_bytes = 1;
  CHECK(kernel_verdict(fine).is_fine);
}

TEST_CASE_METHOD(Kernels, "threads with a word each are too many where launching them is the limit",
                 "[kernel][explain]") {
  Record floats = kernel({{"launch", 850}, {"latency", 900}, {"dram", 300}});
  floats.access.front().word_bytes = 4;
  CHECK(kernel_verdict(floats).name == "narrow_words");
  tell(kernel_verdict(floats).brief);
  floats.access.front().word_bytes = 16;
  CHECK(kernel_verdict(floats).name == "too_little_in_flight");
  Record few_blocks = kernel({{"launch", 10}, {"latency", 950}, {"dram", 300}});
  few_blocks.access.front().word_bytes = 1;
  CHECK(kernel_verdict(few_blocks).name == "too_little_in_flight");
  few_blocks.stages.front().predicted_s = 700e-6;
  CHECK(kernel_verdict(few_blocks).name == "narrow_words");
}

TEST_CASE("threads that take many bytes one after another are told to take several at once", "[kernel][explain]") {
  Record looped = kernel({{"latency", 950}, {"dram", 300}});
  looped.parameters.push_back({grid_parameter, std::string("132x2")});
  looped.parameters.push_back({block_threads_parameter, std::uint64_t{256}});
  looped.access.front().word_bytes = 1;
  constexpr std::uint64_t warps = 132 * 2 * 8;
  looped.access.front().requests = 16 * warps;
  CHECK(kernel_verdict(looped).name == "too_little_in_flight");
  CHECK(kernel_verdict(looped).brief ==
        "too few bytes in flight: let a thread take 16 neighbours at once, or more threads share the work");
  CHECK(kernel_verdict(looped).full.find("let a thread take 16 neighbours at once as one word, let more threads") !=
        std::string::npos);
  looped.access.front().requests = 16 * warps - 1;  // fewer rounds than a wide word has elements
  CHECK(kernel_verdict(looped).brief == "too few loads in flight: let more threads share the work");
  looped.access.front().requests = 16 * warps;
  looped.access.front().word_bytes = 4;
  CHECK(kernel_verdict(looped).brief == "too few loads in flight: let more threads share the work");
}

TEST_CASE("waiting for loads is a verdict where all else would take far less", "[kernel][explain]") {
  const Record few = kernel({{"latency", 950}, {"dram", 300}});
  CHECK(kernel_verdict(few).name == "too_little_in_flight");
  CHECK(kernel_verdict(few).full.starts_with("its loads take 950 us one after another; everything else takes 300 us"));
  CHECK(waits_for_loads(few.stages));
  CHECK(kernel_verdict(kernel({{"uneven_work", 950}, {"latency", 500}, {"dram", 300}})).name == "uneven_work");
  const Record both = kernel({{"latency", 950}, {"dram", 850}});
  CHECK_FALSE(waits_for_loads(both.stages));
  CHECK(kernel_verdict(both).name == "memory");
}

TEST_CASE("arithmetic, tensor cores and the launch are verdicts", "[kernel][explain]") {
  const KernelVerdict integers = kernel_verdict(kernel({{"integer", 700}, {"dram", 200}}));
  CHECK(integers.name == "arithmetic");
  CHECK_FALSE(integers.is_fine);
  CHECK(integers.full.find("32 bits") != std::string::npos);
  CHECK(kernel_verdict(kernel({{"fp64", 900}, {"dram", 200}})).is_fine);
  CHECK(kernel_verdict(kernel({{"tensor", 900}, {"dram", 200}})).name == "tensor_cores");
  CHECK(kernel_verdict(kernel({{"dram", 1}, {"launch", 0.1}}, 4)).name == "launch");
}

TEST_CASE("what the stages do not explain has no other verdict", "[kernel][explain]") {
  Record record = kernel({{"dram", 400}});
  record.predicted_s = 0.5e-3;
  CHECK(kernel_verdict(record).name == "unexplained");
  CHECK(kernel_verdict(record).full.find("2 x as long as its accesses explain") != std::string::npos);
  record.predicted_s.reset();
  CHECK(kernel_verdict(record).name.empty());
}

TEST_CASE("a library's kernel is settled, and nobody is told to rewrite it", "[kernel][explain]") {
  const std::string name = "void at::native::reduce_kernel<512, 1, f>(f)";
  const KernelVerdict waits = kernel_verdict(kernel({{"latency", 950}, {"dram", 300}}, 1000, name));
  CHECK(waits.is_settled);
  CHECK(waits.full.find("hand PyTorch more work at once") != std::string::npos);
  CHECK(waits.full.find("threads") == std::string::npos);
  CHECK(kernel_verdict(kernel({{"dram", 600}}, 1000, name)).is_settled);
}

TEST_CASE("the word of a report is of what saves most", "[kernel][explain]") {
  Record record = kernel({{"dram", 900}});
  CHECK(kernel_verdict_name(record) == "memory");
  SiteRecord& site = record.access.front();
  site.costs.push_back({.unit = sectors, .per_request = {.predicted = 32, .counted = {}}, .least = 4});
  record.metrics.back().predicted = 5e-3;
  CHECK(kernel_verdict_name(record) == "wasteful_accesses");
  site.op = "atomic";
  CHECK(kernel_verdict_name(record) == "atomics");
}

}  // namespace gpumem::report::test_kernel_verdict
