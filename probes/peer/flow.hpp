#pragma once
// Bytes on their way from one GPU to another: the buffers at both ends, and the streams and events of a copy.

#include <array>
#include <cstdint>
#include <memory>

#include "engine/measure/cuda.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/measure/host_memory.hpp"
#include "engine/measure/session.hpp"
#include "probes/peer/peer_case.hpp"

namespace gpumem::peer {

class Flow {
 public:
  /// Readies the way of a case, be it from its source to its target, or of another pair at the same time. `session` is
  /// of any GPU of the machine. The buffers are the sessions' own. Throws a probe error.
  Flow(const PeerCase& way, measure::Session& session);

  /// Queues so many copies in a row behind what the mover's stream holds.
  void queue(unsigned copies);
  /// The stream of the GPU that moves the bytes.
  [[nodiscard]] const measure::Stream& stream() const { return mover_->stream(); }
  /// Has the mover's stream wait for the event of another GPU.
  void wait_for(const measure::Event& event) const;
  /// Records an event behind all that is queued now, and returns it to be waited for.
  [[nodiscard]] const measure::Event& mark();
  /// Commands that all copies of a run leave in streams.
  [[nodiscard]] std::size_t commands() const;

  /// Poisons what the target holds. Waits.
  void poison() const;
  /// Compares, on the target, what arrived. Every copy has ended.
  [[nodiscard]] measure::Verification verify() const;

 private:
  /// Pinned memory that the bytes pass through, chunk by chunk.
  struct Stage {
    explicit Stage(const Flow& flow);
    struct Slot {
      std::unique_ptr<measure::Event> filled;   ///< of the source
      std::unique_ptr<measure::Event> emptied;  ///< of the target
    };
    std::uint64_t slot_bytes;
    host::Buffer memory;
    std::unique_ptr<measure::Stream> out;  ///< of the source
    std::unique_ptr<measure::Event> begun;
    std::array<Slot, chunks_at_once> slots;
  };

  void queue_staged();

  PeerCase way_;
  measure::Session* source_session_;
  measure::Session* target_session_;
  measure::Session* mover_;
  const std::uint32_t* source_;
  std::uint32_t* target_;
  std::unique_ptr<measure::Event> mark_;
  std::unique_ptr<Stage> stage_;
};

}  // namespace gpumem::peer
