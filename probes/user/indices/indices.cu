// Indices: gathers and scatters through arrays of indices that a user brings, as files or in Spatter's notation.

#include <memory>
#include <string>
#include <vector>

#include "probes/experiment.hpp"
#include "probes/global/launch.cuh"
#include "probes/user/extent.hpp"
#include "probes/user/indices/index_case.hpp"
#include "probes/user/indices/index_kernels.cuh"
#include "probes/user/space.hpp"

namespace gpumem::global {

static auto index_of(const IndexCase& indexed) {
  return type_of_size<std::uint32_t, std::uint64_t>(indexed.index_bytes());
}

static std::string kernel_name_of(const IndexCase& indexed) {
  const Launch& launch = indexed.launch;
  return dispatch(word_of(launch), elements_of(launch), index_of(indexed), [&](auto word, auto elements, auto index) {
    using Word = typename decltype(word)::type;
    using Index = typename decltype(index)::type;
    if (launch.op == Op::read) return measure::kernel_name<&read<Word, IndexPattern<Index>, elements()>>();
    if (launch.op == Op::write) return measure::kernel_name<&write<Word, IndexPattern<Index>, elements()>>();
    if (indexed.from) return measure::kernel_name<&copy_indexed<Word, Index, elements(), true>>();
    return measure::kernel_name<&copy_indexed<Word, Index, elements(), false>>();
  });
}

/// Copies the first `count` indices to the device, in pieces.
template <class Index>
static void upload(const pattern::IndexSequence& sequence, std::uint64_t count, Index* to) {
  constexpr std::uint64_t most = std::uint64_t{1} << 20U;
  std::vector<Index> piece(std::min(count, most));
  for (std::uint64_t first = 0; first < count; first += piece.size()) {
    piece.resize(std::min(most, count - first));
    sequence.copy_to(first, std::span(piece));
    measure::check(cudaMemcpy(to + first, piece.data(), piece.size() * sizeof(Index), cudaMemcpyHostToDevice),
                   "copy indices to the device");
  }
}

class IndexExperiment final : public measure::Experiment {
 public:
  IndexExperiment(IndexCase indexed, measure::Session& session)
      : case_(std::move(indexed)), session_(&session), indices_(device_indices(case_.indices)) {
    const Launch& launch = case_.launch;
    if (case_.from) from_ = device_indices(*case_.from);
    if (launch.loads()) source_ = session.random_source(launch.words_of(case_.source_elements));
    output_words_ = launch.stores() ? launch.words_of(case_.target_elements) : launch.threads();
    output_ = session.target(output_words_);
  }

  void launch(cudaStream_t stream) override { run(case_.launch.stores() ? output_ : nullptr, stream); }

  measure::Verification verify(cudaStream_t stream) override {
    const measure::DeviceBuffer marks(case_.marks_bytes());
    if (marks.bytes() > 0) measure::check(cudaMemsetAsync(marks.data(), 0, marks.bytes(), stream), "clear the marks");
    measure::poison(output_, output_words_ * sizeof(std::uint32_t), stream);
    run(output_, stream);
    const measure::CheckResult<Mismatches> check(*session_);
    check.reset(stream);
    dispatch(index_of(case_), [&](auto index) {
      queue_checks<typename decltype(index)::type>(marks.as<std::uint32_t>(), check.data(), stream);
    });
    return check.verification(stream, checked_parts(case_.launch));
  }

 private:
  [[nodiscard]] measure::DeviceBuffer device_indices(const IndexArray& array) const {
    const std::uint64_t count = case_.launch.count;
    measure::DeviceBuffer buffer(count * case_.index_bytes());
    if (case_.index_bytes() == sizeof(std::uint32_t)) {
      upload(array.sequence, count, buffer.as<std::uint32_t>());
    } else {
      upload(array.sequence, count, buffer.as<std::uint64_t>());
    }
    return buffer;
  }

  void run(std::uint32_t* output, cudaStream_t stream) {
    const Launch& launch = case_.launch;
    dispatch(word_of(launch), elements_of(launch), index_of(case_), [&](auto word, auto elements, auto index) {
      using Word = typename decltype(word)::type;
      using Index = typename decltype(index)::type;
      const auto grid = static_cast<unsigned>(launch.blocks());
      const unsigned block = launch.tile.block_threads;
      const IndexPattern<Index> pattern{indices_.template as<Index>()};
      const auto* const source = reinterpret_cast<const Word*>(source_);
      auto* const target = reinterpret_cast<Word*>(output);
      if (launch.op == Op::read) {
        read<Word, IndexPattern<Index>, elements()><<<grid, block, 0, stream>>>(source, output, launch.count, pattern);
      } else if (launch.op == Op::write) {
        write<Word, IndexPattern<Index>, elements()><<<grid, block, 0, stream>>>(target, launch.count, pattern);
      } else if (case_.from) {
        copy_indexed<Word, Index, elements(), true>
            <<<grid, block, 0, stream>>>(source, target, from_.template as<Index>(), pattern.indices, launch.count);
      } else {
        copy_indexed<Word, Index, elements(), false>
            <<<grid, block, 0, stream>>>(source, target, nullptr, pattern.indices, launch.count);
      }
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  /// Queues the kernels that check the output. Indices may repeat: an element that is stored several times is checked
  /// as often, and an element that is never marked must be untouched. If several sources go to one target, any of them
  /// may have come last.
  template <class Index>
  void queue_checks(std::uint32_t* marks, Mismatches* found, cudaStream_t stream) const {
    constexpr unsigned threads = 256;
    const unsigned blocks = session_->device().multiprocessors * 8;
    const Launch& launch = case_.launch;
    const measure::ContentParts parts = launch.parts();
    const auto* const to = indices_.as<Index>();
    const IndexPattern<Index> pattern{to};
    if (launch.op == Op::read) {
      check_checksums<<<blocks, threads, 0, stream>>>(output_, parts, launch.count, launch.tile, launch.threads(),
                                                      pattern, found);
      return;
    }
    if (case_.from) {
      mark_arrived<<<blocks, threads, 0, stream>>>(output_, parts, launch.count, from_.as<Index>(), to, marks);
      check_arrived<<<blocks, threads, 0, stream>>>(marks, parts, launch.count, to, found);
    } else {
      mark_elements<<<blocks, threads, 0, stream>>>(marks, launch.count, pattern);
      check_target<<<blocks, threads, 0, stream>>>(output_, parts, launch.count, 0, pattern, found);
    }
    check_unmarked<<<blocks, threads, 0, stream>>>(output_, case_.target_elements * parts.per_element, parts, marks,
                                                   found);
  }

  IndexCase case_;
  measure::Session* session_;
  measure::DeviceBuffer indices_;
  measure::DeviceBuffer from_;
  const std::uint32_t* source_ = nullptr;
  std::uint32_t* output_ = nullptr;
  std::uint64_t output_words_ = 0;
};

static std::vector<std::string> from_values(std::string_view text) {
  return text == "none" ? std::vector{std::string(text)} : index_values(text, "from");
}

static std::vector<Axis> index_axes() {
  Axis op = op_axis();
  op.purpose = "operation: gather, scatter, or both; auto is that of Spatter's file, else read, with --from copy";
  op.defaults = "auto";
  op.takes_auto = true;
  Axis buffer = buffer_axis();
  buffer.purpose =
      "useful bytes per array: of so many accesses; auto is all that a file has, of notation 16 times the L2";
  return {indices_axis("UNIFORM:8:1:NR UNIFORM:8:4:NR MS1:8:4:32 LAPLACIAN:2:1:1000", "UNIFORM:8:4:NR"),
          axis::from({.flag = "from",
                      .purpose = "elements that a copy reads, in the same forms; --indices then says where it writes",
                      .defaults = "none",
                      .zero_follows = true,
                      .texts = from_values,
                      .takes = "files, Spatter's notation, none"}),
          std::move(op),
          word_bytes_axis(),
          elements_per_thread_axis(),
          block_threads_axis(),
          std::move(buffer),
          axis::extent_elements(
              {.flag = "extent",
               .unit = "elements",
               .purpose = "elements of each array, which no index may go beyond; 0: as many as the indices need",
               .defaults = "0",
               .zero_follows = true}),
          axis::delta_elements(
              {.flag = "delta",
               .unit = "elements",
               .purpose = "elements that every repeat of Spatter's notation goes further on; 0: what it says, else 8",
               .defaults = "0",
               .zero_follows = true}),
          index_format_axis(),
          index_column_axis(),
          space_axis("global",
                     "memory that the arrays are in; shared is a tile in each block, with axes of its own: gpumem "
                     "probe shared-indices --help")};
}

static Probe indices_probe() {
  const auto cases = std::make_shared<IndexCases>();
  Probe probe;
  probe.name = "indices";
  probe.purpose = "gathers and scatters through index arrays of your own";
  probe.family = Family::user;
  probe.on_request = true;  // what it shows is about the user's data
  probe.axes = index_axes();
  probe.baseline = "UNIFORM:8:1:NR";
  probe.describe = [cases](const Case& decided, const Device& device) {
    const IndexCase indexed = cases->get(decided);
    require_words(indexed.launch, device);
    Workload workload = cases->describe(indexed, device);
    workload.kernel = kernel_name_of(indexed);
    return workload;
  };
  probe.conclude = conclude_accesses;
  probe.reads_files = true;
  probe.validate = [cases](const Case& chosen) { cases->validate(chosen); };
  probe.size = [cases](std::span<Case> sweep, const Device& device) { cases->size(sweep, device); };
  probe.prepare = [cases](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    return std::make_unique<IndexExperiment>(cases->get(decided), session);
  };
  return probe;
}

GPUMEM_PROBE(indices_probe);

}  // namespace gpumem::global
