#include "probes/peer/flow.hpp"

#include <algorithm>

#include "engine/measure/verify.hpp"
#include "probes/peer/peer_kernel.hpp"

namespace gpumem::peer {

namespace {

using measure::CurrentDevice;

/// Lets a GPU address another's memory from now on.
void enable_access(const measure::Session& from, const measure::Session& to) {
  if (from.device_index() == to.device_index()) return;
  const CurrentDevice current(from.device_index());
  const cudaError_t status = cudaDeviceEnablePeerAccess(to.device_index(), 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  measure::check(status, "give a GPU access to another one's memory");
}

/// Events belong to a GPU, and are recorded in its streams.
std::unique_ptr<measure::Event> event_of(const measure::Session& session) {
  const CurrentDevice current(session.device_index());
  return std::make_unique<measure::Event>();
}

std::unique_ptr<measure::Stream> stream_of(const measure::Session& session) {
  const CurrentDevice current(session.device_index());
  return std::make_unique<measure::Stream>();
}

void wait(const measure::Stream& stream, const measure::Event& event) {
  measure::check(cudaStreamWaitEvent(stream.get(), event.get()), "order two streams");
}

}  // namespace

Flow::Stage::Stage(const Flow& flow)
    : slot_bytes(flow.way_.chunk_bytes()),
      memory(host::Memory::pinned, slot_bytes * chunks_at_once),
      out(stream_of(*flow.source_session_)),
      begun(event_of(*flow.mover_)) {
  for (Slot& slot : slots) slot = {event_of(*flow.source_session_), event_of(*flow.target_session_)};
}

Flow::Flow(const PeerCase& way, measure::Session& session)
    : way_(way),
      source_session_(&session.peer(static_cast<int>(way.pair.source))),
      target_session_(&session.peer(static_cast<int>(way.pair.target))),
      mover_(&session.peer(static_cast<int>(way.mover()))),
      source_(source_session_->random_source(way.words())),
      target_(target_session_->target(way.words())),
      mark_(event_of(*mover_)) {
  if (way_.via == Via::staged) {
    stage_ = std::make_unique<Stage>(*this);
    return;
  }
  // A copy engine takes the straight way only where both may reach each other.
  enable_access(*source_session_, *target_session_);
  enable_access(*target_session_, *source_session_);
}

void Flow::queue(unsigned copies) {
  if (stage_) {
    for (unsigned copy = 0; copy < copies; ++copy) queue_staged();
    return;
  }
  const CurrentDevice current(mover_->device_index());
  const std::uint64_t words = way_.bytes / word_bytes;
  if (way_.via == Via::kernel_read) {
    return queue_reads(copies, words, source_, target_, mover_->device(), stream().get());
  }
  if (way_.via == Via::kernel_write) return queue_writes(copies, words, source_, target_, stream().get());
  for (unsigned copy = 0; copy < copies; ++copy) {
    measure::check(cudaMemcpyPeerAsync(target_, target_session_->device_index(), source_,
                                       source_session_->device_index(), way_.bytes, stream().get()),
                   "copy between two GPUs");
  }
}

void Flow::queue_staged() {
  const measure::Stream& in = stream();
  const auto* source = reinterpret_cast<const std::byte*>(source_);
  auto* target = reinterpret_cast<std::byte*>(target_);
  auto* memory = static_cast<std::byte*>(stage_->memory.data());
  stage_->begun->record(in);
  wait(*stage_->out, *stage_->begun);
  for (std::uint64_t done = 0, chunk = 0; done < way_.bytes; done += stage_->slot_bytes, ++chunk) {
    const std::uint64_t bytes = std::min(stage_->slot_bytes, way_.bytes - done);
    Stage::Slot& slot = stage_->slots[chunk % chunks_at_once];
    std::byte* const place = memory + chunk % chunks_at_once * stage_->slot_bytes;
    if (chunk >= chunks_at_once) wait(*stage_->out, *slot.emptied);
    measure::check(cudaMemcpyAsync(place, source + done, bytes, cudaMemcpyDeviceToHost, stage_->out->get()),
                   "copy to the host");
    slot.filled->record(*stage_->out);
    wait(in, *slot.filled);
    measure::check(cudaMemcpyAsync(target + done, place, bytes, cudaMemcpyHostToDevice, in.get()),
                   "copy to the device");
    slot.emptied->record(in);
  }
}

void Flow::wait_for(const measure::Event& event) const { wait(stream(), event); }

const measure::Event& Flow::mark() {
  mark_->record(stream());
  return *mark_;
}

std::size_t Flow::commands() const {
  constexpr std::size_t of_a_chunk = 6;
  return way_.copies() * (stage_ ? 2 + of_a_chunk * way_.chunks() : 1);
}

void Flow::poison() const {
  const CurrentDevice current(target_session_->device_index());
  measure::poison(target_, way_.bytes, target_session_->stream().get(), "poison the target");
  target_session_->stream().synchronize();
}

measure::Verification Flow::verify() const {
  const CurrentDevice current(target_session_->device_index());
  return measure::verify_random_words(*target_session_, target_, way_.words(), 0, target_session_->stream().get(),
                                      "32-bit words on the target");
}

}  // namespace gpumem::peer
