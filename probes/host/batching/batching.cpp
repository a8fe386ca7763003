// Batching: data that lies in many places of the host's memory, moved piece by piece or gathered first. Every copy call
// costs the host microseconds however little it moves; gathering costs it a pass over the data.

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/measure/content.hpp"
#include "engine/measure/host_memory.hpp"
#include "probes/experiment.hpp"
#include "probes/host/batching/batching_case.hpp"
#include "probes/host/whole_words.hpp"

namespace gpumem::host {

namespace {

void validate(const Case& decided) {
  const Pieces pieces(decided);
  require_pieces(pieces.bytes, pieces.count, "copies");
}

Workload describe_batching(const Case& decided, const Device& /*device*/) {
  const Pieces pieces(decided);
  const Batching how = decided[axis::batching];
  const bool packed = how == Batching::packed;
  Workload workload;
  (pieces.to_device ? workload.useful_bytes_written : workload.useful_bytes_read) = pieces.bytes;
  workload.allocated_bytes = pieces.bytes;
  workload.host_bytes = pieces.scattered_bytes() + (packed ? pieces.bytes : 0);
  workload.clock = measure::Clock::host;  // the host's calls are what it is about
  const Operation copy{
      .work = pieces.to_device ? Operation::Work::copy_to_device : Operation::Work::copy_to_host,
      .stage = "copy",
      .bytes = pieces.bytes,
      .count = packed ? 1 : pieces.count,
      .one_call = how == Batching::batched,
  };
  workload.operations = {copy};
  if (packed) {
    const Operation pack{.work = Operation::Work::pack, .stage = "pack", .bytes = pieces.bytes, .count = pieces.count};
    workload.operations.insert(pieces.to_device ? workload.operations.begin() : workload.operations.end(), pack);
  }
  return workload;
}

/// All pieces as one call takes them. Here so that everything else is the same whatever CUDA the program is built with.
class Batch {
 public:
#if CUDART_VERSION >= 13000
  void add(void* to, const void* from, std::size_t bytes) {
    to_.push_back(to);
    from_.push_back(from);
    bytes_.push_back(bytes);
  }
  void copy(cudaStream_t stream) const {
    cudaMemcpyAttributes attributes{};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::size_t first_with_them = 0;
    measure::check(cudaMemcpyBatchAsync(to_.data(), from_.data(), bytes_.data(), to_.size(), &attributes,
                                        &first_with_them, 1, stream),
                   "copy all pieces in one call");
  }

 private:
  std::vector<void*> to_;
  std::vector<const void*> from_;
  std::vector<std::size_t> bytes_;
#else
  void add(void*, const void*, std::size_t) {
    throw missing_capability_error(fmt::format(
        "one call for many copies (cudaMemcpyBatchAsync) needs CUDA 13; this program was built with CUDA {}.{}",
        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10));
  }
  void copy(cudaStream_t) const {}
#endif
};

class BatchingExperiment final : public measure::Experiment {
 public:
  BatchingExperiment(const Case& decided, measure::Session& session)
      : pieces_(decided),
        packs_(decided[axis::batching] == Batching::packed),
        batches_(decided[axis::batching] == Batching::batched),
        session_(&session),
        scattered_(Memory::pinned, pieces_.scattered_bytes()) {
    const std::uint64_t words = pieces_.bytes / word_bytes;
    if (pieces_.to_device) {
      target_ = session.target(words);
      fill_poison(scattered_.words(), scattered_.bytes() / word_bytes);
      for (std::uint64_t k = 0; k < pieces_.count; ++k) {
        fill_random(host_piece(k), pieces_.piece_words(), pieces_.device_word(k));
      }
    } else {
      source_ = session.random_source(words);
    }
    if (packs_) staging_ = Buffer(Memory::pinned, pieces_.bytes);
    if (batches_) {
      for (std::uint64_t k = 0; k < pieces_.count; ++k) batch_.add(to(k), from(k), pieces_.piece_bytes());
    }
  }

  void launch(cudaStream_t stream) override {
    if (batches_) return batch_.copy(stream);
    if (!packs_) return copy_each(stream);
    if (pieces_.to_device) gather();
    void* const to = pieces_.to_device ? static_cast<void*>(target_) : staging_.data();
    const void* const from = pieces_.to_device ? staging_.data() : static_cast<const void*>(source_);
    measure::check(cudaMemcpyAsync(to, from, pieces_.bytes, kind(), stream), "copy the packed pieces");
    // Before the staging buffer is read, and before the next launch writes it.
    measure::check(cudaStreamSynchronize(stream), "wait for the packed pieces");
    if (!pieces_.to_device) scatter();
  }

  measure::Verification verify(cudaStream_t stream) override {
    if (packs_) fill_poison(staging_.words(), pieces_.bytes / word_bytes);
    if (!pieces_.to_device) return verify_in_host_memory(stream);
    measure::poison(target_, pieces_.bytes, stream, "poison the target");
    launch(stream);
    return measure::verify_random_words(*session_, target_, pieces_.bytes / word_bytes, 0, stream,
                                        "32-bit words on the device");
  }

 private:
  [[nodiscard]] cudaMemcpyKind kind() const {
    return pieces_.to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  }
  [[nodiscard]] std::uint32_t* host_piece(std::uint64_t k) const { return scattered_.words() + pieces_.host_word(k); }
  [[nodiscard]] std::uint32_t* staged_piece(std::uint64_t k) const { return staging_.words() + pieces_.device_word(k); }
  [[nodiscard]] std::uint32_t* to(std::uint64_t k) const {
    return pieces_.to_device ? target_ + pieces_.device_word(k) : host_piece(k);
  }
  [[nodiscard]] const std::uint32_t* from(std::uint64_t k) const {
    return pieces_.to_device ? host_piece(k) : source_ + pieces_.device_word(k);
  }

  void copy_each(cudaStream_t stream) const {
    for (std::uint64_t k = 0; k < pieces_.count; ++k) {
      measure::check(cudaMemcpyAsync(to(k), from(k), pieces_.piece_bytes(), kind(), stream), "copy a piece");
    }
  }
  void gather() const {
    for (std::uint64_t k = 0; k < pieces_.count; ++k)
      std::memcpy(staged_piece(k), host_piece(k), pieces_.piece_bytes());
  }
  void scatter() const {
    for (std::uint64_t k = 0; k < pieces_.count; ++k)
      std::memcpy(host_piece(k), staged_piece(k), pieces_.piece_bytes());
  }

  /// Every piece where it belongs, and nothing in the gaps.
  measure::Verification verify_in_host_memory(cudaStream_t stream) {
    fill_poison(scattered_.words(), scattered_.bytes() / word_bytes);
    launch(stream);
    measure::check(cudaStreamSynchronize(stream), "wait for the pieces");
    measure::Verification verification{.what = "32-bit words of the pieces and their gaps"};
    const auto found = [&](std::uint64_t mismatches, std::uint64_t first) {
      if (mismatches != 0 && verification.mismatches == 0) verification.first_mismatch = first;
      verification.mismatches += mismatches;
    };
    const std::uint64_t words = pieces_.piece_words();
    for (std::uint64_t k = 0; k < pieces_.count; ++k) {
      const Difference piece = compare_random(host_piece(k), words, pieces_.device_word(k));
      found(piece.mismatches, pieces_.host_word(k) + piece.first);
      const std::uint32_t* const gap = host_piece(k) + words;
      for (std::uint64_t i = 0; i < words; ++i) {
        if (gap[i] != measure::poison_word) found(1, pieces_.host_word(k) + words + i);
      }
    }
    return verification;
  }

  Pieces pieces_;
  bool packs_;
  bool batches_;
  measure::Session* session_;
  Buffer scattered_;  ///< pinned: pieces and gaps
  Buffer staging_;    ///< pinned: the pieces side by side, if they are packed
  const std::uint32_t* source_ = nullptr;
  std::uint32_t* target_ = nullptr;
  Batch batch_;
};

Probe batching_probe() {
  Probe probe;
  probe.name = "batching";
  probe.purpose = "many small copies: call by call, packed first, in one call";
  probe.family = Family::host;
  probe.axes = {
      axis::copies({.flag = "copies",
                    .unit = "copies",
                    .purpose = "pieces that the data lies in; more pieces are smaller ones",
                    .defaults = "1..65536*4",
                    .quick = "1,4096",
                    .minimum = 1}),
      axis::batching({.flag = "batching",
                      .purpose = "a call for each piece, one copy of what the host packs, or one call for all pieces",
                      .quick = "separate,packed",
                      .value_optional = true}),
      axis::to_device({.flag = "direction", .purpose = "direction of the data", .defaults = "to-device"}),
      axis::size_bytes(
          {.flag = "size", .purpose = "size of all pieces together", .defaults = "16MiB", .minimum = word_bytes})};
  probe.compared = axis::batching.name;
  probe.baseline = std::string("separate");
  probe.headline = bandwidth(link_peak);
  probe.concluded = {{"packing_pays_from_copies", "copies from which packing is faster at every larger number tried",
                      Better::neither}};
  probe.describe = describe_batching;
  probe.validate = validate;
  probe.prepare = prepared<BatchingExperiment>;
  probe.conclude = conclude_batching;
  return probe;
}

GPUMEM_PROBE(batching_probe);

}  // namespace

}  // namespace gpumem::host
