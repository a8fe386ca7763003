// From readings to records: what is said of a case that does not fit, and which peak a bandwidth is a fraction of.

#include "app/run/record_of.hpp"
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

TEST_CASE("a case is described for the device it is to run on", "[record_of]") {
  Example example;
  example.probes[0].describe = [](const Case& one, const Device& on) {
    Workload workload;
    workload.useful_bytes_read = one.number("shift_elements") * on.multiprocessors;
    workload.shared_bytes_per_block = 49'152;
    workload.allocated_bytes = 1024 * mib;
    return workload;
  };
  CHECK(describe(example.decided, device()).useful_bytes_read == 300);
}

TEST_CASE("what does not fit says how much was needed and had, and what to do", "[record_of]") {
  Example example;
  Workload workload;
  example.probes[0].describe = [&](const Case&, const Device&) { return workload; };
  const auto refusal = [&](ErrorKind kind = ErrorKind::probe_failed) {
    return test::error_of([&] { static_cast<void>(describe(example.decided, device())); }, kind);
  };
  workload.shared_bytes_per_block = 49'153;
  workload.allocated_bytes = 2048 * mib;  // the lesser reason
  CHECK(refusal() == "too little shared memory per block: needs 49153 bytes, the GPU has 49152 bytes");
  workload.shared_bytes_per_block = 98'304;
  CHECK(refusal() == "too little shared memory per block: needs 96 KiB, the GPU has 48 KiB");
  workload.shared_bytes_per_block = 0;
  CHECK(refusal() == "out of memory: needs 2 GiB, the GPU has 1 GiB");  // nothing the user could make smaller

  for (const auto& [flag, parameter] : {std::pair{"buffer", "buffer_bytes"}, std::pair{"size", "size_bytes"}}) {
    example.probes[0].axes.back() = {.flag = flag, .parameter = parameter, .purpose = "a size", .defaults = "1"};
    workload.allocated_bytes = 1536 * mib;
    CHECK(refusal() == std::string("out of memory: needs 1.5 GiB, the GPU has 1 GiB; pass a smaller --") + flag);
    workload.allocated_bytes = 1024 * mib + 4;  // rounded, the two would be equal
    CHECK(refusal() ==
          std::string("out of memory: needs 1073741828 bytes, the GPU has 1073741824 bytes; pass a smaller --") + flag);
  }
}

TEST_CASE("kernels that address host memory need a GPU that can", "[record_of]") {
  Example example;
  Workload workload;
  workload.sites = {site("source", access::Space::host, access::Op::load)};
  example.probes[0].describe = [&](const Case&, const Device&) { return workload; };
  Device unable = device();
  CHECK(describe(example.decided, unable).sites.size() == 1);
  unable.maps_host_memory = false;
  CHECK(test::error_of([&] { static_cast<void>(describe(example.decided, unable)); }, ErrorKind::missing_capability) ==
        "kernels of this GPU cannot address host memory");
  workload.sites[0].space = access::Space::global;
  CHECK(describe(example.decided, unable).sites.size() == 1);
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

TEST_CASE("transfers are a fraction of the link, one way or both, if its speed is known", "[record_of]") {
  Workload workload;
  workload.peak = Workload::Peak::link;
  Device linked = device();
  linked.pcie_generation = 3;
  linked.pcie_width = 16;  // 16 lanes x 8 GT/s x 128/130 / 8 = 15.7538 GB/s
  report::Record record;
  record.measured_gb_per_s = 12;
  add_peak(record, workload, linked);
  CHECK(record.peak_gb_per_s == Approx(15.7538).epsilon(1e-5));
  CHECK(record.fraction_of_peak == Approx(12 / 15.7538).epsilon(1e-5));

  workload.peak = Workload::Peak::link_both_ways;
  add_peak(record, workload, linked);
  CHECK(record.peak_gb_per_s == Approx(31.5077).epsilon(1e-5));
  CHECK(record.fraction_of_peak == Approx(12 / 31.5077).epsilon(1e-5));

  for (const auto peak : {Workload::Peak::link, Workload::Peak::link_both_ways}) {
    workload.peak = peak;
    report::Record unknown;
    unknown.measured_gb_per_s = 12;
    add_peak(unknown, workload, device());  // no link known
    CHECK_FALSE(unknown.peak_gb_per_s);
    CHECK_FALSE(unknown.fraction_of_peak);

    linked.integrated = true;  // there is no link to cross, whatever PCI Express says
    add_peak(unknown, workload, linked);
    CHECK(unknown.peak_gb_per_s == Approx(1024));
    CHECK(unknown.fraction_of_peak == Approx(12.0 / 1024));
    linked.integrated = false;

    Device coherent = linked;
    coherent.link_is_pcie = false;
    report::Record other;
    other.measured_gb_per_s = 12;
    add_peak(other, workload, coherent);
    CHECK_FALSE(other.peak_gb_per_s);
  }
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

TEST_CASE("only of shared memory and the link may a bandwidth above the peak be no fraction of it", "[record_of]") {
  Workload workload;
  workload.peak = Workload::Peak::shared_memory;
  report::Record broadcast;
  broadcast.measured_gb_per_s = 12'900;
  add_peak(broadcast, workload, device());
  CHECK(broadcast.peak_gb_per_s == Approx(12'800));
  CHECK_FALSE(broadcast.fraction_of_peak);

  workload.peak = Workload::Peak::link;
  Device linked = device();
  linked.pcie_generation = 3;
  linked.pcie_width = 16;
  report::Record copied_once;
  copied_once.measured_gb_per_s = 16;
  add_peak(copied_once, workload, linked);
  CHECK(copied_once.peak_gb_per_s == Approx(15.7538).epsilon(1e-5));
  CHECK_FALSE(copied_once.fraction_of_peak);

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
  CHECK(record.compared.empty());
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

TEST_CASE("a record of alternatives says which parameter tells them apart", "[record_of]") {
  const std::vector<Probe> probes = test::fake_probes_and_alternatives();
  const Case decided{.probe = &probes[2],
                     .parameters = {{"load_elements", std::uint64_t{1}}, {"means", std::string("cart")}}};
  const report::Record record = record_of(decided, {});
  CHECK(record.swept == "load_elements");
  CHECK(record.compared == "means");
  CHECK((record.baseline == Value(std::string("cart"))));
}

TEST_CASE("a record of a case that did not run says which and why, and reads nothing", "[record_of]") {
  const Example example;
  const std::pair<report::Record, report::Status> records[] = {
      {failed_record(example.decided, probe_error("no luck")), report::Status::failed},
      {failed_record(example.decided, missing_capability_error("no luck")), report::Status::skipped},
      {skipped_record(example.decided, "no luck"), report::Status::skipped}};
  for (const auto& [record, status] : records) {
    CHECK((record.status == status));
    CHECK(record.reason == "no luck");
    CHECK((record.parameters == example.decided.parameters));
    CHECK(record.metrics.size() == 1);
    CHECK(record.access.empty());
    CHECK_FALSE(record.headline_gb_per_s());
  }
}

TEST_CASE("each space's prediction is in its own unit", "[record_of]") {
  const Example example;
  Workload workload;
  workload.sites = {site("source", access::Space::global, access::Op::load),
                    site("tile", access::Space::shared, access::Op::load),
                    site("mapped", access::Space::host, access::Op::load)};
  report::Record record = record_of(example.decided, workload);
  model::Prediction prediction;
  prediction.sites.resize(3);
  prediction.sites[2].cost = {.sectors_per_request = 9, .wavefronts_per_request = 10};
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
  CHECK(record.access[2].space == "host");
  CHECK(record.access[2].sectors_per_request.predicted == 9.0);
  CHECK_FALSE(record.access[2].wavefronts_per_request.predicted);
  CHECK(record.predicted_gb_per_s == Approx(3000));
  CHECK(record.bottleneck->predicted == "dram");
  CHECK_FALSE(record.bottleneck->counted);
  CHECK(record.flags.empty());

  prediction.cache_resident = true;
  profile.from_attributes = true;
  add_prediction(record, workload, prediction, profile);
  CHECK(record.flags == std::vector<std::string>{"cache_resident", "predicted_from_attributes"});
}

TEST_CASE("a predicted timeline is shown only where nothing was measured", "[record_of]") {
  const Example example;
  model::Prediction prediction;
  prediction.timeline = {{.stage = "copy in", .stream = 0, .start_s = 0, .end_s = 2}};
  report::Record record = record_of(example.decided, {});
  add_prediction(record, {}, prediction, {});
  REQUIRE(record.timeline.size() == 1);
  CHECK(record.timeline[0].end_s == 2);

  record = record_of(example.decided, {});
  record.time = report::TimeRecord{};
  add_prediction(record, {}, prediction, {});
  CHECK(record.timeline.empty());

  record.timeline = {{.stage = "copy in", .stream = 0, .start_s = 0, .end_s = 3}};
  add_prediction(record, {}, prediction, {});
  REQUIRE(record.timeline.size() == 1);
  CHECK(record.timeline[0].end_s == 3);
}

}  // namespace gpumem::app
