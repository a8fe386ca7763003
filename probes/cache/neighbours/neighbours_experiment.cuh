#pragma once
// Runs the victim alone, then both it and its neighbour, and checks what they computed.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/measure/host_memory.hpp"
#include "probes/cache/neighbours/neighbours_case.hpp"
#include "probes/cache/neighbours/neighbours_kernels.cuh"
#include "probes/cache/set_aside.hpp"
#include "probes/experiment.hpp"

namespace gpumem::cache {

/// Gives the kernel the share of shared memory with which one block of it fills a multiprocessor.
template <class Kernel>
void reserve_multiprocessor(Kernel* kernel) {
  const auto* of_any_type = reinterpret_cast<const void*>(kernel);
  measure::allow_all_shared_memory(of_any_type);
  measure::check(
      cudaFuncSetAttribute(of_any_type, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
      "prefer shared memory");
}

class NeighboursExperiment final : public measure::Experiment {
 public:
  NeighboursExperiment(const Case& decided, measure::Session& session)
      : launch_(decided, session.device()),
        session_(&session),
        words_(reinterpret_cast<const uint4*>(
            session.random_source((read_words() * neighbour_word_bytes + launch_.stream_bytes()) / word_bytes))),
        victim_stream_(launch_.protection == Protection::priority ? measure::Priority::highest
                                                                  : measure::Priority::usual),
        signals_(sizeof(NeighbourSignals)),
        victim_sums_(std::size_t{launch_.victim_blocks} * neighbour_threads * sizeof(std::uint32_t)),
        neighbour_sums_(std::size_t{launch_.neighbour_blocks} * neighbour_threads * sizeof(std::uint32_t)),
        chunks_read_(launch_.neighbour_blocks * sizeof(std::uint32_t)),
        mismatches_(session) {
    // Prepare the kernels now: at their first launch they would have to wait for kernels that run. All get the same
    // share of shared memory, because a multiprocessor changes it only when it has nothing to do.
    reserve_multiprocessor(&begin_victim);
    reserve_multiprocessor(&end_victim);
    reserve_multiprocessor(&read_beside<neighbour_in_a_row>);
    reserve_multiprocessor(&add_beside<neighbour_in_a_row>);
    reserve_multiprocessor(&stream_beside);
    if (launch_.victim != Neighbours::Victim::l2) {
      target_ = measure::DeviceBuffer(launch_.victim_bytes);
      measure::poison(target_, victim_stream_.get());
      victim_stream_.synchronize();
    }
    if (launch_.victim == Neighbours::Victim::link) {
      source_ = host::Buffer(host::Memory::pinned, launch_.victim_bytes);
      host::fill_random(source_.words(), launch_.victim_bytes / word_bytes);
    }
    if (launch_.protection == Protection::window) {
      set_aside_ = SetAside(launch_.victim_bytes);
      window_ = persisting_window(victim_data(), launch_.victim_bytes, set_aside_);
    }
  }

  /// Runs the victim alone, then both. Waits for the stream first, because both are queued while nothing else runs.
  void launch(cudaStream_t stream) override {
    measure::check(cudaStreamSynchronize(stream), "wait for what the stream holds before");
    run_alone();
    run_beside();
  }

  void launch_kernel(cudaStream_t stream) override { launch_victim(stream, false); }

  measure::Verification verify(cudaStream_t stream) override {
    measure::check(cudaStreamSynchronize(stream), "wait for what the stream holds before");
    measure::Verification verification = checked(stream, [&] { run_alone(); });
    if (verification.mismatches == 0) verification = checked(stream, [&] { run_beside(); });
    if (verification.mismatches > 0) return verification;
    mismatches_.reset(stream);
    check_stream_beside<<<launch_.neighbour_beside_blocks, neighbour_threads, 0, stream>>>(
        neighbour_sums_.as<std::uint32_t>(), chunks_read_.as<std::uint32_t>(), launch_.stream_chunks, read_words(),
        mismatches_.data());
    if (const auto wrong = mismatches_.read(stream); wrong > 0)
      return {.mismatches = wrong, .what = "neighbour's sums"};
    return verification;
  }

  double sample() override { return 100 * alone_ns_ / beside_ns_; }

  std::vector<std::pair<std::string, double>> metrics(cudaStream_t stream, measure::Seconds /*per_launch*/) override {
    constexpr std::size_t runs = 5;
    std::array<double, runs> victim_alone{};
    std::array<double, runs> victim_beside{};
    std::array<double, runs> neighbour_alone{};
    std::array<double, runs> neighbour_beside{};
    const auto moved = static_cast<double>(launch_.moved_bytes());
    for (std::size_t run = 0; run < runs; ++run) {
      launch(stream);
      victim_alone[run] = moved / alone_ns_;  // bytes per ns are GB/s
      victim_beside[run] = moved / beside_ns_;
      neighbour_beside[run] = neighbour_gb_per_s_;
      neighbour_alone[run] = run_neighbour_alone();
    }
    const auto middle = [](std::array<double, runs>& values) {
      std::ranges::sort(values);
      return values[runs / 2];
    };
    const double alone = middle(neighbour_alone);
    const double beside = middle(neighbour_beside);
    return {{"victim_alone_gb_per_s", middle(victim_alone)},
            {"victim_beside_gb_per_s", middle(victim_beside)},
            {"neighbour_alone_gb_per_s", alone},
            {"neighbour_beside_gb_per_s", beside},
            {"neighbour_kept_percent", 100 * beside / alone}};
  }

 private:
  static constexpr std::uint64_t word_bytes = sizeof(std::uint32_t);

  /// Words of the shared source before the stream.
  [[nodiscard]] std::uint64_t read_words() const {
    return launch_.victim == Neighbours::Victim::l2 ? launch_.victim_bytes / neighbour_word_bytes : 0;
  }
  [[nodiscard]] const void* victim_data() const {
    return launch_.victim == Neighbours::Victim::l2 ? static_cast<const void*>(words_) : target_.data();
  }

  void launch_victim(cudaStream_t stream, bool protected_now) {
    if (launch_.victim == Neighbours::Victim::link) {
      for (std::uint32_t turn = 0; turn < launch_.turns; ++turn) {
        measure::check(
            cudaMemcpyAsync(target_.data(), source_.data(), launch_.victim_bytes, cudaMemcpyHostToDevice, stream),
            "copy over the link");
      }
      return;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(launch_.victim_blocks);
    config.blockDim = dim3(neighbour_threads);
    config.dynamicSmemBytes = launch_.shared_bytes_per_block;
    config.stream = stream;
    config.attrs = &window_;
    config.numAttrs = protected_now && launch_.protection == Protection::window ? 1 : 0;
    if (launch_.victim == Neighbours::Victim::atomics) {
      measure::check(
          cudaLaunchKernelEx(&config, add_beside<neighbour_in_a_row>, target_.as<std::uint32_t>(),
                             static_cast<std::uint32_t>(launch_.victim_bytes / atomic_word_bytes), launch_.turns),
          "launch the victim");
      return;
    }
    measure::check(
        cudaLaunchKernelEx(&config, read_beside<neighbour_in_a_row>, words_, static_cast<std::uint32_t>(read_words()),
                           launch_.turns, victim_sums_.as<std::uint32_t>()),
        "launch the victim");
  }

  void launch_neighbour(unsigned blocks, std::uint64_t most_ns, NeighbourDoes does) {
    stream_beside<<<blocks, neighbour_threads, launch_.shared_bytes_per_block, neighbour_stream_.get()>>>(
        words_ + read_words(), launch_.stream_chunks, signals(), most_ns, does, neighbour_sums_.as<std::uint32_t>(),
        chunks_read_.as<std::uint32_t>());
    measure::check(cudaGetLastError(), "launch the neighbour");
  }

  /// Queues the victim, which begins once its neighbour runs with so many blocks. The signals then hold its time.
  void queue_victim(unsigned neighbour_blocks, bool protected_now) {
    begin_victim<<<1, 1, 0, victim_stream_.get()>>>(signals(), neighbour_blocks);
    measure::check(cudaGetLastError(), "let the victim begin");
    launch_victim(victim_stream_.get(), protected_now);
    end_victim<<<1, 1, 0, victim_stream_.get()>>>(signals());
    measure::check(cudaGetLastError(), "let the victim end");
  }

  [[nodiscard]] NeighbourSignals* signals() const { return signals_.as<NeighbourSignals>(); }
  void reset_signals() const {
    const NeighbourSignals none;
    measure::check(cudaMemcpyAsync(signals(), &none, sizeof none, cudaMemcpyDefault, victim_stream_.get()),
                   "reset the signals");
    victim_stream_.synchronize();
  }
  /// Waits until both streams are idle.
  [[nodiscard]] NeighbourSignals read_signals() const {
    victim_stream_.synchronize();
    neighbour_stream_.synchronize();
    NeighbourSignals found;
    measure::check(cudaMemcpy(&found, signals(), sizeof found, cudaMemcpyDeviceToHost), "read the signals");
    return found;
  }

  [[nodiscard]] static double victim_ns(const NeighbourSignals& found) {
    return std::max(static_cast<double>(found.victim_end_ns) - static_cast<double>(found.victim_begin_ns), 1.0);
  }

  /// The rate depends on the multiprocessors that the blocks run on. So the victim gets only those that a neighbour
  /// leaves it, and the neighbour's blocks wait.
  void run_alone() { alone_ns_ = victim_ns(run_with(NeighbourDoes::waits, launch_.neighbour_blocks)); }

  void run_beside() {
    const NeighbourSignals found = run_with(NeighbourDoes::streams, launch_.neighbour_beside_blocks);
    beside_ns_ = victim_ns(found);
    neighbour_gb_per_s_ = neighbour_rate(found, launch_.neighbour_beside_blocks);
  }

  /// Runs both at once, and again if one of them had to give up: something else may have had the GPU for a while.
  [[nodiscard]] NeighbourSignals run_with(NeighbourDoes does, unsigned neighbour_blocks) {
    constexpr int attempts = 2;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      reset_signals();
      launch_neighbour(neighbour_blocks, neighbour_patience_ns, does);
      queue_victim(neighbour_blocks, does == NeighbourDoes::streams);
      ++victim_runs_;
      const NeighbourSignals found = read_signals();
      if (found.gave_up == 0) return found;
    }
    throw probe_error(
        "the two did not run at once: launches wait for each other here, as under a debugger, a sanitizer or with "
        "CUDA_LAUNCH_BLOCKING=1");
  }

  [[nodiscard]] double run_neighbour_alone() {
    constexpr std::uint64_t millisecond_ns = 1'000'000;
    reset_signals();
    launch_neighbour(launch_.neighbour_blocks, millisecond_ns, NeighbourDoes::streams_alone);
    return neighbour_rate(read_signals(), launch_.neighbour_blocks);
  }

  /// The rate at which the neighbour's blocks have read, in GB/s.
  [[nodiscard]] double neighbour_rate(const NeighbourSignals& found, unsigned blocks) const {
    std::vector<std::uint32_t> chunks(blocks);
    measure::check(
        cudaMemcpy(chunks.data(), chunks_read_.data(), blocks * sizeof(std::uint32_t), cudaMemcpyDeviceToHost),
        "read how much the neighbour has read");
    double sum = 0;
    for (const std::uint32_t of_block : chunks) sum += of_block;
    const double ns = static_cast<double>(found.neighbour_end_ns) - static_cast<double>(found.neighbour_begin_ns);
    return sum * static_cast<double>(neighbour_chunk_bytes) / std::max(ns, 1.0);
  }

  /// Checks the victim's output after a run.
  template <class Run>
  [[nodiscard]] measure::Verification checked(cudaStream_t stream, const Run& run) {
    measure::poison(victim_sums_, stream);
    measure::poison(neighbour_sums_, stream);
    measure::poison(chunks_read_, stream);
    victim_runs_ = 0;
    if (launch_.victim == Neighbours::Victim::atomics) {  // words that are added to begin at 0
      measure::check(cudaMemsetAsync(target_.data(), 0, target_.bytes(), stream), "clear the victim's words");
    } else if (launch_.victim == Neighbours::Victim::link) {
      measure::poison(target_, stream);
    }
    measure::check(cudaStreamSynchronize(stream), "wait for the poison");
    run();
    if (launch_.victim == Neighbours::Victim::link) {
      return measure::verify_random_words(*session_, target_.as<std::uint32_t>(), launch_.victim_bytes / word_bytes, 0,
                                          stream, "32-bit words on the device");
    }
    mismatches_.reset(stream);
    if (launch_.victim == Neighbours::Victim::atomics) {
      check_added_beside<<<launch_.victim_blocks, neighbour_threads, 0, stream>>>(
          target_.as<std::uint32_t>(), static_cast<std::uint32_t>(launch_.victim_bytes / atomic_word_bytes),
          victim_runs_ * launch_.turns, mismatches_.data());
      return {.mismatches = mismatches_.read(stream), .what = "words that were added to"};
    }
    check_read_beside<<<launch_.victim_blocks, neighbour_threads, 0, stream>>>(
        victim_sums_.as<std::uint32_t>(), static_cast<std::uint32_t>(read_words()), launch_.turns, mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "victim's sums"};
  }

  NeighboursLaunch launch_;
  measure::Session* session_;
  const uint4* words_;  ///< the victim's, if it reads, then the stream
  measure::Stream victim_stream_;
  measure::Stream neighbour_stream_;
  measure::DeviceBuffer signals_;
  measure::DeviceBuffer victim_sums_;
  measure::DeviceBuffer neighbour_sums_;
  measure::DeviceBuffer chunks_read_;
  measure::MismatchCount mismatches_;
  measure::DeviceBuffer target_;  ///< of atomics and copies
  host::Buffer source_;           ///< of copies
  SetAside set_aside_;
  cudaLaunchAttribute window_{};
  std::uint32_t victim_runs_ = 0;  ///< since the words were cleared
  double alone_ns_ = 1;
  double beside_ns_ = 1;
  double neighbour_gb_per_s_ = 0;
};

}  // namespace gpumem::cache
