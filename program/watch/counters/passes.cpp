#include "program/watch/counters/passes.hpp"

#if GPUMEM_HAS_CUPTI

#include <limits>
#include <string>
#include <vector>

#include "program/watch/driver.hpp"
#include "program/watch/output.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

namespace {

/// Other counters take another setting up, which costs more than the pass of those that not all kernels need.
const std::set<access::Space> all_spaces = {access::Space::local};

CountedContext make_context(const measure::Cupti& cupti, const PassContext& which) {
  CountedContext made;
  try {
    // Whoever has loaded it never lets go of it.
    const std::shared_ptr<const measure::Cupti> borrowed(std::shared_ptr<void>(), &cupti);
    made.profiler = std::make_unique<measure::RangeProfiler>(borrowed, static_cast<int>(which.device));
    const measure::CounterChoice& choice = made.profiler->choice(all_spaces);
    made.passes = choice.passes;
    made.profiler->enable(choice, which.context);
    made.nobodys = made.profiler->empty_counts(1);
  } catch (const std::exception& error) {
    made.profiler.reset();
    watch().output.write_problem(false, std::string("counted: not possible: ") + error.what());
  }
  return made;
}

void write_counts(const Slot& slot, const UnfinishedCounts& done, const measure::Counts& counts) {
  std::vector<double> values;
  for (const measure::CounterField& field : measure::counter_fields()) {
    values.push_back((counts.*field.value).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  const CountsEvent event{
      .slot = slot.number, .passes = static_cast<std::uint32_t>(done.passes.size()), .order = done.first};
  watch().output.write_event(EventKind::counts, {part_of(event), std::as_bytes(std::span(values))});
}

/// Goes on to a pass that the counts do not have yet: kernels that take turns may each meet the same one again.
void skip_passes(CountedContext& context, const UnfinishedCounts& unfinished) {
  while (unfinished.passes.contains(context.profiler->next_pass())) {
    context.profiler->set_up(context.nobodys, measure::Replay::by_caller, 1);
    context.profiler->start();
    context.profiler->push("nothing");
    context.profiler->pop();
    static_cast<void>(context.profiler->stop());
  }
}

Unseen give_up(const std::exception& error) {
  watch().output.write_problem(false, std::string("some launches were not counted: ") + error.what());
  return Unseen::failed;
}

}  // namespace

bool Passes::has_time_for(std::uint32_t slot, double left_ns) const {
  if (done_ < 2) return true;
  std::size_t to_come = 0;
  std::size_t passes_of_one = 0;
  for (const auto& [id, context] : contexts_) {
    if (context.unfinished.contains(slot)) return true;
    for (const auto& [number, unfinished] : context.unfinished) to_come += context.passes - unfinished.passes.size();
    passes_of_one = context.passes;
  }
  to_come += passes_of_one;
  return static_cast<double>(to_come) * pass_ns_ / static_cast<double>(done_ - 1) < left_ns;
}

Unseen Passes::begin(const measure::Cupti& cupti, const PassContext& which, Slot& slot, bool replay) {
  const auto [found, is_new] = contexts_.try_emplace(which.id);
  CountedContext& context = found->second;
  if (is_new) {
    const std::uint64_t began = now_ns();
    context = make_context(cupti, which);
    watch().overhead.excuse(now_ns() - began);
  }
  if (context.profiler == nullptr) return Unseen::refused;
  const std::uint64_t began = now_ns();
  if (driver().cuCtxSynchronize() != CUDA_SUCCESS) return Unseen::failed;
  try {
    const auto [place, is_first] = context.unfinished.try_emplace(slot.number);
    UnfinishedCounts& unfinished = place->second;
    if (is_first) {
      unfinished.counts = context.profiler->empty_counts(1);
      unfinished.first = slot.counts->launches - 1;
    }
    skip_passes(context, unfinished);
    context.profiler->set_up(unfinished.counts, replay ? measure::Replay::by_cupti : measure::Replay::by_caller, 1);
    context.profiler->start();
    if (!replay) context.profiler->push("launch");
  } catch (const std::exception& error) {
    context.unfinished.erase(slot.number);
    return give_up(error);
  }
  counting_ = &context;
  began_ns_ = began;
  replaying_ = replay;
  return Unseen::none;
}

Unseen Passes::end(Slot& slot, bool launched) {
  CountedContext& context = *counting_;
  counting_ = nullptr;
  UnfinishedCounts& unfinished = context.unfinished.at(slot.number);
  try {
    const bool ran = driver().cuCtxSynchronize() == CUDA_SUCCESS && launched;
    if (!replaying_) context.profiler->pop();
    unfinished.passes.insert(context.profiler->next_pass());
    const bool is_last = context.profiler->stop();
    if (!ran) {
      context.unfinished.erase(slot.number);
      return Unseen::failed;
    }
    context.profiler->decode();
    const std::uint64_t took_ns = now_ns() - began_ns_;
    if (done_++ == 0) {
      watch().overhead.excuse(took_ns);
    } else {
      pass_ns_ += static_cast<double>(took_ns) / static_cast<double>(replaying_ ? context.passes : 1);
    }
    std::uint64_t& too_few = slot.counts->unseen[static_cast<std::size_t>(Unseen::few_launches)];
    ++too_few;
    if (replaying_ ? !is_last : unfinished.passes.size() < context.passes) return Unseen::none;
    write_counts(slot, unfinished, context.profiler->counts_of(unfinished.counts, 0));
    too_few -= unfinished.passes.size();
    ++slot.samples;
    context.unfinished.erase(slot.number);
    return Unseen::none;
  } catch (const std::exception& error) {
    context.unfinished.erase(slot.number);
    return give_up(error);
  }
}

}  // namespace gpumem::inject

#endif
