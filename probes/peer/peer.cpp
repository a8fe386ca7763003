// Peer: copies from every GPU of the machine to every other, by copy engines, by kernels that read or write the other's
// memory, and through the host's memory; one pair at a time, or all disjoint pairs together, which shows what they
// share.

#include "engine/model/subjects/peer.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/measure/session.hpp"
#include "engine/measure/timing.hpp"
#include "engine/model/predict.hpp"
#include "probes/peer/far_chase.hpp"
#include "probes/peer/flow.hpp"
#include "probes/peer/peer_case.hpp"
#include "probes/peer/peer_kernel.hpp"
#include "probes/probe.hpp"

namespace gpumem::peer {

namespace {

using measure::Seconds;

/// The ways of a case that run together: its own, the way back, and those of other pairs.
std::vector<PeerCase> ways_of(const PeerCase& peer, std::uint64_t gpus) {
  std::vector<PeerCase> ways;
  for (const Pair& pair : peer.at_once ? disjoint_pairs(peer.pair, gpus) : std::vector{peer.pair}) {
    PeerCase& way = ways.emplace_back(peer);
    way.pair = pair;
    if (!peer.both) continue;
    ways.emplace_back(way).pair = {pair.target, pair.source};
  }
  return ways;
}

class PeerExperiment final : public measure::Experiment {
 public:
  PeerExperiment(const Case& decided, measure::Session& session, std::uint64_t gpus)
      : peer_(decided), session_(&session) {
    session.peer(static_cast<int>(peer_.other())).make_room((peer_.both ? 2 : 1) * peer_.bytes);
    for (const PeerCase& way : ways_of(peer_, gpus)) flows_.emplace_back(way, session);
    if (peer_.at_once) gate_.emplace();
  }

  [[nodiscard]] std::size_t queued_commands() const override {
    if (is_plain()) return flows_.front().commands();
    std::size_t commands = 3 * flows_.size();
    for (const Flow& flow : flows_) commands += flow.commands();
    return commands;
  }

  /// Into the session's stream, as all of the flows' are.
  void launch(cudaStream_t /*stream*/) override {
    if (is_plain()) return flows_.front().queue(peer_.copies());
    // The gate holds all ways back until the last of them is queued: else those queued first would be alone at first.
    if (gate_) gate_->close(session_->stream());
    queue_together(flows_.size());
    if (gate_) gate_->open();
  }

  /// One copy alone, without the way back and other pairs.
  void launch_kernel(cudaStream_t /*stream*/) override { flows_.front().queue(1); }

  measure::Verification verify(cudaStream_t stream) override {
    for (std::size_t i = 0; i < own(); ++i) flows_[i].poison();
    launch(stream);
    measure::check(cudaStreamSynchronize(stream), "copy between two GPUs");
    measure::Verification found;
    for (std::size_t i = 0; i < own() && found.mismatches == 0; ++i) found = flows_[i].verify();
    return found;
  }

  /// GB/s of its own while all others run.
  double sample() override { return gb_per_s(measure::elapsed(start_, stop_)); }

  std::vector<std::pair<std::string, double>> metrics(cudaStream_t /*stream*/, Seconds /*per_launch*/) override {
    std::vector<std::pair<std::string, double>> result;
    if (peer_.at_once) {
      constexpr unsigned runs = 10;
      const auto alone = measure::time_queued(session_->stream(), runs, [&] { queue_together(own()); });
      result.emplace_back("alone_gb_per_s", gb_per_s(alone.median));
    } else if (peer_.via == Via::kernel_read && !peer_.both) {
      result.emplace_back("load_latency_ns",
                          far_latency_ns(*session_, session_->peer(static_cast<int>(peer_.other()))));
    }
    return result;
  }

 private:
  /// One way alone, which is timed from outside.
  [[nodiscard]] bool is_plain() const { return flows_.size() == 1 && !peer_.at_once; }
  [[nodiscard]] std::size_t own() const { return peer_.both ? 2 : 1; }
  [[nodiscard]] double gb_per_s(Seconds time) const {
    return static_cast<double>(own() * peer_.copies() * peer_.bytes) * per_giga / time.count();
  }

  /// Queues the first `count` ways to begin together. The session's stream waits for all of them, and `stop_` is passed
  /// when its own have ended.
  void queue_together(std::size_t count) {
    start_.record(session_->stream());
    for (std::size_t i = 1; i < count; ++i) {
      flows_[i].wait_for(start_);
      flows_[i].queue(peer_.copies());
    }
    flows_.front().queue(peer_.copies());
    const auto join = [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) flows_.front().wait_for(flows_[i].mark());
    };
    join(1, own());
    stop_.record(session_->stream());
    join(own(), count);
  }

  PeerCase peer_;
  measure::Session* session_;  ///< of the GPU that moves the bytes of its own
  std::vector<Flow> flows_;    ///< its own, the way back if there is one, and those of other pairs
  std::optional<measure::Gate> gate_;
  measure::Event start_;
  measure::Event stop_;
};

std::optional<double> predicted_latency_ns(const Workload& workload, const model::Prediction& /*prediction*/,
                                           const model::Profile& profile) {
  const auto* peer = workload.about<PeerTraffic>();
  const bool chased = peer && peer->mover == PeerTraffic::Mover::kernel_read && !peer->both_ways && !workload.sampled;
  return chased ? std::optional(model::peer_latency_s(*peer, profile) * 1e9) : std::nullopt;
}

std::optional<double> predicted_alone(const Workload& workload, const model::Prediction& prediction,
                                      const model::Profile& /*profile*/) {
  return workload.sampled ? std::optional(prediction.bytes_per_s * per_giga) : std::nullopt;
}

std::optional<double> peak(const Workload& workload, const Device& gpu) {
  const auto* peer = workload.about<PeerTraffic>();
  if (!peer) return std::nullopt;
  const double ways = peer->both_ways ? 2 : 1;
  const bool straight = peer->mover != PeerTraffic::Mover::host;
  const auto each_way = straight ? peer->link.theoretical_bytes_per_s() : gpu.link_bytes_per_s();
  return each_way ? std::optional(*each_way * ways * per_giga) : std::nullopt;
}

std::vector<Axis> axes() {
  return {
      axis::source({.flag = "source",
                    .purpose = "the GPU that has the data, by its CUDA index; a matrix's rows",
                    .defaults = "all",
                    .maximum = most_gpus - 1,
                    .all = all_gpus}),
      axis::target({.flag = "target",
                    .purpose = "the GPU that gets the data; a matrix's columns",
                    .defaults = "all",
                    .maximum = most_gpus - 1,
                    .all = all_gpus}),
      axis::via({.flag = "via",
                 .purpose =
                     "mover of the data: the source's copy engine (-read: the target's), a kernel on the target that "
                     "reads, one on the source that writes, or both copy engines through pinned memory of the host",
                 .defaults = "copy-engine,kernel-read,kernel-write,staged"}),
      axis::both({.flag = "direction", .purpose = "one way, or as much back at the same time"}),
      axis::at_once(
          {.flag = "at-once",
           .purpose = "pairs one after another, or all that have no GPU in common at once, which shows what they share",
           .defaults = "no",
           .value_optional = true,
           .alone = "yes",
           .zero_follows = true}),
      axis::size_bytes({.flag = "size",
                        .purpose = "bytes of a copy, each way; a run is eight of them in a row, but for staged ones",
                        .defaults = "512MiB",
                        .minimum = 16})};
}

Probe peer_probe() {
  Probe probe;
  probe.name = "peer";
  probe.purpose = "copies between every pair of GPUs, and which way is fastest";
  probe.family = Family::peer;
  probe.on_request = true;  // it takes two GPUs
  probe.axes = axes();
  probe.compared = axis::via.name;
  probe.across = axis::target.name;
  probe.baseline = std::string("copy-engine");
  probe.headline = bandwidth(peak);
  probe.metrics = {{.quantity = {"load_latency_ns", "a load from the other GPU's memory that waits for the one before",
                                 Better::less},
                    .predict = predicted_latency_ns,
                    .essential = true},
                   {.quantity = {"alone_gb_per_s", "bandwidth while no other pair copies", Better::more},
                    .predict = predicted_alone}};
  probe.concluded = concluded_of_peers();
  probe.gpus = [](const Case& tested) {
    const PeerCase peer(tested);
    return std::vector{peer.mover(), peer.other()};
  };
  probe.describe = describe;
  probe.validate = [](const Case& chosen) {
    if (chosen[axis::size_bytes] % word_bytes != 0) {
      throw usage_error("--size " + std::to_string(chosen[axis::size_bytes]) +
                        ": copies between GPUs are of whole 16-byte words; give a multiple of 16");
    }
  };
  probe.fits = fits;
  probe.prepare = [](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    int gpus = 0;
    measure::check(cudaGetDeviceCount(&gpus), "count the GPUs");
    return std::make_unique<PeerExperiment>(decided, session, static_cast<std::uint64_t>(gpus));
  };
  probe.conclude = conclude_peers;
  return probe;
}

GPUMEM_PROBE(peer_probe);

}  // namespace

}  // namespace gpumem::peer
