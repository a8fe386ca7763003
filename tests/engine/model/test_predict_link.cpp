// Predictions of the host link, compared with measurements on an H200 behind PCI Express gen5 x16. The workloads are
// written by hand, so no probe's choices play a part.

#include <algorithm>
#include <cmath>

#include "engine/model/predict.hpp"
#include "tests/catch.hpp"
#include "tests/engine/model/operations.hpp"

namespace gpumem::model::test_predict_link {

namespace {

using access::Op;
using access::Space;
using Work = Operation::Work;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;

const Profile& h200() {
  static const Profile profile = load_profile("h200");
  return profile;
}

Prediction predict_operations(std::vector<Operation> operations, std::uint64_t host_bytes = 0) {
  Workload workload = test::workload_of(std::move(operations));
  for (const Operation& operation : workload.operations) workload.useful_bytes_read += operation.bytes;
  workload.host_bytes = host_bytes;
  return predict(workload, h200());
}

double microseconds(const Prediction& prediction) { return prediction.seconds * 1e6; }

double stage(const Prediction& prediction, std::string_view name) {
  const auto found = std::ranges::find(prediction.stages, name, &StageTime::stage);
  return found == prediction.stages.end() ? 0 : found->seconds;
}

/// A kernel whose thread i accesses element stride * i + offset, over the span that was measured: 64 MiB.
struct Kernel {
  std::uint64_t stride = 1;
  std::uint64_t offset = 0;
  std::uint64_t word_bytes = 4;
  unsigned elements_per_thread = 4;
  std::uint64_t span_bytes = 64 * mib;
  Space space = Space::host;

  [[nodiscard]] std::uint64_t elements() const { return span_bytes / (stride * word_bytes); }

  [[nodiscard]] access::Site site(Op op) const {
    access::Site site;
    site.name = op == Op::load ? "source" : "target";
    site.space = space;
    site.op = op;
    site.word_bytes = static_cast<unsigned>(word_bytes);
    site.instructions = elements_per_thread;
    site.requests = elements() / access::warp_lanes;
    site.request = [*this](std::uint64_t k) {
      access::WarpRequest request;
      request.word_bytes = static_cast<unsigned>(word_bytes);
      request.active = ~std::uint32_t{0};
      for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
        request.address[lane] = ((k * access::warp_lanes + lane) * stride + offset) * word_bytes;
      }
      return request;
    };
    return site;
  }

  [[nodiscard]] Workload workload(const std::vector<Op>& ops) const {
    Workload workload;
    for (const Op op : ops) {
      workload.sites.push_back(site(op));
      (op == Op::load ? workload.useful_bytes_read : workload.useful_bytes_written) += elements() * word_bytes;
    }
    workload.block_threads = 256;
    workload.blocks = elements() / workload.block_threads / elements_per_thread;
    return workload;
  }

  [[nodiscard]] Prediction predict(const std::vector<Op>& ops) const { return model::predict(workload(ops), h200()); }
};

const std::vector<Op> read = {Op::load};
const std::vector<Op> write = {Op::store};
const std::vector<Op> copy = {Op::load, Op::store};

}  // namespace

TEST_CASE("predicted copies of pinned memory come near the measured ones", "[predict][link]") {
  struct Example {
    std::uint64_t bytes;
    double to_device_us, to_host_us;
  };
  for (const auto& [bytes, to_device_us, to_host_us] :
       {Example{4 * kib, 2.6, 1.8}, Example{64 * kib, 3.7, 2.9}, Example{256 * kib, 7.1, 6.3}, Example{mib, 22.8, 22.3},
        Example{4 * mib, 79.4, 78.9}, Example{64 * mib, 1212, 1217}, Example{gib, 19337, 19391}}) {
    INFO(bytes << " bytes");
    const Prediction in = predict_operations({{Work::copy_to_device, "copy in", 0, bytes}});
    const Prediction out = predict_operations({{Work::copy_to_host, "copy out", 0, bytes}});
    CHECK(microseconds(in) == Approx(to_device_us).epsilon(0.1));
    CHECK(microseconds(out) == Approx(to_host_us).epsilon(0.1));
    CHECK(in.bytes_per_s == Approx(static_cast<double>(bytes) / in.seconds));
    CHECK(in.bottleneck == (bytes < 256 * kib ? "copies" : "pcie"));
    CHECK_FALSE(in.cache_resident);
    CHECK(in.timeline.empty());
  }
  const Prediction both =
      predict_operations({{Work::copy_to_device, "copy in", 0, gib}, {Work::copy_to_host, "copy out", 1, gib}});
  CHECK(both.bytes_per_s / 1e9 == Approx(52.0 + 50.8).epsilon(0.02));
  CHECK(both.bottleneck == "pcie");
  CHECK(both.timeline.size() == 2);
}

TEST_CASE("predicted copies of pageable memory come near the measured ones", "[predict][link]") {
  struct Example {
    std::uint64_t bytes;
    double to_device_us, to_host_us;
  };
  // Between 64 KiB and 1 MiB the driver changes its ways: 64 KiB take it 21.6 us to the device and 256 KiB 25.2.
  for (const auto& [bytes, to_device_us, to_host_us] :
       {Example{4 * kib, 7.2, 7.6}, Example{256 * kib, 25.2, 31}, Example{mib, 78, 98}, Example{4 * mib, 264, 280},
        Example{64 * mib, 4050, 3700}, Example{256 * mib, 28500, 15000}, Example{gib, 120000, 61000}}) {
    INFO(bytes << " bytes");
    const Prediction in = predict_operations({{Work::copy_to_device, "copy in", 0, bytes, 1, true}}, bytes);
    const Prediction out = predict_operations({{Work::copy_to_host, "copy out", 0, bytes, 1, true}}, bytes);
    CHECK(microseconds(in) == Approx(to_device_us).epsilon(0.12));
    CHECK(microseconds(out) == Approx(to_host_us).epsilon(bytes < 64 * mib ? 0.35 : 0.05));
    if (bytes >= 64 * mib) CHECK((in.bottleneck == "host_copy" && out.bottleneck == "host_copy"));
  }
}

TEST_CASE("predicted times of many copies and of packing come near the measured ones", "[predict][link]") {
  struct Example {
    std::uint64_t copies;
    double to_device_us, to_host_us, packed_us, one_call_us;
  };
  constexpr std::uint64_t bytes = 16 * mib;
  for (const auto& [copies, to_device_us, to_host_us, packed_us, one_call_us] :
       {Example{1, 310, 309, 1600, 311}, Example{16, 350, 340, 1600, 319}, Example{256, 938, 800, 1610, 410},
        Example{4096, 10200, 8300, 1612, 4400}, Example{65536, 155000, 122000, 1990, 59000}}) {
    INFO(copies << " copies");
    const Prediction in = predict_operations({{Work::copy_to_device, "copies", 0, bytes, copies}});
    const Prediction out = predict_operations({{Work::copy_to_host, "copies", 0, bytes, copies}});
    const Prediction packed =
        predict_operations({{Work::pack, "pack", 0, bytes, copies}, {Work::copy_to_device, "copy in", 0, bytes}});
    const Prediction one_call = predict_operations({{Work::copy_to_device, "copies", 0, bytes, copies, false, true}});
    CHECK(microseconds(in) == Approx(to_device_us).epsilon(0.1));
    CHECK(microseconds(out) == Approx(to_host_us).epsilon(0.1));
    CHECK(microseconds(packed) == Approx(packed_us).epsilon(0.05));
    CHECK(microseconds(one_call) == Approx(one_call_us).epsilon(0.35));
    CHECK(in.bottleneck == (copies < 256 ? "pcie" : "copies"));
    CHECK(packed.bottleneck == "host_copy");
  }
}

TEST_CASE("predicted overlap comes near the measured one", "[predict][link]") {
  // 256 MiB in and out in 64 chunks; the kernel takes this many times as long as copying a chunk in.
  const auto overlapped = [](unsigned streams, double kernel, bool pageable = false) {
    std::vector<Operation> operations;
    for (unsigned chunk = 0; chunk < 64; ++chunk) {
      constexpr std::uint64_t part = 4 * mib;
      const auto busy = static_cast<std::uint64_t>(static_cast<double>(part) * kernel);
      operations.push_back({Work::copy_to_device, "copy in", chunk % streams, part, 1, pageable});
      operations.push_back({Work::busy_kernel, "kernel", chunk % streams, busy});
      operations.push_back({Work::copy_to_host, "copy out", chunk % streams, part, 1, pageable});
    }
    return predict_operations(std::move(operations), 512 * mib);
  };
  for (const unsigned streams : {4U, 16U}) {
    INFO(streams << " streams");
    const Prediction long_kernel = overlapped(streams, 1.2);
    CHECK(microseconds(long_kernel) == Approx(6130).epsilon(0.05));
    CHECK(long_kernel.bottleneck == "kernel");
    CHECK(long_kernel.timeline.size() == 3 * 64);
    const Prediction even = overlapped(streams, 1.0);
    CHECK(microseconds(even) == Approx(5900).epsilon(0.07));
    CHECK(even.bottleneck == "pcie");
  }
  CHECK(microseconds(overlapped(2, 1.2)) == Approx(8900).epsilon(0.1));

  // One after another and whole, 4.84 + 1.2 x 4.84 + 4.84 ms; overlapping is 2.55 times as fast.
  const Prediction whole = predict_operations({{Work::copy_to_device, "copy in", 0, 256 * mib},
                                               {Work::busy_kernel, "kernel", 0, 256 * mib * 12 / 10},
                                               {Work::copy_to_host, "copy out", 0, 256 * mib}});
  CHECK(microseconds(whole) == Approx(15500).epsilon(0.02));
  CHECK(whole.seconds / overlapped(4, 1.2).seconds == Approx(2.55).epsilon(0.05));
  CHECK(overlapped(16, 1.2, true).seconds > whole.seconds);
}

TEST_CASE("predicted zero-copy reads, writes and copies come near the measured ones", "[predict][link]") {
  struct Example {
    std::vector<Op> ops;
    std::uint64_t offset;
    unsigned elements_per_thread;
    double gb_per_s;
  };
  for (const auto& [ops, offset, elements_per_thread, gb_per_s] :
       {Example{read, 0, 4, 51.2}, Example{write, 0, 4, 52.4}, Example{copy, 0, 4, 82.5}, Example{read, 1, 4, 47.5},
        Example{write, 1, 4, 39}, Example{write, 1, 1, 48.8}, Example{copy, 1, 4, 61.5}}) {
    INFO(ops.size() << " sites, the first " << to_string(ops.front()) << ", offset " << offset << ", "
                    << elements_per_thread << " elements per thread");
    const Prediction prediction = Kernel{.offset = offset, .elements_per_thread = elements_per_thread}.predict(ops);
    CHECK(prediction.bytes_per_s / 1e9 == Approx(gb_per_s).epsilon(0.1));
    CHECK(prediction.bottleneck == "pcie");
    CHECK(prediction.timeline.empty());
  }
}

TEST_CASE("predicted zero-copy strides come near the measured ones", "[predict][link]") {
  struct Example {
    std::uint64_t stride, word_bytes;
    double read_us, write_us;  // over a span of 64 MiB
  };
  for (const auto& [stride, word_bytes, read_us, write_us] :
       {Example{2, 4, 1311, 16790}, Example{4, 4, 1311, 8399}, Example{8, 4, 1312, 4205}, Example{12, 4, 1130, 2460},
        Example{16, 4, 1154, 1412}, Example{24, 4, 799, 891}, Example{32, 4, 727, 967}, Example{64, 4, 361, 619},
        Example{2, 16, 1312, 4201}, Example{4, 16, 1155, 1356}, Example{8, 16, 737, 990}, Example{16, 16, 365, 623}}) {
    INFO("stride " << stride << ", " << word_bytes << "-byte words");
    const Kernel kernel{.stride = stride, .word_bytes = word_bytes};
    CHECK(microseconds(kernel.predict(read)) == Approx(read_us).epsilon(0.2));
    CHECK(microseconds(kernel.predict(write)) == Approx(write_us).epsilon(0.32));
  }
}

TEST_CASE("mapped memory is reached over the link and nowhere else", "[predict][link]") {
  for (const std::uint64_t span : {16 * kib, 64 * mib}) {
    for (const auto& ops : {read, write, copy}) {
      const Prediction prediction = Kernel{.span_bytes = span}.predict(ops);
      CHECK_FALSE(prediction.cache_resident);
      CHECK(prediction.demand.footprint_bytes == 0);
      CHECK(stage(prediction, "pcie") > 0);
      for (const char* other : {"l2_sectors", "l2_lines", "dram"}) CHECK(stage(prediction, other) == 0);
    }
  }
  // The time of a small span does not depend on its size: it is a launch without device memory to wake, and the latency
  // of the first load. Stores are posted, so they add no latency.
  CHECK(microseconds(Kernel{.span_bytes = 4 * kib}.predict(read)) == Approx(1.7 + 1.4).epsilon(0.1));
  CHECK(microseconds(Kernel{.span_bytes = 4 * kib}.predict(write)) == Approx(1.7).epsilon(0.1));
}

TEST_CASE("a kernel may load from the host and store to the device", "[predict][link]") {
  Workload workload = Kernel{}.workload(read);
  workload.sites.push_back(Kernel{.space = Space::global}.site(Op::store));
  workload.useful_bytes_written = workload.useful_bytes_read;
  const Prediction prediction = predict(workload, h200());
  CHECK(prediction.seconds == Approx(Kernel{}.predict(read).seconds));
  CHECK(prediction.demand.dram.write_bytes == 64.0 * mib);
  CHECK(stage(prediction, "dram") > 0);
  CHECK(prediction.bottleneck == "pcie");

  // Not even when what it touches of the device's memory fits in L2.
  Workload small = Kernel{.span_bytes = mib}.workload(read);
  small.sites.push_back(Kernel{.span_bytes = mib, .space = Space::global}.site(Op::store));
  CHECK_FALSE(predict(small, h200()).cache_resident);
}

TEST_CASE("where the device shares the host's memory, mapped memory is device memory", "[predict][link]") {
  Profile integrated = h200();
  integrated.device.integrated = true;
  for (const auto& ops : {read, write, copy}) {
    const Prediction mapped = predict(Kernel{}.workload(ops), integrated);
    const Prediction global = predict(Kernel{.space = Space::global}.workload(ops), h200());
    CHECK(mapped.seconds == global.seconds);
    CHECK(mapped.bottleneck == global.bottleneck);
    CHECK(stage(mapped, "pcie") == 0);
  }
  CHECK(predict(Kernel{.span_bytes = mib}.workload(read), integrated).cache_resident);
}

TEST_CASE("launches among operations take what one launch does, each time", "[predict][link]") {
  Workload mapped = Kernel{}.workload(read);
  const double once = predict(mapped, h200()).seconds;
  const double pcie = stage(predict(mapped, h200()), "pcie");
  mapped.operations = {{Work::launch, "kernel", 0}};
  CHECK(predict(mapped, h200()).seconds == Approx(once));
  mapped.operations.front().count = 4;
  CHECK(predict(mapped, h200()).seconds == Approx(4 * once));
  CHECK(stage(predict(mapped, h200()), "pcie") == Approx(4 * pcie));

  // Copied first, the passes run from device memory, and the copy is what takes the time.
  Workload copied = Kernel{.space = Space::global}.workload(read);
  const double pass = predict(copied, h200()).seconds;
  copied.operations = {{Work::copy_to_device, "copy in", 0, 64 * mib}, {Work::launch, "kernel", 0}};
  const Prediction prediction = predict(copied, h200());
  CHECK(microseconds(prediction) == Approx(1212 + pass * 1e6).epsilon(0.01));
  CHECK(prediction.bottleneck == "pcie");
  CHECK(stage(prediction, "dram") > 0);
  // Read once, mapped and copied come to nearly the same; read twice, copying pays.
  copied.operations.back().count = mapped.operations.front().count = 2;
  CHECK(predict(copied, h200()).seconds < 0.6 * predict(mapped, h200()).seconds);
}

TEST_CASE("every kind of work over the link is predicted on every profile", "[predict][link]") {
  for (const std::string& name : profile_names()) {
    const Profile profile = load_profile(name);
    for (const unsigned engines : {0U, 1U, 2U}) {
      Profile with = profile;
      with.device.copy_engines = engines;
      for (unsigned work = 0; work <= static_cast<unsigned>(Work::busy_host); ++work) {
        for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{4}, gib}) {
          for (const std::uint64_t pieces : {1U, 1000U}) {
            for (const bool pageable : {false, true}) {
              INFO(name << ", " << engines << " engines, work " << work << ", " << bytes << " bytes in " << pieces);
              Workload workload = Kernel{}.workload(read);
              workload.operations = {{static_cast<Work>(work), "work", 0, bytes, pieces, pageable}};
              workload.clock = test::clock_of(workload.operations);
              const Prediction prediction = predict(workload, with);
              CHECK(std::isfinite(prediction.seconds));
              CHECK((prediction.seconds > 0 || (bytes == 0 && workload.clock == measure::Clock::device)));
              for (const StageTime& time : prediction.stages) CHECK((std::isfinite(time.seconds) && time.seconds >= 0));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("a slower link is predicted to be slower in all it does", "[predict][link]") {
  const Profile v100 = load_profile("v100");
  for (const auto& ops : {read, write, copy}) {
    for (const std::uint64_t stride : {1U, 2U, 8U, 32U}) {
      const Workload workload = Kernel{.stride = stride}.workload(ops);
      CHECK(predict(workload, v100).seconds > 3 * predict(workload, h200()).seconds);
    }
  }
  Workload pinned;
  pinned.useful_bytes_read = gib;
  pinned.operations = {{Work::copy_to_device, "copy in", 0, gib}};
  CHECK(predict(pinned, v100).bytes_per_s / 1e9 == Approx(12).epsilon(0.01));
}

}  // namespace gpumem::model::test_predict_link
