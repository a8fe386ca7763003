#include "app/run/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "app/run/case_records.hpp"
#include "app/run/worker.hpp"
#include "engine/base/error.hpp"
#include "report/record/gpus.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Returns the case without its GPU, as the process that measures on that GPU knows it.
Case alone(Case tested) {
  std::erase_if(tested.parameters,
                [](const Parameter& parameter) { return parameter.name == report::device_parameter; });
  return tested;
}

/// True if two cases are the same but for the GPU.
bool alike(const Case& left, const Case& right) {
  return left.probe == right.probe &&
         std::ranges::equal(left.parameters, right.parameters, [](const Parameter& a, const Parameter& b) {
           return a == b || (a.name == report::device_parameter && b.name == a.name);
         });
}

/// A GPU, and the process that measures on it.
struct Gpu {
  Gpu(const MeasureOptions& common, const Device& known, const Connect& connect)
      : device(known), options(common), worker(options, connect) {
    options.device = known.uuid.value_or(std::to_string(known.index.value_or(0)));
    if (!std::exchange(options.links, false)) device.links.clear();
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  void learn(const report::Report& known) {
    if (known.device) {
      Device seen = *known.device;
      seen.index = device.index;
      seen.links = std::move(device.links);  // which a process that sees one GPU does not know
      device = std::move(seen);
    }
    profile = known.profile;
    profile_source = known.profile_source;
    if (known.host_placement) placement = known.host_placement;
    if (known.watched) watched.insert(known.watched->begin(), known.watched->end());
    open = true;
  }

  /// Returns an error that names this GPU among the others.
  [[nodiscard]] Error named(const Error& error) const {
    return {error.kind(), report::gpu_identity(*device.index, device) + ": " + error.what()};
  }

  Device device;
  MeasureOptions options;
  Worker worker;
  std::optional<std::string> profile;
  std::optional<std::string> profile_source;
  std::optional<report::HostPlacement> placement;
  std::set<std::string> watched;
  bool open = false;  ///< it could be used when it was last asked for something

  /// A case that was begun, and its answer or failure; neither while it still waits for go().
  struct Begun {
    Case tested;
    std::optional<std::uint64_t> host_shared_by = {};
    std::optional<Worker::Answer> answer = {};
    std::exception_ptr failure = {};
  };
  std::optional<Begun> begun;
};

/// A GPU whose case could be timed now.
struct Waiting {
  Gpu* gpu = nullptr;
  Worker::Ready ready;
};

/// Returns rounds of GPUs that are timed at the same time: all in one round, or in each round one GPU of each part of
/// the host. GPUs whose host memory is bound to different nodes share neither host memory nor a processor. If a GPU is
/// not bound, it is unknown what it shares, and all of them take turns.
std::vector<std::vector<Gpu*>> in_rounds(std::span<const Waiting> all, bool host_in_turns) {
  const auto bound = [](const Waiting& waiting) { return waiting.ready.numa_node.has_value(); };
  const auto uses_host = [](const Waiting& waiting) { return waiting.ready.uses_host; };
  const bool by_node = std::ranges::all_of(all, bound);
  const bool turns = host_in_turns && std::ranges::any_of(all, uses_host);
  std::vector<std::vector<Gpu*>> rounds;
  std::map<unsigned, std::size_t> next;  // round of a node
  for (const Waiting& waiting : all) {
    const std::size_t round = turns ? next[by_node ? *waiting.ready.numa_node : 0]++ : 0;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(waiting.gpu);
  }
  return rounds;
}

/// Returns the share of its time that a GPU gets in its turn, so that all turns together take no more than twice the
/// time of one.
double turn_share(std::size_t turns) { return turns > 2 ? 2.0 / static_cast<double>(turns) : 1.0; }

class SideBySide final : public Backend {
 public:
  SideBySide(const MeasureOptions& options, std::span<const Device> gpus,
             const std::function<Connect(const Device&)>& connect)
      : options_(options), between_(options, gpus.front(), connect(Device{})) {
    between_.options.counting = measure::Counting::off;
    for (const Device& device : gpus) gpus_.emplace_back(options, device, connect(device));
    for (Gpu& gpu : gpus_) gpu.worker.begin_open();
    std::optional<Error> refusal;
    for (Gpu& gpu : gpus_) {
      try {
        gpu.learn(gpu.worker.finish().known);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::usage) throw;
        if (error.kind() == ErrorKind::missing_capability) throw gpu.named(error);
        if (!refusal) refusal = gpu.named(error);
      }
    }
    if (std::ranges::none_of(gpus_, &Gpu::open)) throw Error(*refusal);
    if (options.links) between_.worker.wake();
  }
  ~SideBySide() override {
    for (Gpu& gpu : gpus_) gpu.worker.end();  // all at once; each is then waited for
  }
  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;

  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] const Device& device() const override { return gpus_[speaker()].device; }
  [[nodiscard]] std::vector<Device> devices() const override {
    std::vector<Device> all;
    for (const Gpu& gpu : gpus_) all.push_back(gpu.device);
    return all;
  }
  [[nodiscard]] std::vector<std::uint64_t> side_by_side() const override {
    std::vector<std::uint64_t> all;
    for (const Gpu& gpu : gpus_) all.push_back(*gpu.device.index);
    return all;
  }
  [[nodiscard]] std::optional<std::string> profile() const override { return gpus_[speaker()].profile; }
  [[nodiscard]] std::optional<std::string> profile_source() const override { return gpus_[speaker()].profile_source; }

  /// Shapes are chosen on one GPU for all, so that GPUs can be compared.
  [[nodiscard]] double trial(const Case& tested) override {
    Gpu& gpu = gpus_[speaker()];
    try {
      return gpu.worker.trial(alone(tested));
    } catch (const Error& error) {
      gpu.open = gpu.worker.is_there();
      throw gpu.named(error);
    }
  }

  void expect(std::span<const Case> cases) override { expected_.assign(cases.begin(), cases.end()); }

  [[nodiscard]] report::Record run(const Case& decided) override {
    Gpu& gpu = gpu_of(decided);
    if (!gpu.begun || gpu.begun->tested.parameters != decided.parameters) run_on_all(decided);
    Gpu::Begun begun = std::move(*gpu.begun);
    gpu.begun.reset();
    try {
      if (begun.failure) std::rethrow_exception(begun.failure);
      gpu.learn(begun.answer->known);
      report::Record record = std::move(begun.answer->known.results.at(0));
      record.parameters = decided.parameters;
      record.host_shared_by = begun.host_shared_by;
      if (&gpu == &between_) return record;  // whose reason names the GPUs
      record.across = report::device_parameter;
      if (record.reason) record.reason->insert(0, report::gpu_identity(*gpu.device.index, gpu.device) + ": ");
      return record;
    } catch (const Error& error) {
      gpu.open = gpu.worker.is_there() && concerns_case_alone(error);
      return failed_record(decided, &gpu == &between_ ? named(decided, error) : gpu.named(error));
    }
  }

  [[nodiscard]] bool has_run(const Case& decided) const override {
    if (decided.probe->gpus) return false;
    const std::uint64_t index = decided.number(report::device_parameter);
    return std::ranges::any_of(gpus_, [&](const Gpu& gpu) {
      return gpu.device.index == index && gpu.begun && gpu.begun->tested.parameters == decided.parameters;
    });
  }

  void use_stopping_rule(const measure::StoppingRule& rule) override {
    for (Gpu& gpu : gpus_) gpu.options.stopping = rule;
    between_.options.stopping = rule;
  }

  [[nodiscard]] std::optional<std::string> count(std::span<const Case> cases,
                                                 std::span<report::Record> records) override {
    std::vector<std::pair<Gpu*, std::vector<std::size_t>>> counting;
    for (Gpu& gpu : gpus_) {
      std::vector<std::size_t> own;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        if (&gpu_of(cases[i]) == &gpu && records[i].ran()) own.push_back(i);
      }
      if (own.empty() || gpu.options.counting == measure::Counting::off) continue;
      std::vector<Case> wanted;
      std::vector<report::Record> known;
      for (const std::size_t i : own) {
        wanted.push_back(alone(cases[i]));
        known.push_back(records[i]);
      }
      gpu.worker.begin_count(wanted, known);
      counting.emplace_back(&gpu, std::move(own));
    }
    std::optional<std::string> problem;
    for (const auto& [gpu, own] : counting) {
      const auto found = counted(*gpu, own, records);
      if (!problem) problem = found;
    }
    return problem;
  }

  /// Returns the placement of all GPUs or, if they differ, words that say so.
  [[nodiscard]] std::optional<report::HostPlacement> host_placement() const override {
    std::vector<report::HostPlacement> all;
    for (const Gpu& gpu : gpus_) {
      if (gpu.placement) all.push_back(*gpu.placement);
    }
    if (all.empty()) return std::nullopt;
    const auto differs = [&](auto member) {
      return std::ranges::any_of(all, [&](const auto& placement) { return placement.*member != all.front().*member; });
    };
    if (differs(&report::HostPlacement::how)) return report::HostPlacement{{}, "not bound alike for all GPUs"};
    if (differs(&report::HostPlacement::numa_node)) return report::HostPlacement{{}, "bound to each GPU's own node"};
    return all.front();
  }

  /// Returns the flags that all GPUs used so far could have raised: one that a GPU could not raise says nothing about
  /// it.
  [[nodiscard]] std::vector<std::string> watched_flags() const override {
    std::map<std::string, std::ptrdiff_t> watching;
    for (const Gpu& gpu : gpus_) {
      for (const std::string& flag : gpu.watched) ++watching[flag];
    }
    const auto used = std::ranges::count_if(gpus_, [](const Gpu& gpu) { return !gpu.watched.empty(); });
    std::vector<std::string> flags;
    for (const auto& [flag, gpus] : watching) {
      if (gpus == used) flags.push_back(flag);
    }
    return flags;
  }

 private:
  /// Returns the place of the first usable GPU, which answers for all.
  [[nodiscard]] std::size_t speaker() const {
    const auto open = std::ranges::find_if(gpus_, &Gpu::open);
    return open == gpus_.end() ? 0 : static_cast<std::size_t>(open - gpus_.begin());
  }

  [[nodiscard]] Gpu& gpu_of(const Case& tested) {
    if (tested.probe->gpus) return between_;
    const std::uint64_t index = tested.number(report::device_parameter);
    return *std::ranges::find_if(gpus_, [&](const Gpu& gpu) { return gpu.device.index == index; });
  }

  /// Returns an error that names the GPUs of a case between them.
  [[nodiscard]] Error named(const Case& tested, const Error& error) const {
    std::vector<std::string> names;
    for (const Gpu& gpu : gpus_) {
      const std::vector<std::uint64_t> own = tested.probe->gpus(tested);
      if (std::ranges::find(own, *gpu.device.index) == own.end()) continue;
      names.push_back(report::gpu_identity(*gpu.device.index, gpu.device));
    }
    return {error.kind(), report::join(names, ", ") + ": " + error.what()};
  }

  /// Ends the processes of single GPUs before the one between GPUs opens them, and the other way round. A GPU that
  /// another process has open counts as disturbed, and may be set to let a single process in.
  void make_way(bool between) {
    if (between == std::exchange(between_is_open_, between)) return;
    if (!between) return between_.worker.leave();
    for (Gpu& gpu : gpus_) gpu.worker.end();  // all at once
    for (Gpu& gpu : gpus_) gpu.worker.leave();
  }

  /// Runs the case on its GPU, and on the others those that differ in nothing else. All are made ready before the first
  /// is timed.
  void run_on_all(const Case& decided) {
    make_way(static_cast<bool>(decided.probe->gpus));
    std::vector<Case> together = {decided};
    for (auto expected = expected_.begin(); expected != expected_.end() && together.size() < gpus_.size(); ++expected) {
      const auto same_gpu = [&](const Case& other) { return &gpu_of(other) == &gpu_of(*expected); };
      if (alike(*expected, decided) && std::ranges::none_of(together, same_gpu)) together.push_back(*expected);
    }
    std::erase_if(expected_, [&](const Case& tested) { return alike(tested, decided); });
    for (const Case& tested : together) {
      gpu_of(tested).begun = Gpu::Begun{.tested = tested};
      gpu_of(tested).worker.begin_run(alone(tested), true);
    }
    std::vector<Waiting> waiting;
    for (const Case& tested : together) {
      Gpu& gpu = gpu_of(tested);
      const auto ready = gpu.worker.ready();
      if (ready)
        waiting.push_back({&gpu, *ready});
      else
        finish(gpu);
    }
    const bool uses_host = std::ranges::any_of(waiting, [](const Waiting& one) { return one.ready.uses_host; });
    const std::vector<std::vector<Gpu*>> rounds = in_rounds(waiting, options_.host_in_turns);
    for (const std::vector<Gpu*>& round : rounds) {
      for (Gpu* gpu : round) {
        if (uses_host) gpu->begun->host_shared_by = options_.host_in_turns ? 1 : round.size();
        // Also after an interrupt: the worker notices it as soon as it goes on.
        gpu->worker.go(gpu->options.stopping.time_budget * turn_share(rounds.size()));
      }
      for (Gpu* gpu : round) finish(*gpu);
    }
  }

  /// Waits for the answer or the failure of the GPU's case.
  static void finish(Gpu& gpu) {
    try {
      gpu.begun->answer = gpu.worker.finish();
    } catch (...) {
      gpu.begun->failure = std::current_exception();
    }
  }

  /// Takes over the counts of one GPU. Returns the reason if it could not count.
  static std::optional<std::string> counted(Gpu& gpu, const std::vector<std::size_t>& own,
                                            std::span<report::Record> records) {
    std::optional<std::string> problem;
    try {
      Worker::Answer answer = gpu.worker.finish();
      gpu.learn(answer.known);
      for (std::size_t i = 0; i < own.size(); ++i) records[own[i]] = std::move(answer.known.results.at(i));
      problem = answer.problem;
    } catch (const Error& error) {
      if (gpu.options.counting == measure::Counting::required) throw gpu.named(error);
      problem = error.what();
    }
    if (!problem) return std::nullopt;
    gpu.options.counting = measure::Counting::off;  // as it would go wrong again
    return gpu.named(probe_error(*problem)).what();
  }

  MeasureOptions options_;
  std::deque<Gpu> gpus_;
  Gpu between_;  ///< stands for the process that sees all GPUs, for cases between them
  bool between_is_open_ = false;
  std::vector<Case> expected_;
};

}  // namespace

std::unique_ptr<Backend> make_side_by_side_backend(const MeasureOptions& options, std::span<const Device> gpus,
                                                   const std::function<Connect(const Device&)>& connect) {
  return std::make_unique<SideBySide>(options, gpus, connect);
}

std::unique_ptr<Backend> measure_in_copies(const MeasureOptions& options, std::span<const Device> gpus) {
  return make_side_by_side_backend(options, gpus, [&](const Device& gpu) -> Connect {
    return [interrupted = options.interrupted, only = gpu.uuid.value_or("")] {
      return start_copy(interrupted, own_program, only);
    };
  });
}

}  // namespace gpumem::app
