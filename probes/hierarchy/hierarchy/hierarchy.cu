// Hierarchy: every level of a GPU's memory in one table. Each is read, written, copied and combined (triad) by threads
// that touch it in its best shape: lanes in order, 16 bytes each, enough of them in flight.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/host_memory.hpp"
#include "engine/measure/timing.hpp"
#include "engine/model/subjects/chase.hpp"
#include "probes/experiment.hpp"
#include "probes/hierarchy/chase_experiment.hpp"
#include "probes/hierarchy/hierarchy/level_figures.hpp"
#include "probes/hierarchy/hierarchy/swept_level.cuh"
#include "probes/requests.hpp"

namespace gpumem::hierarchy {

constexpr std::array<const char*, 7> level_names = {"register", "shared", "l1", "l2", "l2-shared", "memory", "host"};
constexpr std::array<std::pair<Traffic, const char*>, 3> further_traffic = {
    {{Traffic::write, "write_gb_per_s"}, {Traffic::copy, "copy_gb_per_s"}, {Traffic::triad, "triad_gb_per_s"}}};

/// The k-th request of a level's reads: warps of a block in order, turn by turn, block after block, all of a pass
/// before the next.
static access::WarpRequest request_of(const SweptLevel& level, std::uint64_t k) {
  const std::uint64_t of_block = std::uint64_t{level.block_threads} * level.unrolled;
  const std::uint64_t vector = k * access::warp_lanes % (level.addressed_as_global() ? level.vectors : of_block);
  return consecutive_request(level.words * sizeof(std::uint32_t), 0, access::warp_lanes, vector);
}

static Workload describe_hierarchy(const Case& decided, const Device& device) {
  const SweptLevel level(decided, device);
  Workload workload;
  workload.useful_bytes_read = level.bytes(Traffic::read);
  if (level.vectors == 0) {
    workload.useful_bytes_written = std::exchange(workload.useful_bytes_read, 0);  // on the device
    workload.operations = {
        {.work = Operation::Work::copy_to_device, .stage = "copy to the device", .bytes = SweptLevel::copied_bytes}};
    workload.allocated_bytes = 2 * SweptLevel::copied_bytes;
    workload.host_bytes = 2 * SweptLevel::copied_bytes;
    return workload;
  }
  workload.kernel = level.kernel;
  workload.blocks = level.blocks(Traffic::read);
  workload.block_threads = level.block_threads;
  workload.shared_bytes_per_block = level.shared_bytes();
  if (level.name == "register") workload.unmodelled = "the model has no stage for registers";
  if (level.name == "l2-shared") {
    workload.unmodelled = "the model does not know how many requests for the same line meet on their way to L2";
  }
  if (level.name == "register") {
    workload.useful_flops = 2 * chains * level.read_passes * level.threads();
    return workload;
  }
  if (level.addressed_as_global()) workload.allocated_bytes = 3 * level.array_bytes();
  workload.sites.push_back({.name = level.name,
                            .space = level.addressed_as_global() ? access::Space::global : access::Space::shared,
                            .op = access::Op::load,
                            .word_bytes = level.words * static_cast<unsigned>(sizeof(std::uint32_t)),
                            .instructions = level.unrolled,
                            .requests = level.read_passes * level.vectors / access::warp_lanes,
                            .passes = level.read_passes,
                            .kept_in_l1 = level.name == "l1",
                            .request = [level](std::uint64_t k) { return request_of(level, k); }});
  return workload;
}

/// The base of the experiments of all levels. Reads are timed, and other traffic is a metric.
class LevelExperiment : public measure::Experiment {
 public:
  LevelExperiment(SweptLevel level, measure::Session& session) : level_(std::move(level)), session_(&session) {}

  virtual void run(Traffic traffic, cudaStream_t stream) = 0;
  void launch(cudaStream_t stream) override { run(Traffic::read, stream); }

  std::vector<std::pair<std::string, double>> metrics(cudaStream_t /*stream*/, measure::Seconds read) override {
    std::vector<std::pair<std::string, double>> found = {{"capacity_bytes", capacity_bytes(level_.name, *session_)}};
    if (const auto cycles = latency_of(level_.name, *session_)) found.emplace_back(latency_cycles().name, *cycles);
    for (const auto& [traffic, name] : further_traffic) {
      const auto bytes = static_cast<double>(level_.bytes(traffic));
      if (bytes > 0) found.emplace_back(name, bytes / median_of_some(traffic, read).count() * per_giga);
    }
    return found;
  }

 protected:
  [[nodiscard]] const SweptLevel& level() const { return level_; }
  [[nodiscard]] measure::Session& session() const { return *session_; }

 private:
  /// The median time of a run. Times several runs together if a `read` takes less than a millisecond, so that the wait
  /// before the first does not show.
  measure::Seconds median_of_some(Traffic traffic, measure::Seconds read) {
    constexpr unsigned samples = 7;
    constexpr measure::Seconds long_enough{1e-3};
    const unsigned runs = read < long_enough ? 4 : 1;
    const measure::Stream& stream = session_->stream();
    const auto some = [&] {
      for (unsigned k = 0; k < runs; ++k) run(traffic, stream.get());
    };
    return measure::time_queued(stream, samples, some).median / runs;
  }

  SweptLevel level_;
  measure::Session* session_;
};

/// Levels that a kernel goes over.
class KernelExperiment final : public LevelExperiment {
 public:
  KernelExperiment(const SweptLevel& level, measure::Session& session)
      : LevelExperiment(level, session),
        sums_(level.threads() * sizeof(std::uint32_t) * level.unrolled / level.unrolled_else),
        mismatches_(session) {
    if (!level.addressed_as_global()) return;
    const std::uint64_t words = level.array_words();
    arrays_.first = session.random_source(2 * words);
    arrays_.second = arrays_.first + words;
    arrays_.target = session.target(words + apart_words) + apart_words;
  }

  void run(Traffic traffic, cudaStream_t stream) override { run(traffic, nullptr, stream); }

  measure::Verification verify(cudaStream_t stream) override {
    mismatches_.reset(stream);
    for (const Traffic traffic : {Traffic::read, Traffic::write, Traffic::copy, Traffic::triad}) {
      if (level().bytes(traffic) > 0) verify(traffic, stream);
    }
    return {.mismatches = mismatches_.read(stream, "run the kernels and their checks"), .what = "sums and words"};
  }

 private:
  /// Copies between arrays that begin at the same place modulo a large power of two are 0.8 % slower (H200).
  static constexpr std::uint64_t apart_words = (std::uint64_t{1} << 20U) / sizeof(std::uint32_t);

  /// Sums of what was read from global memory are stored only to be verified.
  void run(Traffic traffic, std::uint32_t* sums, cudaStream_t stream) {
    const SweptLevel& swept = level();
    const auto grid = static_cast<unsigned>(swept.blocks(traffic));
    const auto index = static_cast<std::size_t>(traffic);
    const unsigned passes = swept.passes_of(traffic);
    if (swept.name == "register") {
      multiply_add<chains><<<grid, swept.block_threads, 0, stream>>>(sums_.as<float>(), passes, 1);
    } else if (swept.name == "shared") {
      shared_sweeps[index]<<<grid, swept.block_threads, swept.shared_bytes(), stream>>>(sums_.as<std::uint32_t>(),
                                                                                        passes);
    } else {
      swept.sweeps[index]<<<grid, swept.block_threads, 0, stream>>>(arrays_, sums, passes, swept.parts > 1 ? 1 : 0);
    }
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  void verify(Traffic traffic, cudaStream_t stream) {
    const SweptLevel& swept = level();
    const auto grid = static_cast<unsigned>(swept.blocks(traffic));
    const bool reads = traffic == Traffic::read;
    measure::poison(sums_, stream);
    if (swept.addressed_as_global() && !reads) {
      measure::poison(arrays_.target, swept.array_bytes(), stream, "poison the target");
    }
    run(traffic, sums_.as<std::uint32_t>(), stream);
    if (swept.name == "register") {
      const auto expected = static_cast<float>(chains * swept.read_passes);  // exact: below 2^24
      check_counts<<<grid, swept.block_threads, 0, stream>>>(sums_.as<float>(), expected, mismatches_.data());
    } else if (reads || !swept.addressed_as_global()) {
      const SummedWords summed{.words = swept.words,
                               .unrolled = swept.unrolled,
                               .shared = !swept.addressed_as_global(),
                               .parts = swept.parts,
                               .times = reads ? swept.read_passes / swept.parts : 1,
                               .second_at = std::uint64_t{swept.unrolled} * swept.block_threads,
                               .second_times = traffic == Traffic::triad ? scalar : 0};
      check_sums<<<grid, swept.block_threads, 0, stream>>>(sums_.as<std::uint32_t>(), summed, mismatches_.data());
    } else {
      check_target<<<4 * session().device().multiprocessors, 512, 0, stream>>>(
          arrays_.target, swept.array_words(), swept.array_words(), traffic == Traffic::triad, mismatches_.data());
    }
    measure::check(cudaGetLastError(), "launch the check");
  }

  measure::DeviceBuffer sums_;
  measure::MismatchCount mismatches_;
  Arrays arrays_{};
};

/// The link to the host, which copy engines use best.
class LinkExperiment final : public LevelExperiment {
 public:
  LinkExperiment(const SweptLevel& level, measure::Session& session)
      : LevelExperiment(level, session),
        host_source_(host::Memory::pinned, SweptLevel::copied_bytes),
        host_target_(host::Memory::pinned, SweptLevel::copied_bytes),
        source_(session.random_source(words)),
        target_(session.target(words)) {
    host::fill_random(host_source_.words(), words);
  }

  [[nodiscard]] std::size_t queued_commands() const override { return 6; }

  void run(Traffic traffic, cudaStream_t stream) override {
    const bool both = traffic == Traffic::copy;
    if (both) {
      measure::order_streams(stream, back_.get(), fork_);
    }
    if (traffic != Traffic::write) {
      measure::check(
          cudaMemcpyAsync(target_, host_source_.data(), SweptLevel::copied_bytes, cudaMemcpyHostToDevice, stream),
          "copy to the device");
    }
    if (traffic != Traffic::read) {
      measure::check(cudaMemcpyAsync(host_target_.data(), source_, SweptLevel::copied_bytes, cudaMemcpyDeviceToHost,
                                     both ? back_.get() : stream),
                     "copy to the host");
    }
    if (both) {
      measure::order_streams(back_.get(), stream, join_);
    }
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(target_, SweptLevel::copied_bytes, stream, "poison the target");
    host::fill_poison(host_target_.words(), words);
    run(Traffic::copy, stream);
    measure::check(cudaStreamSynchronize(stream), "run the copies");
    const auto found = measure::verify_random_words(session(), target_, words, 0, stream, "32-bit words on the device");
    return found.mismatches > 0 ? found : measure::verify_in_host_memory(session(), host_target_, words, 0, stream);
  }

 private:
  static constexpr std::uint64_t words = SweptLevel::copied_bytes / sizeof(std::uint32_t);

  host::Buffer host_source_;
  host::Buffer host_target_;
  const std::uint32_t* source_;
  std::uint32_t* target_;
  measure::Stream back_;
  measure::Event fork_;
  measure::Event join_;
};

/// The best rate that a level could have, in GB/s; nullopt if it is not known.
static std::optional<double> peak_of(const Workload& workload, const Device& device) {
  const double cycles_per_s = static_cast<double>(device.sm_clock_hz) * device.multiprocessors;
  if (workload.kernel.empty()) return link_peak(workload, device);
  // Each of the four schedulers of a multiprocessor reads three registers of 32 lanes a cycle.
  if (workload.sites.empty()) return cycles_per_s * 4 * access::warp_lanes * 3 * sizeof(float) * per_giga;
  // L1 and shared memory are one memory, which gives a line a cycle.
  const std::string& level = workload.sites.front().name;
  if (level == "shared" || level == "l1") return device.shared_peak_bytes_per_s() * per_giga;
  return level == "memory" ? device_memory_peak(workload, device) : std::nullopt;
}

/// The latency that the model predicts, in cycles. Sites are named after their level; the link has none.
static std::optional<double> predicted_latency(const Workload& workload, const model::Prediction& /*prediction*/,
                                               const model::Profile& profile) {
  return model::step_cycles({.level = workload.sites.empty() ? "host" : workload.sites.front().name}, profile);
}

/// The capacity of a level in bytes, as the profile knows it; nullopt for the host, whose memory it does not know.
static std::optional<double> predicted_capacity(const Workload& workload, const model::Prediction& /*prediction*/,
                                                const model::Profile& profile) {
  const std::string level = workload.sites.empty() ? "host" : workload.sites.front().name;
  const auto known = [](double bytes) { return bytes > 0 ? std::optional(bytes) : std::nullopt; };
  if (level == "shared") return known(static_cast<double>(profile.device.shared_bytes_per_multiprocessor));
  if (level == "l1") return known(profile.rates.l1.bytes);
  if (level == "l2" || level == "l2-shared") return known(static_cast<double>(profile.device.l2_bytes));
  return level == "memory" ? known(static_cast<double>(profile.device.memory_bytes)) : std::nullopt;
}

/// Concludes how much faster each level is than the next that ran: the gain for data that is kept a level nearer.
static Conclusion conclude_hierarchy(std::span<const Outcome> outcomes) {
  constexpr std::pair<const char*, const char*> levels[] = {
      {"register", "registers"},   {"shared", "shared memory"},     {"l1", "L1"}, {"l2", "L2"},
      {"memory", "device memory"}, {"host", "the link to the host"}};
  const std::vector<FactValue> places = {{"nearer", std::vector<std::string>{}},
                                         {"gain_ratio", std::vector<double>{}},
                                         {"next", std::vector<std::string>{}}};
  Fact steps{
      FactKind::fastest,
      {},
      "Keep data that is used again a level nearer. Each level reads faster than the next: {nearer gain_ratio next}.",
      places};
  std::vector<Fact> facts;
  const Outcome* nearer = nullptr;
  const char* nearer_name = nullptr;
  for (const auto& [level, name] : levels) {
    const Outcome* outcome = find_outcome(outcomes, axis::level, level);
    if (outcome == nullptr) continue;
    if (nearer != nullptr && better(*nearer, *outcome)) {
      steps.outcomes.insert(steps.outcomes.end(), {nearer->index, outcome->index});
      steps.values[0].items.emplace_back(nearer_name);
      steps.values[1].items.emplace_back(gain(*outcome, *nearer));
      steps.values[2].items.emplace_back(name);
    } else if (nearer != nullptr) {
      facts.push_back({FactKind::as_fast_as,
                       {nearer->index, outcome->index},
                       "Reading {nearer} is no faster than reading {next}: {gain_ratio}.",
                       {{"nearer", nearer_name}, {"next", name}, gain_value("gain_ratio", *outcome, *nearer)}});
    }
    nearer = outcome;
    nearer_name = name;
  }
  if (!steps.outcomes.empty()) facts.insert(facts.begin(), std::move(steps));
  return {.facts = std::move(facts)};
}

static Probe hierarchy_probe() {
  Probe probe;
  probe.name = "hierarchy";
  probe.purpose = "every level of memory at its best: how large, and how fast";
  probe.family = Family::hierarchy;
  probe.axes = {axis::level({.flag = "hierarchy",
                             .purpose = "level of the data: in l2 each multiprocessor reads its own, in l2-shared all "
                                        "read the same; host is across the link",
                             .defaults = "register,shared,l1,l2,l2-shared,memory,host",
                             .names = {level_names.begin(), level_names.end()}})};
  probe.baseline = std::string("memory");
  probe.headline = bandwidth(peak_of);
  probe.metrics = {{.quantity = {"capacity_bytes", "capacity of the level for one multiprocessor", Better::more},
                    .predict = predicted_capacity},
                   {.quantity = latency_cycles(), .predict = predicted_latency},
                   {{"write_gb_per_s", "written instead of read", Better::more}},
                   {{"copy_gb_per_s", "copied within the level, or over the link both ways at once", Better::more}},
                   {{"triad_gb_per_s", "two arrays read and their combination written", Better::more}}};
  for (Metric& metric : probe.metrics) metric.essential = true;
  probe.describe = describe_hierarchy;
  probe.prepare = [](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    const SweptLevel level(decided, session.device());
    if (level.vectors > 0) return std::make_unique<KernelExperiment>(level, session);
    return std::make_unique<LinkExperiment>(level, session);
  };
  probe.conclude = conclude_hierarchy;
  return probe;
}

GPUMEM_PROBE(hierarchy_probe);

}  // namespace gpumem::hierarchy
