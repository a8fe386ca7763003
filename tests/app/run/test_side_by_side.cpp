// Several GPUs measured at the same time, with threads in place of processes and GPUs.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "app/run/device_list.hpp"
#include "app/run/side_by_side.hpp"
#include "tests/app/fake_gpus.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_side_by_side {

namespace {

using namespace test;
using Texts = std::vector<std::string>;

/// So many copies from page-locked memory on each of the GPUs, in the order of a plan.
std::vector<Case> transfers(std::uint64_t count, std::uint64_t gpus) {
  const Probe& probe = *find_probe("transfer");
  std::vector<Case> cases;
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::uint64_t gpu = 0; gpu < gpus; ++gpu) {
      cases.push_back({.probe = &probe,
                       .parameters = {{"size_bytes", std::uint64_t{1} << (20U + i)},
                                      {"host_memory", "pinned"},
                                      {"direction", "to-host"},
                                      {"device", gpu}}});
    }
  }
  return cases;
}

/// The sets of GPUs that are timed at the same time: call it while a case is timed. It waits until as many are timed as
/// may be.
class AtOnce {
 public:
  explicit AtOnce(std::size_t expected) : expected_(expected) {}

  void operator()(std::uint64_t gpu) {
    std::unique_lock lock(mutex_);
    inside_.insert(gpu);
    seen_.insert(inside_);
    ++arrived_;
    changed_.notify_all();
    // Long, so that one who should not be there would come.
    changed_.wait_for(lock, std::chrono::milliseconds(expected_ > 1 ? 10'000 : 5),
                      [&] { return expected_ > 1 && arrived_ % expected_ == 0; });
    inside_.erase(gpu);
  }

  /// The most that were there together.
  [[nodiscard]] std::size_t most() const { return std::ranges::max(seen_, {}, &std::set<std::uint64_t>::size).size(); }
  /// Returns true if these two were ever timed at the same time.
  [[nodiscard]] bool met(std::uint64_t one, std::uint64_t other) const {
    return std::ranges::any_of(seen_,
                               [&](const auto& inside) { return inside.contains(one) && inside.contains(other); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::size_t expected_;
  std::size_t arrived_ = 0;
  std::set<std::uint64_t> inside_;
  std::set<std::set<std::uint64_t>> seen_;
};

/// So many offsets on each of the GPUs, in the order of a plan.
std::vector<Case> offsets(std::uint64_t count, std::uint64_t gpus) {
  const Probe& probe = *find_probe("offset");
  std::vector<Case> cases;
  for (std::uint64_t offset = 0; offset < count; ++offset) {
    for (std::uint64_t gpu = 0; gpu < gpus; ++gpu) {
      cases.push_back({.probe = &probe,
                       .parameters = {{"offset_elements", offset},
                                      {"op", "read"},
                                      {"word_bytes", std::uint64_t{4}},
                                      {"elements_per_thread", std::uint64_t{1}},
                                      {"block_threads", std::uint64_t{256}},
                                      {"buffer_bytes", std::uint64_t{1} << 28U},
                                      {"device", gpu}}});
    }
  }
  return cases;
}

std::unique_ptr<Backend> open(FakeMachine& machine, const MeasureOptions& options = {}) {
  return machine.measure(options, devices_of("all", machine.gpus));
}

MeasureOptions in_turns() {
  MeasureOptions options;
  options.host_in_turns = true;
  return options;
}

std::vector<report::Record> run_all(Backend& backend, const std::vector<Case>& cases) {
  backend.expect(cases);
  std::vector<report::Record> records;
  for (const Case& tested : cases) records.push_back(backend.run(tested));
  return records;
}

std::string gpu_6() { return "GPU 6 (00000000:06:00.0, GPU-00000006-aaaa-bbbb-cccc-0123456789ab): "; }

bool is_sixth(std::uint64_t gpu, const Case& tested, std::uint64_t offset) {
  return gpu == 6 && tested.number("offset_elements") == offset;
}

}  // namespace

TEST_CASE("the option --device takes all or a list, and says what is wrong with one", "[gpus]") {
  CHECK(device_list("all") == Texts{"all"});
  CHECK(device_list("0,GPU-1,00000000:41:00.0") == Texts{"0", "GPU-1", "00000000:41:00.0"});
  for (const char* text : {"", ",", "0,", ",0", "0,,1"}) {
    CHECK(error_of([&] { static_cast<void>(device_list(text)); }) ==
          std::string("--device: '") + text + "' has an empty place in its list; give all, or a list such as 0,2");
  }
  CHECK(error_of([] { static_cast<void>(device_list("all,0")); }) ==
        "--device: 'all' stands alone, and not in 'all,0'");
  CHECK(may_be_several("all"));
  CHECK(may_be_several("0,1"));
  CHECK_FALSE(may_be_several("0"));
  CHECK_FALSE(may_be_several("GPU-all"));
}

TEST_CASE("GPUs of a list are found by any of their names, each once", "[gpus]") {
  const FakeMachine machine(3);
  const auto indices = [&](const std::string& text) {
    std::vector<unsigned> found;
    for (const Device& device : devices_of(text, machine.gpus)) found.push_back(device.index.value());
    return found;
  };
  CHECK(indices("all") == std::vector<unsigned>{0, 1, 2});
  CHECK(indices("2,GPU-00000000,01:00.0") == std::vector<unsigned>{2, 0, 1});
  CHECK(error_of([&] { static_cast<void>(indices("1,0,01:00.0")); }) == "--device: '1,0,01:00.0' names GPU 1 twice");
  CHECK(error_of([&] { static_cast<void>(indices("0,3")); }, ErrorKind::no_gpu).starts_with("no GPU 3: this machine"));
}

TEST_CASE("cases that differ in nothing but the GPU are all ready before the first is timed", "[gpus]") {
  FakeMachine machine(8);
  std::atomic<unsigned> ready = 0;
  std::atomic<unsigned> early = 0;
  machine.before = [&](std::uint64_t, const Case&, report::Record&) { ++ready; };
  machine.after = [&](std::uint64_t, const Case& tested, report::Record&) {
    if (ready < 8 * (tested.number("offset_elements") + 1)) ++early;
  };
  const auto backend = open(machine);
  const std::vector<Case> cases = offsets(3, 8);
  const auto records = run_all(*backend, cases);
  CHECK(early == 0);
  CHECK(ready == 24);
  REQUIRE(records.size() == 24);
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(records[i].parameters == cases[i].parameters);
    CHECK(records[i].across == "device");
    CHECK(records[i].ran());
  }
  CHECK(machine.started == 8);
  CHECK(backend->side_by_side() == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  REQUIRE(backend->devices().size() == 8);
  CHECK(backend->devices()[5].index == 5U);
  CHECK(backend->devices()[5].uuid == machine.gpus[5].uuid);
  CHECK(backend->profile() == "h200");
  CHECK(backend->profile_source() == "shipped");
}

TEST_CASE("GPUs take turns with the host that they share, and with nothing else", "[gpus]") {
  for (const unsigned gpus : {2U, 4U, 8U}) {
    FakeMachine machine(gpus);
    AtOnce with_host(1);
    AtOnce without(gpus);
    std::atomic<unsigned> ready = 0;
    std::atomic<unsigned> early = 0;
    machine.before = [&](std::uint64_t, const Case&, report::Record&) { ++ready; };
    machine.after = [&](std::uint64_t gpu, const Case& tested, report::Record&) {
      if (ready % gpus != 0) ++early;
      (tested.probe->name == "transfer" ? with_host : without)(gpu);
    };
    const auto backend = open(machine, in_turns());
    const auto copies = run_all(*backend, transfers(2, gpus));
    CHECK(with_host.most() == 1);
    for (const report::Record& record : copies) CHECK((record.ran() && record.host_shared_by == 1U));
    const auto local = run_all(*backend, offsets(2, gpus));
    CHECK(without.most() == gpus);
    for (const report::Record& record : local) CHECK((record.ran() && !record.host_shared_by));
    CHECK(early == 0);  // making ready disturbs nobody
  }
}

TEST_CASE("without turns GPUs show what they share of the host", "[gpus]") {
  FakeMachine machine(4);
  AtOnce all(4);
  machine.after = [&](std::uint64_t gpu, const Case&, report::Record&) { all(gpu); };
  for (const report::Record& record : run_all(*open(machine), transfers(1, 4))) CHECK(record.host_shared_by == 4U);
  CHECK(all.most() == 4);
}

TEST_CASE("GPUs of two sockets take turns with those of their own", "[gpus]") {
  FakeMachine machine(4);
  SECTION("each bound to the node of its GPU") {
    for (unsigned i = 0; i < 4; ++i) machine.gpus[i].numa_node = i / 2;
    AtOnce two(2);
    machine.after = [&](std::uint64_t gpu, const Case&, report::Record&) { two(gpu); };
    const auto records = run_all(*open(machine, in_turns()), transfers(2, 4));
    for (const report::Record& record : records) CHECK(record.host_shared_by == 1U);
    CHECK(two.most() == 2);
    CHECK(two.met(0, 2));
    CHECK(two.met(1, 3));
    CHECK_FALSE(two.met(0, 1));
    CHECK_FALSE(two.met(2, 3));
  }
  SECTION("one not bound, so that its memory may lie on either") {
    for (unsigned i = 0; i < 3; ++i) machine.gpus[i].numa_node = i / 2;
    AtOnce one(1);
    machine.after = [&](std::uint64_t gpu, const Case&, report::Record&) { one(gpu); };
    static_cast<void>(run_all(*open(machine, in_turns()), transfers(1, 4)));
    CHECK(one.most() == 1);
  }
}

TEST_CASE("a GPU that dies in its turn takes nobody else's", "[gpus]") {
  FakeMachine machine(4);
  machine.after = [](std::uint64_t gpu, const Case&, report::Record&) {
    if (gpu == 1) throw Died{};
  };
  const auto records = run_all(*open(machine, in_turns()), transfers(1, 4));
  for (std::size_t i = 0; i < records.size(); ++i) CHECK(records[i].ran() == (i != 1));
}

TEST_CASE("a case that nobody expected runs alone", "[gpus]") {
  FakeMachine machine(2);
  const auto backend = open(machine);
  const auto cases = offsets(1, 2);
  CHECK(backend->run(cases[1]).ran());
  CHECK(backend->run(cases[1]).ran());
}

TEST_CASE("a process that dies fails its GPU's case alone, and another one goes on", "[gpus]") {
  FakeMachine machine(8);
  SECTION("before the case is timed") {
    machine.before = [&](std::uint64_t gpu, const Case& tested, report::Record&) {
      if (is_sixth(gpu, tested, 1)) throw Died{};
    };
  }
  SECTION("while it is timed") {
    machine.after = [&](std::uint64_t gpu, const Case& tested, report::Record&) {
      if (is_sixth(gpu, tested, 1)) throw Died{};
    };
  }
  const auto backend = open(machine);
  const auto records = run_all(*backend, offsets(3, 8));
  for (std::size_t i = 0; i < records.size(); ++i) CHECK(records[i].ran() == (i != 8 + 6));
  CHECK(records[8 + 6].reason ==
        gpu_6() + "the process that measures ended without an answer: killed by signal 9 (Killed)");
  CHECK(machine.started == 9);
}

TEST_CASE("a process that somebody ends fails its case alone, and another one goes on", "[gpus]") {
  FakeMachine machine(8);
  machine.before = [&](std::uint64_t gpu, const Case& tested, report::Record&) {
    if (is_sixth(gpu, tested, 0)) throw Interrupted{};
  };
  const auto backend = open(machine);
  const auto records = run_all(*backend, offsets(2, 8));
  CHECK(records[6].reason == gpu_6() + "the process that measures was told to end");
  CHECK(std::ranges::count_if(records, &report::Record::ran) == 15);
  CHECK(machine.started == 9);
}

TEST_CASE("what one GPU cannot do fails or skips its cases alone, and names it", "[gpus]") {
  FakeMachine machine(8);
  machine.before = [&](std::uint64_t gpu, const Case& tested, report::Record&) {
    if (is_sixth(gpu, tested, 0)) throw probe_error("out of memory");
    if (is_sixth(gpu, tested, 1)) throw missing_capability_error("no such thing");
  };
  machine.after = [&](std::uint64_t gpu, const Case& tested, report::Record& record) {
    if (!is_sixth(gpu, tested, 2)) return;
    record.verified = false;
    record.status = report::Status::failed;
    record.reason = "wrong data";
  };
  const auto backend = open(machine);
  const auto records = run_all(*backend, offsets(3, 8));
  CHECK(records[6].status == report::Status::failed);
  CHECK(records[6].reason == gpu_6() + "out of memory");
  CHECK(records[14].status == report::Status::skipped);
  CHECK(records[14].reason == gpu_6() + "no such thing");
  CHECK(records[22].verified == false);
  CHECK(records[22].reason == gpu_6() + "wrong data");
  CHECK(std::ranges::count_if(records, &report::Record::ran) == 21);
}

TEST_CASE("a GPU that somebody else holds fails its cases, and shapes are chosen on another", "[gpus]") {
  FakeMachine machine(3);
  machine.opening = [](std::uint64_t gpu) {
    if (gpu == 0) throw no_gpu_error("cannot use GPU 0: exclusive");
  };
  const auto backend = open(machine);
  const auto cases = offsets(1, 3);
  CHECK(backend->device().uuid == machine.gpus[1].uuid);
  CHECK(backend->trial(cases[0]) > 0);
  const auto records = run_all(*backend, cases);
  CHECK(records[0].status == report::Status::failed);
  CHECK(records[0].reason.value().find("GPU-00000000-") != std::string::npos);
  CHECK(records[0].reason.value().ends_with("cannot use GPU 0: exclusive"));
  CHECK(records[1].ran());
  CHECK(records[2].ran());
}

TEST_CASE("when no GPU can be opened, or one lacks what is required, nothing runs", "[gpus]") {
  FakeMachine machine(2);
  machine.opening = [](std::uint64_t) { throw no_gpu_error("held"); };
  CHECK(error_of([&] { static_cast<void>(open(machine)); }, ErrorKind::no_gpu)
            .ends_with("-aaaa-bbbb-cccc-0123456789ab): held"));
  machine.opening = [](std::uint64_t gpu) {
    if (gpu == 1) throw missing_capability_error("no permission to count");
  };
  CHECK(error_of([&] { static_cast<void>(open(machine)); }, ErrorKind::missing_capability).starts_with("GPU 1 ("));
  machine.opening = [](std::uint64_t) { throw usage_error("--numa: there is no node 9"); };
  CHECK(error_of([&] { static_cast<void>(open(machine)); }) == "--numa: there is no node 9");
}

TEST_CASE("every GPU counts its own cases, and one that cannot is named once", "[gpus]") {
  FakeMachine machine(3);
  MeasureOptions options;
  options.counting = measure::Counting::if_possible;
  const auto backend = open(machine, options);
  const auto cases = offsets(2, 3);
  auto records = run_all(*backend, cases);
  CHECK_FALSE(backend->count(cases, records));
  for (const report::Record& record : records) CHECK(record.counters);
  CHECK(records[4].parameters == cases[4].parameters);
  CHECK(records[4].across == "device");

  options.counting = measure::Counting::off;
  records = run_all(*backend, cases);
  CHECK_FALSE(open(machine, options)->count(cases, records));
  CHECK_FALSE(records[0].counters);
}

TEST_CASE("an interrupt ends the case that runs, on every GPU", "[gpus]") {
  FakeMachine machine(4);
  std::atomic<bool> interrupted = false;
  MeasureOptions options;
  options.interrupted = [&] { return interrupted.load(); };
  machine.before = [&](std::uint64_t, const Case& tested, report::Record&) {
    if (tested.number("offset_elements") == 1) interrupted = true;
  };
  const auto backend = open(machine, options);
  const auto cases = offsets(2, 4);
  backend->expect(cases);
  for (std::size_t i = 0; i < 4; ++i) CHECK(backend->run(cases[i]).ran());
  CHECK_THROWS_AS(backend->run(cases[4]), Interrupted);
}

TEST_CASE("an answer that is none ends the process and fails the case", "[gpus]") {
  class Garbage final : public Connection {
   public:
    void send_line(const std::string&) override {}
    [[nodiscard]] std::optional<std::string> receive_line() override { return "[hello"; }
  };
  const FakeMachine machine(2);
  const auto connect = [](const Device&) -> Connect { return [] { return std::make_unique<Garbage>(); }; };
  CHECK(error_of([&] { static_cast<void>(make_side_by_side_backend({}, devices_of("all", machine.gpus), connect)); },
                 ErrorKind::probe_failed)
            .find("an answer that is none") != std::string::npos);
}

}  // namespace gpumem::app::test_side_by_side
