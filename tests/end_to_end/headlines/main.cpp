// gpumem with three probes that exist only here, on a GPU that exists nowhere: what is true of a probe whose point is
// no bandwidth has to be true of the whole program. GPUMEM_TEST_PACE slows everything down by a factor.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/run/case_records.hpp"
#include "app/run/environment.hpp"
#include "app/suite/suite.hpp"
#include "engine/base/error.hpp"
#include "engine/model/predict.hpp"
#include "report/record/fill.hpp"

namespace {

using namespace gpumem;

constexpr std::uint64_t near_bytes = 262'144;  // what the near memory of the GPU holds
constexpr double near_cycles = 32;
constexpr double far_cycles = 280;

Axis size_axis(const std::string& flag, const std::string& defaults) {
  return {.flag = flag, .parameter = flag + "_bytes", .unit = "bytes", .purpose = "a size", .defaults = defaults};
}

Axis shape_axis() {
  return {.flag = "chains",
          .parameter = "chains",
          .purpose = "chains per thread",
          .defaults = "auto",
          .takes_auto = true,
          .candidates = {1, 2, 4}};
}

double cycles_of(std::uint64_t bytes) { return bytes <= near_bytes ? near_cycles : far_cycles; }

Workload nothing_moved(const Case&, const Device&) {
  Workload workload;
  workload.blocks = 1;
  workload.block_threads = 32;
  workload.unmodelled = "no stage does this";
  return workload;
}

/// Latency in cycles, sampled by the kernel: no bytes, and nothing predicts it. One chain is best.
Probe chase() {
  return {
      .name = "chase",
      .purpose = "dependent loads: the latency of each",
      .axes = {{.flag = "step", .parameter = "step_lines", .unit = "lines", .purpose = "a step", .defaults = "1,2,4"},
               shape_axis()},
      .baseline = std::uint64_t{1},
      .headline = {.quantity = {"latency_cycles", "cycles from one load to the next", Better::less}},
      .describe = nothing_moved};
}

/// GFLOP/s from the time, measured and predicted, with a peak of its own.
Probe multiply() {
  const auto rate = [](const Workload& workload, double seconds) {
    return std::optional(static_cast<double>(workload.useful_flops.value_or(0)) / seconds * 1e-9);
  };
  return {.name = "multiply",
          .purpose = "products of matrices: operations per second",
          .axes = {{.flag = "rows", .parameter = "rows", .purpose = "of a square matrix", .defaults = "512,1024,2048"}},
          .baseline = std::uint64_t{512},
          .headline = {.quantity = {"gflop_per_s", "floating-point operations per second", Better::more},
                       .from_seconds = rate,
                       .peak = [](const Workload&, const Device&) { return std::optional(20'000.0); }},
          .describe = [](const Case& tested, const Device&) {
            const std::uint64_t rows = tested.number("rows");
            Workload workload;
            workload.useful_bytes_read = 8 * rows * rows;
            workload.useful_bytes_written = 4 * rows * rows;
            workload.useful_flops = 2 * rows * rows * rows;
            workload.blocks = rows;
            workload.block_threads = 256;
            workload.sites = {{.name = "tile",
                               .space = access::Space::global,
                               .op = access::Op::load,
                               .word_bytes = 4,
                               .requests = rows * rows * rows / 16,
                               .request = [](std::uint64_t k) {
                                 access::WarpRequest request{.active = ~0U, .word_bytes = 4};
                                 for (std::uint64_t lane = 0; lane < access::warp_lanes; ++lane) {
                                   request.address[lane] = (k % 8192 * access::warp_lanes + lane) * 4;
                                 }
                                 return request;
                               }}};
            return workload;
          }};
}

/// Latency over the size of what is read, from which the table detects how much the near memory holds.
Probe capacity() {
  return {.name = "capacity",
          .purpose = "latency over the size: what each level holds",
          .axes = {size_axis("span", "65536..1048576*2")},
          .baseline = std::uint64_t{65'536},
          .headline = {.quantity = {"span_latency_cycles", "cycles from one load to the next", Better::less}},
          .concluded = {{"near_capacity_bytes", "the size up to which loads stay near", Better::more}},
          .describe = nothing_moved,
          .conclude = [](std::span<const Outcome> outcomes) {
            double held = 0;
            const double least = std::ranges::min_element(outcomes, {}, &Outcome::headline)->headline;
            for (const Outcome& outcome : outcomes) {
              const auto bytes = static_cast<double>(outcome.tested.number("span_bytes"));
              if (outcome.headline < 2 * least) held = std::max(held, bytes);
            }
            return Conclusion{.facts = {}, .quantities = {{"near_capacity_bytes", held, all_of(outcomes)}}};
          }};
}

[[maybe_unused]] const bool registered =
    register_probe(chase()) && register_probe(multiply()) && register_probe(capacity());

/// Measures what a formula says, with the scatter of a real clock.
class InventedGpu final : public app::Backend {
 public:
  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] const Device& device() const override { return profile_.device; }
  [[nodiscard]] std::optional<std::string> profile() const override { return profile_.name; }
  [[nodiscard]] double trial(const Case& tested) override {
    return app::goodness_of(*tested.probe, app::describe(tested, device()), sampled(tested), seconds(tested));
  }
  [[nodiscard]] report::Record run(const Case& tested) override {
    const Probe& probe = *tested.probe;
    const Workload workload = app::describe(tested, device());
    report::Record record = report::record_of(tested, workload);
    record.verified = true;
    report::TimeRecord time;
    for (int i = 0; i < samples; ++i) time.samples.emplace_back(seconds(tested) * scatter(i));
    time.summary = measure::summarise(time.samples);
    if (probe.headline.from_seconds) {
      report::add_headline(
          record.headline, [&](double seconds) { return probe.headline.from_seconds(workload, seconds); },
          time.summary);
    } else {
      std::vector<double> values;
      for (int i = 0; i < samples; ++i) values.push_back(*sampled(tested) * scatter(i));
      report::add_samples(record.headline, std::move(values));
    }
    record.time = std::move(time);
    report::add_prediction(record, probe, workload, profile_);
    report::add_peak(record, probe, workload, device());
    return record;
  }

 private:
  static constexpr int samples = 15;
  static double scatter(int i) { return 1 + 1e-4 * (i % 5); }
  static double pace() {
    const char* text = std::getenv("GPUMEM_TEST_PACE");
    return text == nullptr ? 1 : std::atof(text);
  }
  static std::optional<double> sampled(const Case& tested) {
    if (tested.probe->name == "chase") {
      const auto chains = tested.is_auto("chains") ? 1 : tested.number("chains");
      return pace() * near_cycles * static_cast<double>(tested.number("step_lines")) * static_cast<double>(chains);
    }
    if (tested.probe->name == "capacity") return pace() * cycles_of(tested.number("span_bytes"));
    return std::nullopt;
  }
  [[nodiscard]] double seconds(const Case& tested) const {
    if (const auto cycles = sampled(tested)) return 1e-9 * *cycles / static_cast<double>(tested.parameters.size());
    return pace() * 1.05 * model::predict(app::describe(tested, device()), profile_).seconds;
  }

  model::Profile profile_ = model::load_profile("h200");
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> command(argv, argv + argc);
  const app::Environment environment{
      .registry = probes(),
      .out = std::cout,
      .err = std::cerr,
      .out_terminal = app::inspect_terminal(1),
      .err_terminal = app::inspect_terminal(2),
      .measure = [](const app::MeasureOptions&) { return std::make_unique<InventedGpu>(); },
      .command = command};
  try {
    return app::parse_command_line({command.begin() + 1, command.end()}, {probes(), app::suite_names()})
        .run(environment);
  } catch (const Error& error) {
    std::cerr << "gpumem: " << error.what() << '\n';
    return 2;
  }
}
