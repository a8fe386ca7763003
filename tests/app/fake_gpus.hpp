#pragma once
// A machine of several GPUs without any: each is the model of an H200 in a thread, which takes what is predicted for
// measured, and is reached as a process would be.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/run/backend.hpp"
#include "app/run/case_records.hpp"
#include "app/run/side_by_side.hpp"
#include "app/run/worker.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::app::test {

/// Thrown by a process that dies.
struct Died {};

/// Lines one way, from one thread to another.
class LineQueue {
 public:
  void put(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(line);
    changed_.notify_one();
  }
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_one();
  }
  std::optional<std::string> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !lines_.empty(); });
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool closed_ = false;
};

/// One end of two of these.
class ThreadEnd : public Connection {
 public:
  ThreadEnd(LineQueue& in, LineQueue& out) : in_(in), out_(out) {}
  void send_line(const std::string& text) override { out_.put(text); }
  [[nodiscard]] std::optional<std::string> receive_line() override { return in_.take(); }
  void end() override { out_.close(); }

 private:
  LineQueue& in_;
  LineQueue& out_;
};

using OpenGpu = std::function<std::unique_ptr<Backend>(const MeasureOptions&)>;

/// The parent's end, with who answers.
class ThreadConnection final : public Connection {
 public:
  ThreadConnection(std::function<bool()> interrupted, OpenGpu open)
      : own_(answers_, requests_), thread_([this, interrupted = std::move(interrupted), open = std::move(open)] {
          ThreadEnd parent(requests_, answers_);
          try {
            serve(parent, interrupted, open);
          } catch (const Died&) {
          }
          answers_.close();
        }) {}
  ~ThreadConnection() override {
    end();
    thread_.join();
  }
  ThreadConnection(const ThreadConnection&) = delete;
  ThreadConnection& operator=(const ThreadConnection&) = delete;

  void send_line(const std::string& text) override { own_.send_line(text); }
  [[nodiscard]] std::optional<std::string> receive_line() override { return own_.receive_line(); }
  void end() override { own_.end(); }
  [[nodiscard]] std::string end_in_words() override { return "killed by signal 9 (Killed)"; }

 private:
  LineQueue requests_;
  LineQueue answers_;
  ThreadEnd own_;
  std::thread thread_;
};

/// Called on a GPU while a case runs; may change the case's record.
using OnGpu = std::function<void(std::uint64_t gpu, const Case& tested, report::Record& record)>;

/// Stands for all GPUs of a node if the device has no index.
class FakeGpu final : public Backend {
 public:
  FakeGpu(Device device, const MeasureOptions& options, OnGpu before, OnGpu after)
      : device_(std::move(device)),
        options_(options),
        before_(std::move(before)),
        after_(std::move(after)),
        model_(make_model_backend(model::load_profile(device_.index ? "h200" : "h200x8"))) {}

  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] const Device& device() const override { return device_; }
  [[nodiscard]] std::optional<std::string> profile() const override { return model_->profile(); }
  [[nodiscard]] std::optional<std::string> profile_source() const override { return model_->profile_source(); }
  [[nodiscard]] double trial(const Case& tested) override { return model_->trial(tested); }
  [[nodiscard]] report::Record run(const Case& tested) override {
    report::Record record = model_->run(tested);
    const std::uint64_t gpu = device_.index.value_or(0);
    before_(gpu, tested, record);
    options_.before_timing(describe(tested, device_.index ? device_ : model_->device()));
    if (options_.interrupted()) throw Interrupted{};
    record.verified = true;
    record.headline.measured = record.headline.predicted;
    record.time = report::examples::time_record(record.predicted_s.value_or(1e-3), 10);
    after_(gpu, tested, record);
    return record;
  }
  [[nodiscard]] std::optional<std::string> count(std::span<const Case> /*cases*/,
                                                 std::span<report::Record> records) override {
    if (options_.counting == measure::Counting::off) return std::nullopt;
    for (report::Record& record : records) {
      record.counters.emplace();
      for (report::SiteRecord& site : record.access) {
        for (report::CostRecord& cost : site.costs) cost.per_request.counted = cost.per_request.predicted;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<report::HostPlacement> host_placement() const override {
    if (!device_.numa_node) return std::nullopt;
    return report::HostPlacement{.numa_node = device_.numa_node, .how = "bound to the GPU's node"};
  }
  [[nodiscard]] std::vector<std::string> watched_flags() const override {
    return {"cache_resident", "contended", "counts_differ", "ecc_errors", "link_degraded", "throttled"};
  }

 private:
  Device device_;
  MeasureOptions options_;
  OnGpu before_;
  OnGpu after_;
  std::unique_ptr<Backend> model_;
};

/// So many GPUs, and what is wrong with them. Their host memory is bound to no node, or to that of `Device::numa_node`.
struct FakeMachine {
  explicit FakeMachine(unsigned count) {
    const model::Profile node = model::load_profile("h200x8");
    for (unsigned i = 0; i < count; ++i) {
      Device device = node.gpus.at(i);
      device.links.resize(count);
      device.uuid = "GPU-0000000" + std::to_string(i) + "-aaaa-bbbb-cccc-0123456789ab";
      device.pci_bus_id = "00000000:0" + std::to_string(i) + ":00.0";
      device.numa_node.reset();
      gpus.push_back(std::move(device));
    }
  }

  [[nodiscard]] std::unique_ptr<Backend> measure(const MeasureOptions& options, std::span<const Device> chosen) {
    return make_side_by_side_backend(options, chosen, [this, options](const Device& gpu) -> Connect {
      return [this, options, gpu] {
        ++started;
        return std::make_unique<ThreadConnection>(options.interrupted, [this, gpu](const MeasureOptions& own) {
          if (!gpu.index)
            return std::make_unique<FakeGpu>(
                gpu, own, [](auto...) {}, between);
          opening(*gpu.index);
          return std::make_unique<FakeGpu>(gpu, own, before, after);
        });
      };
    });
  }

  std::vector<Device> gpus;
  std::function<void(std::uint64_t gpu)> opening = [](std::uint64_t) {};  ///< may throw
  OnGpu before = [](std::uint64_t, const Case&, report::Record&) {};      ///< a case is ready; may throw
  OnGpu after = [](std::uint64_t, const Case&, report::Record&) {};       ///< it was timed
  OnGpu between = [](std::uint64_t, const Case&, report::Record&) {};     ///< a case between GPUs was timed; may throw
  unsigned started = 0;                                                   ///< processes
};

/// Makes a measured case slower or faster.
inline void scale(report::Record& record, double speed) {
  const bool more = record.headline.better != Better::less;
  if (record.headline.measured) *record.headline.measured *= more ? speed : 1 / speed;
  if (record.fraction_of_peak) *record.fraction_of_peak *= speed;
}

}  // namespace gpumem::app::test
