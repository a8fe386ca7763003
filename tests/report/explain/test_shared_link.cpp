// Conclusions about a host link that GPUs cross at the same time, from made-up reports of eight GPUs.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/explain/explain.hpp"
#include "report/explain/shared_link.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::report::test_shared_link {

namespace {

constexpr double alone = 55;

class SharedLink : public Sentences {
 public:
  SharedLink() : Sentences("shared_link.txt") {}
};

Record copy(std::uint64_t gpu, double gb_per_s, const std::string& memory = "pinned") {
  Record record;
  record.probe = "transfer";
  record.parameters = {{"size_bytes", std::uint64_t{64} << 20U}, {"host_memory", memory}, {"device", gpu}};
  record.swept = "size_bytes";
  record.compared = "host_memory";
  record.across = "device";
  record.verified = true;
  record.useful_bytes_written = std::uint64_t{64} << 20U;
  record.headline.measured = gb_per_s;
  record.headline.predicted = alone;
  record.headline.peak = 63;
  record.time = examples::time_record(0.067 / gb_per_s, 5);
  return record;
}

/// A GPU for each of the rates.
std::vector<Record> copies(const std::vector<double>& rates) {
  std::vector<Record> records;
  for (const double rate : rates) records.push_back(copy(records.size(), rate));
  return records;
}

std::string said(const std::vector<Record>& records, std::optional<std::uint64_t> cache_bytes = {}) {
  Cases cases;
  for (const Record& record : records) cases.push_back(&record);
  return shared_link(cases, cache_bytes);
}

constexpr std::uint64_t mib = 1U << 20U;

/// Two GPUs that copy both sizes, at these rates each.
std::vector<Record> two_sizes(std::uint64_t small_bytes, double small, std::uint64_t large_bytes, double large) {
  std::vector<Record> records;
  for (const auto& [bytes, rate] : {std::pair(small_bytes, small), std::pair(large_bytes, large)}) {
    for (const std::uint64_t gpu : {0U, 1U}) {
      Record& record = records.emplace_back(copy(gpu, rate));
      record.parameters.front().value = bytes;
      record.useful_bytes_written = bytes;
    }
  }
  return records;
}

}  // namespace

TEST_CASE_METHOD(SharedLink, "GPUs that get all that they would get alone hardly disturb each other", "[link]") {
  tell(said(copies({55, 54, 55, 55, 53, 55, 55, 54})));
}

TEST_CASE_METHOD(SharedLink, "GPUs that all get less have met the host's limit", "[link]") {
  tell(said(copies({37, 38, 37, 38, 37, 38, 37, 38})));
}

TEST_CASE_METHOD(SharedLink, "what only large buffers lose is lost to the node's memory", "[link]") {
  const auto records = two_sizes(16 * mib, 54, 1024 * mib, 37);
  tell(said(records, 300 * mib));
  tell(said(records));            // nobody knows the cache
  tell(said(records, 64 * mib));  // nor does it hold the small ones
  tell(said(two_sizes(16 * mib, 54, 1024 * mib, 53), 300 * mib));
}

TEST_CASE_METHOD(SharedLink, "what buffers lose that the CPU's cache holds is lost on the way there", "[link]") {
  const auto records = two_sizes(16 * mib, 37, 1024 * mib, 36);
  tell(said(records, 300 * mib));
  tell(said(two_sizes(512 * mib, 38, 1024 * mib, 37), 300 * mib));
}

TEST_CASE_METHOD(SharedLink, "GPUs that get less than the others are named, and may share a switch", "[link]") {
  tell(said(copies({55, 55, 27.1, 27.3, 55, 55, 55, 55})));
  tell(said(copies({55, 55, 55, 55, 13, 55, 55, 55})));
}

TEST_CASE_METHOD(SharedLink, "of several alternatives that are compared, the one is told of which most was moved",
                 "[link]") {
  std::vector<Record> records = copies({55, 55});
  for (const std::uint64_t gpu : {0U, 1U}) records.push_back(copy(gpu, 10, "pageable"));
  tell(said(records));
}

TEST_CASE_METHOD(SharedLink, "without a prediction the peak stands for what a GPU moves alone; without that, nothing",
                 "[link]") {
  std::vector<Record> records = copies({30, 30});
  for (Record& record : records) record.headline.predicted.reset();
  tell(said(records));
  for (Record& record : records) record.headline.peak.reset();
  tell(said(records));
}

TEST_CASE("nothing is said of one GPU, of what failed, or of cases that cross no link", "[link]") {
  CHECK(said(copies({55})).empty());
  std::vector<Record> records = copies({55, 55});
  records[1].status = Status::failed;
  CHECK(said(records).empty());
  records = copies({55, 55});
  for (Record& record : records) record.access = {examples::global_site("source", "load", 4)};
  CHECK(said(records).empty());
  records = copies({55, 55});
  for (Record& record : records) record.across.clear();  // as kernels of a program have it
  CHECK(said(records).empty());
}

TEST_CASE("a finding speaks for all GPUs by one, and then of what they share", "[link]") {
  const std::vector<Record> records = copies({37, 38, 37, 38, 37, 38, 37, 38});
  const std::vector<ConclusionRecord> told = {{"transfer", {0}, "Pin it.", {}}};
  const auto all = findings(records, told);
  REQUIRE(all.size() == 1);
  CHECK(all.front().starts_with("GPU 0: Pin it.\n"));
  CHECK(all.front().ends_with(said(records)));
}

}  // namespace gpumem::report::test_shared_link
