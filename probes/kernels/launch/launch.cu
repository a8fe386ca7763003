// Launch: what a kernel costs that does next to nothing. Waited for one by one, many queued before the wait, or many
// handed over in one call as a CUDA graph. By the host's clock in all three, for it is the host that waits.

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "probes/experiment.hpp"
#include "probes/kernels/launch/launch_kernels.cuh"

namespace gpumem::kernels {

/// Words behind those of the kernels, which nothing may store.
constexpr std::uint32_t guard_words = 64;

enum class LaunchBy { alone, batched, graph };

namespace axis {
constexpr Number<std::uint32_t> kernels{"kernels"};
constexpr Choice<LaunchBy> launch{"launch", {"alone", "batched", "graph"}};
}  // namespace axis

static std::uint64_t word_bytes_of(std::uint32_t kernels) {
  return (std::uint64_t{kernels} + guard_words) * sizeof(std::uint32_t);
}

static Workload describe_launch(const Case& decided, const Device& /*device*/) {
  const std::uint32_t kernels = decided[axis::kernels];
  Workload workload;
  workload.kernel = measure::kernel_name<&store_word<std::uint32_t>>();
  workload.allocated_bytes = word_bytes_of(kernels);
  workload.blocks = 1;
  workload.block_threads = 1;
  workload.clock = measure::Clock::host;
  workload.unmodelled = "the model does not know how fast the host and its driver launch";
  workload.operations = {{.work = Operation::Work::launch, .stage = "kernel", .count = kernels}};
  return workload;
}

/// Launches of one after another as a graph.
class LaunchGraph {
 public:
  LaunchGraph() = default;
  template <class Queue>
  LaunchGraph(const measure::Stream& stream, Queue&& queue) {
    measure::check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "begin the graph");
    queue();
    cudaGraph_t captured = nullptr;
    measure::check(cudaStreamEndCapture(stream.get(), &captured), "end the graph");
    const std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph> graph(captured);
    cudaGraphExec_t executable = nullptr;
    measure::check(cudaGraphInstantiateWithFlags(&executable, captured, 0), "make the graph executable");
    executable_.reset(executable);
  }

  void launch(cudaStream_t stream) const {
    measure::check(cudaGraphLaunch(executable_.get(), stream), "launch the graph");
  }

 private:
  struct DestroyGraph {
    void operator()(cudaGraph_t graph) const noexcept { static_cast<void>(cudaGraphDestroy(graph)); }
  };
  struct DestroyExecutable {
    void operator()(cudaGraphExec_t graph) const noexcept { static_cast<void>(cudaGraphExecDestroy(graph)); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyExecutable> executable_;
};

class LaunchExperiment final : public measure::Experiment {
 public:
  LaunchExperiment(const Case& decided, measure::Session& session)
      : kernels_(decided[axis::kernels]),
        alone_(decided[axis::launch] == LaunchBy::alone),
        as_graph_(decided[axis::launch] == LaunchBy::graph),
        words_(word_bytes_of(kernels_)),
        mismatches_(session) {
    if (!as_graph_) return;
    launch_kernel(session.stream().get());  // loads the kernel, which a capture might not allow
    session.stream().synchronize();
    graph_ = LaunchGraph(session.stream(), [&] { queue(session.stream().get()); });
  }

  void launch(cudaStream_t stream) override {
    if (as_graph_) return graph_.launch(stream);
    if (!alone_) return queue(stream);
    for (std::uint32_t k = 0; k < kernels_; ++k) {
      queue_one(k, stream);
      measure::check(cudaStreamSynchronize(stream), "wait for the kernel");
    }
  }

  void launch_kernel(cudaStream_t stream) override { queue_one(0, stream); }

  [[nodiscard]] std::size_t queued_commands() const override { return as_graph_ ? 1 : kernels_; }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(words_, stream);
    mismatches_.reset(stream);
    launch(stream);
    check_stored_words<<<1, 256, 0, stream>>>(words_.as<std::uint32_t>(), kernels_, kernels_ + guard_words,
                                              mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "kernels' words"};
  }

 private:
  void queue_one(std::uint32_t k, cudaStream_t stream) const {
    store_word<<<1, 1, 0, stream>>>(words_.as<std::uint32_t>(), k);
    measure::check(cudaGetLastError(), "launch the kernel");
  }
  void queue(cudaStream_t stream) const {
    for (std::uint32_t k = 0; k < kernels_; ++k) queue_one(k, stream);
  }

  std::uint32_t kernels_;
  bool alone_;
  bool as_graph_;
  measure::DeviceBuffer words_;
  measure::MismatchCount mismatches_;
  LaunchGraph graph_;
};

/// From which number of kernels on a graph beats the queue at every larger one.
static void add_graph(std::vector<Fact>& facts, const OutcomesByNumber& batched, const OutcomesByNumber& graph) {
  const Outcome* first = nullptr;
  const Outcome* last = nullptr;
  const Outcome* last_queued = nullptr;
  for (const auto& [kernels, as_graph, queued] : pairs_of(graph, batched)) {
    last = as_graph;
    last_queued = queued;
    if (!better(*last, *last_queued)) {
      first = nullptr;
    } else if (first == nullptr) {
      first = last;
    }
  }
  if (last == nullptr) return;
  Fact fact{FactKind::as_fast_as,
            {last->index, last_queued->index},
            "A graph gains nothing over the queue.",
            {gain_value("gain_ratio", *last_queued, *last)}};
  if (first != nullptr) {
    fact.kind = FactKind::pays_from;
    fact.outcomes.insert(fact.outcomes.begin(), first->index);
    fact.says = "A graph of {from_kernels} or more kernels beats the queue: {gain_ratio} as fast at {most_kernels}.";
    fact.values.emplace_back("from_kernels", first->tested[axis::kernels]);
    fact.values.emplace_back("most_kernels", last->tested[axis::kernels]);
  }
  facts.push_back(std::move(fact));
}

static Conclusion conclude_launch(std::span<const Outcome> outcomes) {
  const OutcomesByNumber alone = by_number(outcomes, axis::launch, LaunchBy::alone, axis::kernels);
  const OutcomesByNumber batched = by_number(outcomes, axis::launch, LaunchBy::batched, axis::kernels);
  const OutcomesByNumber graph = by_number(outcomes, axis::launch, LaunchBy::graph, axis::kernels);
  Conclusion conclusion;
  if (!alone.empty() && !batched.empty()) {
    const Outcome& single = *alone.begin()->second;
    const Outcome& queued = *batched.rbegin()->second;
    const double waits = single.headline - queued.headline;
    if (waits > 0) conclusion.quantities.push_back({"host_waits_us", waits, {single.index, queued.index}});
    if (better(queued, single)) {
      conclusion.facts.push_back({FactKind::costs,
                                  {single.index, queued.index},
                                  "Wait only where a result is needed: to wait for a kernel costs the host {waits_us} "
                                  "more than to queue the next one.",
                                  {{"waits_us", waits}}});
    }
  }
  add_graph(conclusion.facts, batched, graph);
  Fact costs{FactKind::costs, {}, "A kernel that does next to nothing costs {cost_us method kernels}."};
  std::vector<double> us;
  std::vector<std::string> methods;
  std::vector<double> kernels;
  for (const auto& [launches, method] : {std::pair(&alone, "with a wait after each of"),
                                         std::pair(&batched, "in a queue of"), std::pair(&graph, "in a graph of")}) {
    if (launches->empty()) continue;
    const auto& [most, outcome] = *launches->rbegin();
    costs.outcomes.push_back(outcome->index);
    us.push_back(outcome->headline);
    methods.emplace_back(method);
    kernels.push_back(static_cast<double>(most));
  }
  costs.values = {{"cost_us", us}, {"method", methods}, {"kernels", kernels}};
  conclusion.facts.push_back(std::move(costs));
  return conclusion;
}

static Probe launch_probe() {
  Probe probe;
  probe.name = "launch";
  probe.purpose = "kernels that do next to nothing: alone, queued, in a graph";
  probe.family = Family::kernels;
  probe.axes = {
      axis::kernels({.flag = "kernels",
                     .unit = "kernels",
                     .purpose = "kernels launched before the host needs the last one's result",
                     .defaults = "1..1024*4",
                     .quick = "1,64",
                     .minimum = 1,
                     .maximum = std::uint64_t{1} << 16U}),
      axis::launch({.flag = "launch",
                    .purpose = "wait for each, wait for the last, or hand all over in one call as a CUDA graph",
                    .value_optional = true})};
  probe.compared = axis::launch.name;
  probe.baseline = std::string("alone");
  probe.headline = {
      .quantity = {"launch_us", "time per kernel, from the first call until the host has waited for the last",
                   Better::less},
      .from_seconds = [](const Workload& workload, double seconds) -> std::optional<double> {
        return seconds * 1e6 / static_cast<double>(workload.operations.front().count);
      }};
  probe.concluded = {{"host_waits_us", "extra time of a single kernel over one more in a batch", Better::less}};
  probe.describe = describe_launch;
  probe.prepare = prepared<LaunchExperiment>;
  probe.conclude = conclude_launch;
  return probe;
}

GPUMEM_PROBE(launch_probe);

}  // namespace gpumem::kernels
