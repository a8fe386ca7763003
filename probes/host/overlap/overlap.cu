// Overlap: copy in, compute, copy out, one after another or staged: in chunks over several streams, so that both copies
// and the kernel run at once. With pageable memory the same calls wait for each other; and while the device works, the
// host can.

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/content.hpp"
#include "engine/measure/host_memory.hpp"
#include "engine/measure/timing.hpp"
#include "engine/model/predict.hpp"
#include "probes/experiment.hpp"
#include "probes/host/overlap/overlap_case.hpp"
#include "probes/host/overlap/sequence.hpp"
#include "probes/host/overlap/stage_recorder.hpp"
#include "probes/host/whole_words.hpp"

namespace gpumem::host {

constexpr unsigned block_threads = 512;

/// Each word walks `steps` steps of the sequence, in place.
__global__ void __launch_bounds__(block_threads)
    walk_words(std::uint32_t* words, std::uint64_t count, std::uint32_t steps) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    std::uint32_t x = words[i];
    for (std::uint32_t k = 0; k < steps; ++k) {
      // In PTX, because the compiler would merge several steps into one multiplication and addition.
      asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(sequence_multiplier), "r"(sequence_increment));
    }
    words[i] = x;
  }
}

namespace {

using measure::Seconds;

void validate(const Case& decided) { require_pieces(decided[axis::size_bytes], decided[axis::chunks], "chunks"); }

/// The predicted speedup over the same operations in one stream.
std::optional<double> speedup(const Workload& workload, const model::Prediction& prediction,
                              const model::Profile& profile) {
  Workload sequence = workload;
  for (Operation& operation : sequence.operations) operation.stream = 0;
  return model::predict(sequence, profile).seconds / prediction.seconds;
}

Workload describe_overlap(const Case& decided, const Device& /*device*/) {
  const Plan plan(decided);
  Workload workload;
  workload.useful_bytes_written = plan.bytes;
  workload.useful_bytes_read = plan.bytes;
  workload.allocated_bytes = plan.bytes;
  workload.host_bytes = 2 * plan.bytes;
  workload.clock = measure::Clock::host;
  using Work = Operation::Work;
  const auto add = [&](Work work, const char* stage, unsigned stream, double bytes) {
    workload.operations.push_back({.work = work,
                                   .stage = stage,
                                   .stream = stream,
                                   .bytes = static_cast<std::uint64_t>(bytes),
                                   .pageable = plan.pageable && work != Work::busy_kernel && work != Work::busy_host});
  };
  const double chunk_bytes = static_cast<double>(plan.bytes) / static_cast<double>(plan.chunks);
  for (std::uint64_t chunk = 0; chunk < plan.chunks; ++chunk) {
    const unsigned stream = plan.stream_of(chunk);
    add(Work::copy_to_device, "copy in", stream, chunk_bytes);
    add(Work::busy_kernel, "kernel", stream, chunk_bytes * plan.kernel_share);
    add(Work::copy_to_host, "copy out", stream, chunk_bytes);
  }
  if (plan.host_works) {
    add(Work::busy_host, "host work", plan.host_stream(), static_cast<double>(plan.bytes) * plan.kernel_share);
  }
  return workload;
}

/// Words of the buffers, one after another.
struct Part {
  std::uint64_t first;
  std::uint64_t words;
};

/// The median duration of a few runs, by the host's clock.
template <class Work>
Seconds median_duration_of(const Work& work) {
  std::array<Seconds, 3> samples;
  for (Seconds& sample : samples) {
    const auto start = std::chrono::steady_clock::now();
    work();
    sample = std::chrono::steady_clock::now() - start;
  }
  return measure::summarise(samples).median;
}

class OverlapExperiment final : public measure::Experiment {
 public:
  OverlapExperiment(const Case& decided, measure::Session& session)
      : plan_(decided),
        copy_engines_(session.device().copy_engines),
        resident_blocks_(session.device().multiprocessors *
                         std::max(session.device().threads_per_multiprocessor / block_threads, 1U)),
        device_(session.target(plan_.words())),
        streams_(std::min(plan_.streams, plan_.chunks)) {
    calibrate();
    const Memory memory = plan_.pageable ? Memory::pageable : Memory::pinned;
    source_ = Buffer(memory, plan_.bytes);
    target_ = Buffer(memory, plan_.bytes);
    fill_random(source_.words(), plan_.words());
  }

  void launch(cudaStream_t stream) override {
    measure::check(cudaStreamSynchronize(stream), "wait for what the stream holds before");
    run(nullptr);
  }

  measure::Verification verify(cudaStream_t stream) override {
    fill_poison(target_.words(), plan_.words());
    host_result_ = measure::poison_word;
    measure::poison(device_, plan_.bytes, stream, "poison the device's words");
    launch(stream);

    measure::Verification verification{.what = "32-bit words that came back"};
    const Leap leap = leap_over(kernel_steps_);
    for (std::uint64_t i = 0; i < plan_.words(); ++i) {
      if (target_.words()[i] == leap(measure::random_word(i))) continue;
      if (verification.mismatches++ == 0) verification.first_mismatch = i;
    }
    if (plan_.host_works && verification.mismatches == 0 && host_result_ != leap_over(host_steps_)(host_seed)) {
      return {.mismatches = 1, .what = "results of the host's own work"};
    }
    return verification;
  }

  std::vector<std::pair<std::string, double>> metrics(cudaStream_t /*stream*/, Seconds per_launch) override {
    const auto alone = [this](auto stage) {
      return median_duration_of([&] {
        (this->*stage)(whole(), streams_.front());
        streams_.front().synchronize();
      });
    };
    const Seconds in = alone(&OverlapExperiment::copy_in);
    const Seconds kernel = alone(&OverlapExperiment::compute);
    const Seconds out = alone(&OverlapExperiment::copy_out);
    const Seconds host = plan_.host_works ? median_duration_of([this] { work_on_host(); }) : Seconds(0);
    const Seconds sum = in + kernel + out + host;
    const Seconds longest = std::max({in, kernel, out, host});
    const auto ms = [](Seconds time) { return std::chrono::duration<double, std::milli>(time).count(); };
    std::vector<std::pair<std::string, double>> metrics = {
        {"speedup", sum / per_launch},  {"bound_speedup", sum / longest}, {"share_of_bound", longest / per_launch},
        {"copy_in_ms", ms(in)},         {"kernel_ms", ms(kernel)},        {"copy_out_ms", ms(out)},
        {"copy_engines", copy_engines_}};
    if (plan_.host_works) metrics.emplace_back("host_work_ms", ms(host));
    return metrics;
  }

  std::vector<measure::StageSpan> timeline(cudaStream_t stream) override {
    measure::check(cudaStreamSynchronize(stream), "wait for what the stream holds before");
    StageRecorder recorder(streams_.front());
    run(&recorder);
    return recorder.spans();
  }

 private:
  static constexpr std::uint32_t host_seed = 1;
  static constexpr unsigned calibrating_runs = 8;  ///< the shortest of which is taken

  [[nodiscard]] Part whole() const { return {0, plan_.words()}; }
  [[nodiscard]] Part chunk(std::uint64_t k) const {
    const std::uint64_t words = plan_.words() / plan_.chunks;
    return {k * words, words};
  }

  void copy_in(const Part& part, const measure::Stream& stream) {
    measure::check(cudaMemcpyAsync(device_ + part.first, source_.words() + part.first, part.words * word_bytes,
                                   cudaMemcpyHostToDevice, stream.get()),
                   "copy in");
  }
  /// Fills the GPU, so that kernels of different streams have no room beside each other. Kernels of smaller chunks may
  /// run at once, but gain nothing over one kernel for all data, which keeps all multipliers busy.
  void compute(const Part& part, const measure::Stream& stream) {
    const std::uint64_t blocks = (part.words + block_threads - 1) / block_threads;
    walk_words<<<static_cast<unsigned>(std::min<std::uint64_t>(blocks, resident_blocks_)), block_threads, 0,
                 stream.get()>>>(device_ + part.first, part.words, kernel_steps_);
    measure::check(cudaGetLastError(), "launch the kernel");
  }
  void copy_out(const Part& part, const measure::Stream& stream) {
    measure::check(cudaMemcpyAsync(target_.words() + part.first, device_ + part.first, part.words * word_bytes,
                                   cudaMemcpyDeviceToHost, stream.get()),
                   "copy out");
  }
  void work_on_host() { host_result_ = walk(host_seed, host_steps_); }

  /// Queues all stages of a chunk before those of the next (depth first), and waits for everything.
  void run(StageRecorder* recorder) {
    const auto stage = [&](const char* name, unsigned stream, auto work) {
      const auto queue = [&] { (this->*work.first)(work.second, streams_[stream]); };
      if (recorder == nullptr) return queue();
      recorder->on_device(name, stream, streams_[stream], queue);
    };
    const auto host_stage = [&] {
      if (recorder == nullptr) return work_on_host();
      recorder->on_host("host work", plan_.host_stream(), [this] { work_on_host(); });
    };
    for (std::uint64_t k = 0; k < plan_.chunks; ++k) {
      const unsigned stream = plan_.stream_of(k);
      stage("copy in", stream, std::pair(&OverlapExperiment::copy_in, chunk(k)));
      stage("kernel", stream, std::pair(&OverlapExperiment::compute, chunk(k)));
      stage("copy out", stream, std::pair(&OverlapExperiment::copy_out, chunk(k)));
    }
    if (plan_.host_works && plan_.streams > 1) host_stage();
    for (const measure::Stream& stream : streams_) stream.synchronize();
    if (plan_.host_works && plan_.streams == 1) host_stage();
  }

  /// The time of copying in from pinned memory, measured on 32 MiB at most, which is enough to know the link.
  [[nodiscard]] Seconds pinned_copy_time() {
    const std::uint64_t bytes = std::min(plan_.bytes, std::uint64_t{32} << 20U);
    const Buffer pinned(Memory::pinned, bytes);
    fill_random(pinned.words(), bytes / word_bytes);
    const auto copies = measure::time_queued(streams_.front(), calibrating_runs, [&] {
      measure::check(cudaMemcpyAsync(device_, pinned.data(), bytes, cudaMemcpyHostToDevice, streams_.front().get()),
                     "copy in from pinned memory");
    });
    streams_.front().synchronize();
    // The first copies out of memory that the host has just written can take half as long again.
    return copies.min * (static_cast<double>(plan_.bytes) / static_cast<double>(bytes));
  }

  /// Finds the numbers of steps for which the kernel, and the host, take `kernel_share` of the time of copying in. The
  /// copies for this are from pinned memory, whatever the case uses, so that all alternatives compute the same.
  void calibrate() {
    const Seconds target = plan_.kernel_share * pinned_copy_time();
    const auto kernel_time = [this](std::uint64_t steps) {
      kernel_steps_ = static_cast<std::uint32_t>(steps);
      const auto compute_all = [this] { compute(whole(), streams_.front()); };
      return measure::time_queued(streams_.front(), calibrating_runs, compute_all).min;
    };
    // The time is a line over the steps. Its second point is far enough for the resolution of events.
    constexpr std::uint64_t most_steps = std::uint64_t{1} << 30U;
    constexpr Seconds resolved{20e-6};
    const Seconds one_step = kernel_time(1);
    std::uint64_t steps = 64;
    Seconds time = kernel_time(steps);
    while (steps < most_steps && (time < target / 4 || time - one_step < resolved)) {
      steps *= 2;
      time = kernel_time(steps);
    }
    const auto steps_to_target = [&] {
      const Seconds per_step = (time - one_step) / static_cast<double>(steps - 1);
      return 1 + static_cast<std::uint64_t>(std::clamp((target - one_step) / per_step, 0.0, double{most_steps}));
    };
    if (steps_to_target() > steps) {  // once more, of full length: by now the clocks have risen
      steps = steps_to_target();
      time = kernel_time(steps);
    }
    kernel_steps_ = static_cast<std::uint32_t>(steps_to_target());

    if (!plan_.host_works) return;
    host_steps_ = std::uint64_t{1} << 20U;
    const Seconds host_time = median_duration_of([this] { work_on_host(); });
    host_steps_ = 1 + static_cast<std::uint64_t>(static_cast<double>(host_steps_) * (target / host_time));
  }

  Plan plan_;
  unsigned copy_engines_;
  unsigned resident_blocks_;
  std::uint32_t* device_;
  std::vector<measure::Stream> streams_;
  Buffer source_;
  Buffer target_;
  std::uint32_t kernel_steps_ = 1;
  std::uint64_t host_steps_ = 0;
  std::uint32_t host_result_ = 0;
};

Probe overlap_probe() {
  Probe probe;
  probe.name = "overlap";
  probe.purpose = "copy in, compute, copy out: in turn, or at once over streams";
  probe.family = Family::host;
  probe.axes = {
      axis::streams({.flag = "streams",
                     .unit = "streams",
                     .purpose = "streams that share the chunks; 1 copies in, computes and copies out one after another",
                     .defaults = "1..16*2",
                     .quick = "1,4",
                     .minimum = 1,
                     .maximum = 128}),
      axis::overlap({.flag = "overlap",
                     .purpose =
                         "staged through pinned memory, the same calls with pageable memory, or staged while the "
                         "host computes for as long as the kernel",
                     .value_optional = true}),
      axis::kernel_percent({.flag = "kernel-percent",
                            .unit = "percent",
                            .purpose = "time of the kernel, as a percentage of that of copying in from pinned memory",
                            .defaults = "125",
                            .minimum = 1,
                            .maximum = 10'000}),
      axis::chunks({.flag = "chunks",
                    .unit = "chunks",
                    .purpose = "pieces that several streams take in turn; fewer leave more of the first and last alone",
                    .defaults = "64",
                    .minimum = 1,
                    .maximum = 65'536}),
      axis::size_bytes({.flag = "size",
                        .purpose = "bytes copied in, and as many out",
                        .defaults = "256MiB",
                        .quick = "64MiB",
                        .minimum = word_bytes})};
  probe.compared = axis::overlap.name;
  probe.baseline = std::string("pageable");
  probe.headline = bandwidth(link_peak);
  probe.metrics = {
      {.quantity = {"speedup", "times as fast as the stages one after another", Better::more}, .predict = speedup},
      {{"bound_speedup", "speedup if nothing but the longest stage took time", Better::more}},
      {{"share_of_bound", "speedup as a fraction of bound_speedup", Better::more}},
      {{"copy_in_ms", "copying in alone", Better::less}},
      {{"kernel_ms", "the kernel alone", Better::less}},
      {{"copy_out_ms", "copying out alone", Better::less}},
      {{"host_work_ms", "the host's own work alone", Better::less}},
      {{"copy_engines", "copies that this GPU can run beside kernels and each other", Better::more}}};
  probe.describe = describe_overlap;
  probe.validate = validate;
  probe.prepare = prepared<OverlapExperiment>;
  probe.conclude = conclude_overlap;
  return probe;
}

GPUMEM_PROBE(overlap_probe);

}  // namespace

}  // namespace gpumem::host
