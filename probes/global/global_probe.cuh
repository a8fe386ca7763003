#pragma once
// From a pattern to a probe of global memory: its description for the model and its experiment on a GPU. A probe's
// file supplies the pattern, a trivially copyable functor:
//
//   std::uint64_t operator()(std::uint64_t i) const   element accessed as the i-th of the launch
//   bool active(std::uint64_t i) const                whether the thread of element i takes part
//   std::uint64_t extent(std::uint64_t count) const   elements an array must have for i < count
//   std::uint64_t useful(std::uint64_t count) const   elements accessed for i < count
//
// No element may be accessed twice: verification counts the words written.

#include <type_traits>

#include "probes/global/kernels.cuh"
#include "probes/global/launch.hpp"
#include "probes/global/verify.cuh"
#include "probes/measure/cuda.hpp"
#include "probes/measure/experiment.hpp"
#include "probes/measure/kernel_name.hpp"
#include "probes/measure/session.hpp"
#include "probes/probe.hpp"

namespace gpumem::global {

/// Calls visit(type_identity<Word>, integral_constant<elements per thread>) for a launch.
template <class Visitor>
decltype(auto) with_shape(const Launch& launch, Visitor&& visit) {
  const auto with_word = [&](auto word) {
    switch (launch.tile.elements_per_thread) {
      case 1:
        return visit(word, std::integral_constant<unsigned, 1>{});
      case 2:
        return visit(word, std::integral_constant<unsigned, 2>{});
      case 4:
        return visit(word, std::integral_constant<unsigned, 4>{});
      default:
        return visit(word, std::integral_constant<unsigned, 8>{});
    }
  };
  switch (launch.word_bytes) {
    case 4:
      return with_word(std::type_identity<std::uint32_t>{});
    case 8:
      return with_word(std::type_identity<uint2>{});
    default:
      return with_word(std::type_identity<uint4>{});
  }
}

template <class Pattern>
Workload describe(const Case& decided, const Pattern& pattern) {
  const Launch launch = launch_of(decided);
  Workload workload;
  workload.kernel = with_shape(launch, [&](auto word, auto elements) {
    using Word = typename decltype(word)::type;
    if (launch.op == Op::read) return measure::kernel_name<&read<Word, Pattern, elements()>>();
    if (launch.op == Op::write) return measure::kernel_name<&write<Word, Pattern, elements()>>();
    return measure::kernel_name<&copy<Word, Pattern, elements()>>();
  });
  const auto add_site = [&](const char* name, access::Op op) {
    workload.sites.push_back({.name = name,
                              .space = access::Space::global,
                              .op = op,
                              .word_bytes = launch.word_bytes,
                              .instructions = launch.tile.elements_per_thread,
                              .requests = launch.requests(),
                              .request = [=](std::uint64_t k) { return request(launch, pattern, k); }});
  };
  const std::uint64_t useful = pattern.useful(launch.count) * launch.word_bytes;
  if (launch.loads()) {
    add_site("source", access::Op::load);
    workload.useful_bytes_read = useful;
  }
  if (launch.stores()) {
    add_site("target", access::Op::store);
    workload.useful_bytes_written = useful;
  }
  workload.allocated_bytes = allocated_bytes(decided, pattern.extent(launch.count));
  workload.blocks = launch.blocks();
  workload.block_threads = launch.tile.block_threads;
  return workload;
}

template <class Pattern>
class GlobalExperiment final : public measure::Experiment {
 public:
  GlobalExperiment(const Case& decided, const Pattern& pattern, measure::Session& session)
      : launch_(launch_of(decided)), pattern_(pattern), session_(&session) {
    extent_words_ = pattern.extent(launch_.count) * words_per_element();
    if (launch_.loads()) source_ = session.random_source(extent_words_);
    const std::uint64_t output_words = launch_.stores() ? extent_words_ : launch_.threads();
    output_ = session.target(output_words);
  }

  void launch(cudaStream_t stream) override { launch_into(launch_.stores() ? output_ : nullptr, stream); }

  measure::Verification verify(cudaStream_t stream) override {
    constexpr unsigned threads = 256;
    const unsigned blocks = session_->device().multiprocessors * 8;
    const std::uint64_t words = launch_.stores() ? extent_words_ : launch_.threads();
    measure::check(cudaMemsetAsync(output_, measure::poison_byte, words * sizeof(std::uint32_t), stream),
                   "poison the output");
    launch_into(output_, stream);

    auto* found = session_->template scratch<Mismatches>();
    const Mismatches none{0, ~0ULL, 0};
    measure::check(cudaMemcpyAsync(found, &none, sizeof none, cudaMemcpyDefault, stream), "reset the check");
    if (launch_.stores()) {
      check_target<<<blocks, threads, 0, stream>>>(output_, words_per_element(), launch_.count, pattern_, found);
      count_written<<<blocks, threads, 0, stream>>>(output_, words, found);
    } else {
      check_checksums<<<blocks, threads, 0, stream>>>(output_, words_per_element(), launch_.count, launch_.tile,
                                                      launch_.threads(), pattern_, found);
    }
    measure::check(cudaGetLastError(), "launch the check");
    Mismatches result{};
    measure::check(cudaMemcpyAsync(&result, found, sizeof result, cudaMemcpyDefault, stream), "read the check");
    measure::check(cudaStreamSynchronize(stream), "run the kernel and its check");

    measure::Verification verification;
    verification.mismatches = result.count;
    verification.first_mismatch = result.first;
    verification.what = launch_.stores() ? "32-bit words of the target" : "threads' checksums";
    const std::uint64_t expected = pattern_.useful(launch_.count) * words_per_element();
    if (launch_.stores() && result.count == 0 && result.written != expected) {
      verification.mismatches = result.written > expected ? result.written - expected : expected - result.written;
      verification.what = "32-bit words outside the pattern";
    }
    return verification;
  }

 private:
  [[nodiscard]] std::uint32_t words_per_element() const { return launch_.word_bytes / sizeof(std::uint32_t); }

  void launch_into(std::uint32_t* output, cudaStream_t stream) {
    with_shape(launch_, [&](auto word, auto elements) {
      using Word = typename decltype(word)::type;
      const auto grid = static_cast<unsigned>(launch_.blocks());
      const unsigned block = launch_.tile.block_threads;
      const auto* source = reinterpret_cast<const Word*>(source_);
      auto* target = reinterpret_cast<Word*>(output);
      switch (launch_.op) {
        case Op::read:
          read<Word, Pattern, elements()><<<grid, block, 0, stream>>>(source, output, launch_.count, pattern_);
          break;
        case Op::write:
          write<Word, Pattern, elements()><<<grid, block, 0, stream>>>(target, launch_.count, pattern_);
          break;
        case Op::copy:
          copy<Word, Pattern, elements()><<<grid, block, 0, stream>>>(source, target, launch_.count, pattern_);
          break;
      }
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  Launch launch_;
  Pattern pattern_;
  measure::Session* session_;
  std::uint64_t extent_words_ = 0;
  const std::uint32_t* source_ = nullptr;
  std::uint32_t* output_ = nullptr;
};

/// Assembles a probe whose pattern is `make_pattern(case)`; the pattern may depend on the swept axis only.
template <class MakePattern>
Probe make_probe(std::string name, std::string purpose, Axis swept, Value baseline, MakePattern make_pattern) {
  Probe probe;
  probe.name = std::move(name);
  probe.purpose = std::move(purpose);
  probe.axes = axes(std::move(swept));
  probe.baseline = std::move(baseline);
  probe.describe = [=](const Case& decided, const Device&) { return describe(decided, make_pattern(decided)); };
  probe.validate = validate;
  probe.size = [=](std::span<Case> sweep, const Device& device) {
    size(sweep, device, [&](const Case& one, std::uint64_t count) { return make_pattern(one).extent(count); });
  };
  probe.prepare = [=](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    using Pattern = decltype(make_pattern(decided));
    return std::make_unique<GlobalExperiment<Pattern>>(decided, make_pattern(decided), session);
  };
  return probe;
}

}  // namespace gpumem::global
