#pragma once
// From a pattern to a probe of global memory: its description for the model and its experiment on a GPU. A probe's
// file supplies the pattern, a trivially copyable functor:
//
//   std::uint64_t operator()(std::uint64_t i) const   element accessed as the i-th of the launch
//   bool active(std::uint64_t i) const                whether the thread of element i takes part
//   std::uint64_t extent(std::uint64_t count) const   elements an array must have for i < count
//   std::uint64_t useful(std::uint64_t count) const   elements accessed for i < count
//   PatternPeriod period() const                      may be left out: how it repeats itself for every i (launch.hpp)
//
// No element may be accessed twice: verification counts what is written.

#include "probes/experiment.hpp"
#include "probes/global/launch.cuh"
#include "probes/global/verify.cuh"

namespace gpumem::global {

template <class Pattern>
Workload describe(const Launch& launch, const Pattern& pattern) {
  Workload workload = describe_launch(launch, pattern, access::Space::global);
  workload.allocated_bytes = allocated_bytes(launch, pattern.extent(launch.count));
  return workload;
}

template <class Pattern>
class GlobalExperiment final : public measure::Experiment {
 public:
  GlobalExperiment(const Launch& launch, const Pattern& pattern, measure::Session& session)
      : launch_(launch), pattern_(pattern), session_(&session) {
    const std::uint64_t extent_words = launch_.words_of(pattern.extent(launch_.count));
    if (launch_.loads()) source_ = session.random_source(extent_words);
    output_words_ = launch_.stores() ? extent_words : launch_.threads();
    output_ = session.target(output_words_);
  }

  void launch(cudaStream_t stream) override {
    launch_into(launch_, pattern_, source_, launch_.stores() ? output_ : nullptr, stream);
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(output_, output_words_ * sizeof(std::uint32_t), stream);
    launch_into(launch_, pattern_, source_, output_, stream);
    return check_output(*session_, launch_, pattern_, output_, stream);
  }

 private:
  Launch launch_;
  Pattern pattern_;
  measure::Session* session_;
  const std::uint32_t* source_ = nullptr;
  std::uint32_t* output_ = nullptr;
  std::uint64_t output_words_ = 0;
};

/// Assembles a probe whose pattern is `make_pattern(case)`; the pattern may depend on the swept axis only.
template <class MakePattern>
Probe make_probe(std::string name, std::string purpose, Axis swept, Value baseline, MakePattern make_pattern) {
  Probe probe;
  probe.name = std::move(name);
  probe.purpose = std::move(purpose);
  probe.family = Family::global;
  probe.axes = axes(std::move(swept));
  probe.baseline = std::move(baseline);
  probe.describe = [=](const Case& decided, const Device& device) {
    const Launch launch = launch_of(decided);
    require_words(launch, device);
    return describe(launch, make_pattern(decided));
  };
  probe.validate = validate;
  probe.size = [=](std::span<Case> sweep, const Device& device) {
    size(sweep, device, [&](const Case& tested) {
      const Launch launch = untiled_launch_of(tested);
      return allocated_bytes(launch, make_pattern(tested).extent(launch.count));
    });
  };
  probe.conclude = conclude_accesses;
  probe.prepare = [=](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    using Pattern = decltype(make_pattern(decided));
    return std::make_unique<GlobalExperiment<Pattern>>(launch_of(decided), make_pattern(decided), session);
  };
  return probe;
}

}  // namespace gpumem::global
