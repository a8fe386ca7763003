// From readings to records: what is said of a case that does not fit, and which peak a bandwidth is a fraction of.

#include "app/record_of.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

namespace gpumem::app {

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

Device device() {
  Device device;
  device.multiprocessors = 100;
  device.sm_clock_hz = 1'000'000'000;
  device.memory_clock_hz = 1'000'000'000;
  device.memory_bus_bits = 4096;  // 1024 GB/s
  device.memory_bytes = 1024 * mib;
  device.shared_bytes_per_block = 49'152;
  return device;
}

access::Site site(const char* name, access::Space space, access::Op op) {
  return {.name = name, .space = space, .op = op, .word_bytes = 8, .instructions = 1, .requests = 1, .request = {}};
}

/// A case of the fake probe `shift`, with a metric.
struct Example {
  std::vector<Probe> probes = test::fake_probes();
  Case decided{.probe = &probes[0], .parameters = {{"shift_elements", std::uint64_t{3}}, {"op", std::string("copy")}}};

  Example() { probes[0].metrics = {{"cycles", "cycles of something"}}; }
};

}  // namespace

TEST_CASE("what fits has nothing said of it", "[record_of]") {
  CHECK_FALSE(does_not_fit({}, device()));
  Workload workload;
  workload.shared_bytes_per_block = 49'152;
  workload.allocated_bytes = 1024 * mib;
  CHECK_FALSE(does_not_fit(workload, device()));
}

TEST_CASE("too much shared memory says how much was needed and had", "[record_of]") {
  Workload workload;
  workload.shared_bytes_per_block = 49'153;
  workload.allocated_bytes = 2048 * mib;  // the lesser reason
  CHECK(does_not_fit(workload, device()) == "needs 49153 bytes of shared memory per block, the GPU has 49152");
}

TEST_CASE("too much memory says how much was needed and had, and what to do", "[record_of]") {
  Workload workload;
  workload.allocated_bytes = 2049 * mib;
  CHECK(does_not_fit(workload, device()) ==
        "out of memory: needs 2049 MiB, the GPU has 1024 MiB; pass a smaller --buffer");
  workload.allocated_bytes = ~std::uint64_t{0};
  CHECK(does_not_fit(workload, device()) ==
        "out of memory: needs 17592186044416 MiB, the GPU has 1024 MiB; pass a smaller --buffer");
}

TEST_CASE("a bandwidth is a fraction of the peak that its workload refers to", "[record_of]") {
  Workload workload;
  report::Record record;
  record.predicted_gb_per_s = 512;
  add_peak(record, workload, device());
  CHECK(record.peak_gb_per_s == Approx(1024));
  CHECK(record.fraction_of_peak == Approx(0.5));

  workload.peak = Workload::Peak::shared_memory;  // 100 multiprocessors x 128 bytes x 1 GHz
  add_peak(record, workload, device());
  CHECK(record.peak_gb_per_s == Approx(12'800));
  CHECK(record.fraction_of_peak == Approx(0.04));
}

TEST_CASE("the measured bandwidth counts before the predicted", "[record_of]") {
  report::Record record;
  record.predicted_gb_per_s = 512;
  record.measured_gb_per_s = 256;
  add_peak(record, {}, device());
  CHECK(record.fraction_of_peak == Approx(0.25));
}

TEST_CASE("without a bandwidth or a peak there is no fraction", "[record_of]") {
  report::Record unread;
  add_peak(unread, {}, device());
  CHECK(unread.peak_gb_per_s == Approx(1024));
  CHECK_FALSE(unread.fraction_of_peak);
  report::Record record;
  record.measured_gb_per_s = 100;
  add_peak(record, {}, Device{});
  CHECK_FALSE(record.peak_gb_per_s);
  CHECK_FALSE(record.fraction_of_peak);
}

TEST_CASE("only of shared memory may a bandwidth above the peak be no fraction of it", "[record_of]") {
  Workload workload;
  workload.peak = Workload::Peak::shared_memory;
  report::Record broadcast;
  broadcast.measured_gb_per_s = 12'900;
  add_peak(broadcast, workload, device());
  CHECK(broadcast.peak_gb_per_s == Approx(12'800));
  CHECK_FALSE(broadcast.fraction_of_peak);

  report::Record cached;  // device memory is not what such a case reads: that is worth seeing
  cached.measured_gb_per_s = 2048;
  add_peak(cached, {}, device());
  CHECK(cached.fraction_of_peak == Approx(2));
}

TEST_CASE("a record begins with what the case and its description say", "[record_of]") {
  const Example example;
  Workload workload;
  workload.useful_bytes_read = 7;
  workload.useful_bytes_written = 9;
  workload.sites = {site("source", access::Space::global, access::Op::load),
                    site("tile", access::Space::shared, access::Op::store)};
  const report::Record record = record_of(example.decided, workload);
  CHECK(record.probe == "shift");
  CHECK((record.parameters == example.decided.parameters));
  CHECK(record.swept == "shift_elements");
  CHECK((record.baseline == Value(std::uint64_t{0})));
  CHECK((record.status == report::Status::ok));
  CHECK(record.useful_bytes_read == 7);
  CHECK(record.useful_bytes_written == 9);
  REQUIRE(record.access.size() == 2);
  CHECK(record.access[0].site == "source");
  CHECK(record.access[0].space == "global");
  CHECK(record.access[0].op == "load");
  CHECK(record.access[1].space == "shared");
  CHECK(record.access[1].op == "store");
  CHECK(record.access[1].word_bytes == 8);
  REQUIRE(record.metrics.size() == 1);
  CHECK(record.metrics[0].name == "cycles");
  CHECK_FALSE(record.metrics[0].value);
  CHECK_FALSE(record.headline_gb_per_s());
  CHECK_FALSE(record.verified);
}

TEST_CASE("a failed record says which case and why, and reads nothing", "[record_of]") {
  const Example example;
  const report::Record record = failed_record(example.decided, "no luck");
  CHECK((record.status == report::Status::failed));
  CHECK(record.reason == "no luck");
  CHECK((record.parameters == example.decided.parameters));
  CHECK(record.metrics.size() == 1);
  CHECK(record.access.empty());
  CHECK_FALSE(record.headline_gb_per_s());
}

TEST_CASE("each space's prediction is in its own unit", "[record_of]") {
  const Example example;
  Workload workload;
  workload.sites = {site("source", access::Space::global, access::Op::load),
                    site("tile", access::Space::shared, access::Op::load)};
  report::Record record = record_of(example.decided, workload);
  model::Prediction prediction;
  prediction.sites.resize(2);
  prediction.sites[0].cost = {.sectors_per_request = 5, .wavefronts_per_request = 6};
  prediction.sites[1].cost = {.sectors_per_request = 7, .wavefronts_per_request = 8};
  prediction.bottleneck = "dram";
  prediction.bytes_per_s = 3e12;
  model::Profile profile;
  add_prediction(record, workload, prediction, profile);
  CHECK(record.access[0].sectors_per_request.predicted == 5.0);
  CHECK_FALSE(record.access[0].wavefronts_per_request.predicted);
  CHECK_FALSE(record.access[1].sectors_per_request.predicted);
  CHECK(record.access[1].wavefronts_per_request.predicted == 8.0);
  CHECK(record.predicted_gb_per_s == Approx(3000));
  CHECK(record.bottleneck->predicted == "dram");
  CHECK_FALSE(record.bottleneck->counted);
  CHECK(record.flags.empty());

  prediction.cache_resident = true;
  profile.from_attributes = true;
  add_prediction(record, workload, prediction, profile);
  CHECK(record.flags == std::vector<std::string>{"cache_resident", "predicted_from_attributes"});
}

}  // namespace gpumem::app
