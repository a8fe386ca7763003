// From readings to records: what is said of a case that does not fit, and which peak a bandwidth is a fraction of.

#include <cmath>

#include "app/run/case_records.hpp"
#include "report/record/fill.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_case_records {

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

  Example() { probes[0].metrics = {{.quantity = {"cycles", "cycles of something", Better::less}}}; }
};

}  // namespace

TEST_CASE("a case is described for the device it is to run on", "[case_records]") {
  Example example;
  example.probes[0].describe = [](const Case& tested, const Device& on) {
    Workload workload;
    workload.useful_bytes_read = tested.number("shift_elements") * on.multiprocessors;
    workload.shared_bytes_per_block = 49'152;
    workload.allocated_bytes = 1024 * mib;
    return workload;
  };
  CHECK(describe(example.decided, device()).useful_bytes_read == 300);
}

TEST_CASE("what does not fit says how much was needed and had, and what to do", "[case_records]") {
  Example example;
  Workload workload;
  example.probes[0].describe = [&](const Case&, const Device&) { return workload; };
  const auto refusal = [&](ErrorKind kind = ErrorKind::probe_failed) {
    return test::error_of([&] { static_cast<void>(describe(example.decided, device())); }, kind);
  };
  workload.shared_bytes_per_block = 49'153;
  workload.allocated_bytes = 2048 * mib;  // the lesser reason
  CHECK(refusal(ErrorKind::missing_capability) ==
        "too little shared memory per block: needs 49153 bytes, the GPU has 49152 bytes");
  workload.shared_bytes_per_block = 98'304;
  CHECK(refusal(ErrorKind::missing_capability) ==
        "too little shared memory per block: needs 96 KiB, the GPU has 48 KiB");
  workload.shared_bytes_per_block = 0;
  CHECK(refusal() == "out of memory: needs 2 GiB, the GPU has 1 GiB");  // nothing the user could make smaller

  example.probes[0].axes.back() = Size("any_bytes")({.flag = "any", .purpose = "a size", .defaults = "1"});
  workload.allocated_bytes = 1536 * mib;
  CHECK(refusal() == "out of memory: needs 1.5 GiB, the GPU has 1 GiB; pass a smaller --any");
  workload.allocated_bytes = 1024 * mib + 4;  // rounded, the two would be equal
  CHECK(refusal() == "out of memory: needs 1073741828 bytes, the GPU has 1073741824 bytes; pass a smaller --any");
  for (const auto& [probe, size] : {std::pair("offset", "buffer_bytes"), std::pair("transfer", "size_bytes"),
                                    std::pair("working-set", "footprint_bytes")}) {
    CHECK(find_probe(probe)->find_axis(size)->sizes_case);
  }
}

TEST_CASE("kernels that address host memory need a GPU that can", "[case_records]") {
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

namespace {

/// A probe whose headline has this peak, whatever the workload and the device.
Probe with_peak(double peak, Better better = Better::more) {
  Probe probe;
  probe.headline = {.quantity = {"goods", "", better},
                    .peak = [peak](const Workload&, const Device&) { return std::optional(peak); }};
  return probe;
}

Device linked() {
  Device linked = device();
  linked.pcie_generation = 3;
  linked.pcie_width = 16;  // 16 lanes x 8 GT/s x 128/130 / 8 = 15.7538 GB/s
  return linked;
}

}  // namespace

TEST_CASE("a headline is a fraction of its peak, measured before predicted", "[case_records]") {
  report::Record record;
  record.headline.predicted = 512;
  add_peak(record, {}, {}, device());  // bandwidth of device memory
  CHECK(record.headline.peak == Approx(1024));
  CHECK(record.fraction_of_peak == Approx(0.5));
  record.headline.measured = 256;
  add_peak(record, {}, {}, device());
  CHECK(record.fraction_of_peak == Approx(0.25));

  report::Record cycles;
  cycles.headline = {.quantity = "goods", .better = Better::less, .measured = 8};
  add_peak(cycles, with_peak(2, Better::less), {}, {});
  CHECK(cycles.headline.peak == 2);
  CHECK(cycles.fraction_of_peak == Approx(0.25));
}

TEST_CASE("transfers are a fraction of the link, one way or both, if its speed is known", "[case_records]") {
  Workload one_way;
  one_way.useful_bytes_read = 1;
  CHECK(link_peak(one_way, linked()) == Approx(15.7538).epsilon(1e-5));
  Workload both_ways = one_way;
  both_ways.useful_bytes_written = 1;
  CHECK(link_peak(both_ways, linked()) == Approx(31.5077).epsilon(1e-5));
  for (const Workload& workload : {one_way, both_ways}) {
    CHECK_FALSE(link_peak(workload, device()));  // no link known
    Device integrated = linked();
    integrated.integrated = true;  // there is no link to cross, whatever PCI Express says
    CHECK(link_peak(workload, integrated) == Approx(1024));
    Device coherent = linked();
    coherent.link_is_pcie = false;
    CHECK_FALSE(link_peak(workload, coherent));
  }
}

TEST_CASE("without a value or a peak there is no fraction", "[case_records]") {
  report::Record unread;
  add_peak(unread, {}, {}, device());
  CHECK(unread.headline.peak == Approx(1024));
  CHECK_FALSE(unread.fraction_of_peak);
  report::Record record;
  record.headline.measured = 100;
  add_peak(record, {}, {}, Device{});
  CHECK_FALSE(record.headline.peak);
  CHECK_FALSE(record.fraction_of_peak);
}

TEST_CASE("better than the peak is no fraction of it, but where the data was cached", "[case_records]") {
  report::Record broadcast;
  broadcast.headline.measured = 12'900;
  add_peak(broadcast, with_peak(12'800), {}, {});
  CHECK(broadcast.headline.peak == 12'800);
  CHECK_FALSE(broadcast.fraction_of_peak);

  report::Record cached;  // device memory is not what such a case reads: that is worth seeing
  cached.headline.measured = 2048;
  cached.flags = {"cache_resident"};
  add_peak(cached, {}, {}, device());
  CHECK(cached.fraction_of_peak == Approx(2));
}

TEST_CASE("a headline of a time has the time's interval, whichever way it turns", "[case_records]") {
  using measure::Seconds;
  const measure::Summary time{.median = Seconds(2), .ci95_low = Seconds(1), .ci95_high = Seconds(4), .count = 6};
  report::HeadlineRecord rate;
  add_headline(
      rate, [](double seconds) { return std::optional(8 / seconds); }, time);
  CHECK(rate.measured == 4);
  CHECK(rate.ci95_low == 2);
  CHECK(rate.ci95_high == 8);
  report::HeadlineRecord duration;
  add_headline(
      duration, [](double seconds) { return std::optional(seconds * 10); }, time);
  CHECK(duration.measured == 20);
  CHECK(duration.ci95_low == 10);
  CHECK(duration.ci95_high == 40);
  report::HeadlineRecord few;
  add_headline(few, [](double seconds) { return std::optional(seconds); }, {.median = Seconds(2), .count = 5});
  CHECK(few.measured == 2);
  CHECK_FALSE(few.ci95_low);
}

TEST_CASE("launch shapes are told apart by the headline, or by the pace where it cannot tell", "[case_records]") {
  Workload workload;
  workload.useful_bytes_read = 10;
  CHECK(goodness_of({}, workload, {}, 2) == Approx(5e-9));  // GB/s
  CHECK(goodness_of({}, {}, {}, 2) == Approx(0.5));         // no bytes
  CHECK(goodness_of(with_peak(1, Better::less), {}, 4.0, 2) == Approx(0.25));
  CHECK(goodness_of(with_peak(1, Better::neither), {}, 4.0, 2) == Approx(0.5));
}

TEST_CASE("a record begins with what the case and its description say", "[case_records]") {
  const Example example;
  Workload workload;
  workload.useful_bytes_read = 7;
  workload.useful_bytes_written = 9;
  workload.sites = {site("source", access::Space::global, access::Op::load),
                    site("tile", access::Space::shared, access::Op::store)};
  const report::Record record = report::record_of(example.decided, workload);
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
  CHECK_FALSE(record.metrics[0].value());
  CHECK_FALSE(record.headline.value());
  CHECK_FALSE(record.verified);
}

TEST_CASE("a record of alternatives says which parameter tells them apart", "[case_records]") {
  const std::vector<Probe> probes = test::fake_probes_and_alternatives();
  const Case decided{.probe = &probes[2],
                     .parameters = {{"load_elements", std::uint64_t{1}}, {"means", std::string("cart")}}};
  const report::Record record = report::record_of(decided, {});
  CHECK(record.swept == "load_elements");
  CHECK(record.compared == "means");
  CHECK((record.baseline == Value(std::string("cart"))));
}

TEST_CASE("a record of a case that did not run says which and why, and reads nothing", "[case_records]") {
  const Example example;
  const Plan plan{.sweeps = {{.probe = &example.probes[0], .cases = {example.decided}}}};
  const std::pair<report::Record, report::Status> records[] = {
      {failed_record(example.decided, probe_error("dry run")), report::Status::failed},
      {failed_record(example.decided, missing_capability_error("dry run")), report::Status::skipped},
      {planned_records(plan).at(0), report::Status::skipped}};
  for (const auto& [record, status] : records) {
    CHECK((record.status == status));
    CHECK(record.reason == "dry run");
    CHECK((record.parameters == example.decided.parameters));
    CHECK(record.metrics.size() == 1);
    CHECK(record.access.empty());
    CHECK_FALSE(record.headline.value());
  }
}

TEST_CASE("each space's prediction is in its own unit", "[case_records]") {
  const Example example;
  Workload workload;
  workload.useful_bytes_read = std::uint64_t{1} << 30U;
  workload.blocks = 132;
  workload.block_threads = 1024;
  const auto coalesced = [](std::uint64_t k) {
    access::WarpRequest request{.active = ~0U, .word_bytes = 8};
    for (std::uint64_t lane = 0; lane < access::warp_lanes; ++lane) request.address[lane] = (k * 32 + lane) * 8;
    return request;
  };
  workload.sites = {
      site("source", access::Space::global, access::Op::load), site("tile", access::Space::shared, access::Op::load),
      site("mapped", access::Space::host, access::Op::load), site("table", access::Space::constant, access::Op::load),
      site("texels", access::Space::texture, access::Op::load)};
  for (access::Site& site : workload.sites) site.request = coalesced;
  const model::Profile profile = model::load_profile("h200");
  report::Record record = report::record_of(example.decided, workload);
  add_prediction(record, *example.decided.probe, workload, profile);
  CHECK(record.access[0].per_request(report::sectors).predicted == 8.0);
  CHECK_FALSE(record.access[0].per_request(report::wavefronts).predicted);
  CHECK_FALSE(record.access[1].per_request(report::sectors).predicted);
  CHECK(record.access[1].per_request(report::wavefronts).predicted == 2.0);
  CHECK(record.access[2].space == "host");
  CHECK(record.access[2].per_request(report::sectors).predicted == 8.0);
  CHECK(record.access[3].space == "constant");
  CHECK(record.access[3].per_request(report::addresses).predicted == 32.0);
  CHECK(record.access[3].costs.size() == 1);
  CHECK(record.access[4].space == "texture");
  CHECK(record.access[4].costs.empty());
  CHECK(record.headline.predicted == Approx(std::pow(2, 30) / *record.predicted_s / 1e9));
  CHECK_FALSE(record.bottleneck->counted);
  CHECK(record.flags.empty());
}

TEST_CASE("a workload that the model does not reach is predicted by its requests alone", "[case_records]") {
  const Example example;
  Workload workload;
  workload.unmodelled = "no stage does this";
  model::Profile profile = model::load_profile("h200");
  profile.from_attributes = true;
  report::Record record = report::record_of(example.decided, workload);
  add_prediction(record, *example.decided.probe, workload, profile);
  CHECK_FALSE(record.headline.predicted);
  CHECK_FALSE(record.predicted_s);
  CHECK(record.no_prediction == "no stage does this");
  CHECK_FALSE(record.bottleneck);
  CHECK(record.flags == std::vector<std::string>{"predicted_from_attributes"});
}

TEST_CASE("of a chase the step is predicted, and no time of the run", "[case_records]") {
  Example example;
  const auto predicted = [](const Workload& workload, const model::Prediction&, const model::Profile&) {
    return std::optional(static_cast<double>(workload.about<Chase>()->lines));
  };
  example.probes[0].headline = {.quantity = {"latency_cycles", "of a step", Better::less}, .predict = predicted};
  example.probes[0].metrics.push_back({.quantity = {"gb_per_s", "by the time", Better::more},
                                       .from_seconds = [](const Workload&, double) { return std::optional(1.0); }});
  Workload workload;
  workload.unmodelled = "no stage does this";
  workload.subject = Chase{.lines = 7};
  report::Record record = report::record_of(example.decided, workload);
  add_prediction(record, *example.decided.probe, workload, model::load_profile("h200"));
  CHECK(record.headline.predicted == 7.0);
  CHECK_FALSE(record.metrics[1].predicted);
  CHECK_FALSE(record.predicted_s);
  CHECK_FALSE(record.no_prediction);
  CHECK_FALSE(record.bottleneck);
  CHECK(record.stages.empty());
}

TEST_CASE("of two at once the headline is predicted, if the profile knows the rates, and no time", "[case_records]") {
  Example example;
  const auto predicted = [](const Workload& workload, const model::Prediction&, const model::Profile&) {
    return std::optional(static_cast<double>(workload.about<Neighbours>()->victim_bytes));
  };
  example.probes[0].headline = {.quantity = {"kept_percent", "beside another", Better::more}, .predict = predicted};
  Workload workload;
  workload.unmodelled = "one after another";
  workload.subject = Neighbours{.victim_bytes = 7};
  model::Profile profile = model::load_profile("h200");
  profile.how["l2_port_bytes_per_cycle"] = "measured";
  report::Record record = report::record_of(example.decided, workload);
  add_prediction(record, *example.decided.probe, workload, profile);
  CHECK(record.headline.predicted == 7.0);
  CHECK_FALSE(record.predicted_s);
  CHECK_FALSE(record.no_prediction);

  profile.how.erase("l2_port_bytes_per_cycle");
  record = report::record_of(example.decided, workload);
  add_prediction(record, *example.decided.probe, workload, profile);
  CHECK_FALSE(record.headline.predicted);
  CHECK(record.no_prediction == model::why_unpredicted(workload, profile));
}

TEST_CASE("a predicted timeline is shown only where nothing was measured", "[case_records]") {
  const Example example;
  Workload workload;
  workload.operations = {
      {.work = gpumem::Operation::Work::copy_to_device, .stage = "copy in", .bytes = 1U << 20U},
      {.work = gpumem::Operation::Work::copy_to_host, .stage = "copy out", .stream = 1, .bytes = 1U << 20U}};
  const model::Profile profile = model::load_profile("h200");
  report::Record record = report::record_of(example.decided, workload);
  add_prediction(record, *example.decided.probe, workload, profile);
  REQUIRE(record.timeline.size() == 2);
  CHECK(record.timeline[0].stage == "copy in");

  record = report::record_of(example.decided, workload);
  record.time = report::TimeRecord{};
  add_prediction(record, *example.decided.probe, workload, profile);
  CHECK(record.timeline.empty());
}

}  // namespace gpumem::app::test_case_records
