#include "inject/counters/passes.hpp"

#if GPUMEM_HAS_CUPTI

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "inject/driver.hpp"
#include "inject/output.hpp"
#include "probes/error.hpp"
#include "probes/measure/range_profiler.hpp"

namespace gpumem::inject {

namespace {

/// Counts of a slot that are not complete yet.
struct Unfinished {
  measure::RangeCounts counts;
  std::uint64_t first = 0;  ///< launches of the slot before the first one
  std::uint32_t passes = 0;
};

struct Context {
  std::unique_ptr<measure::RangeProfiler> profiler;  ///< null: this one cannot be counted
  std::map<std::uint32_t, Unfinished> unfinished;    ///< by slot
};

std::unordered_map<std::uint32_t, Context> contexts;
Context* counting = nullptr;
bool replaying = false;

/// Other counters take another setting up, which costs more than the pass of those that not all kernels need.
const std::set<access::Space> all_spaces = {access::Space::local};

Context make_context(const measure::Cupti& cupti, const PassContext& which) {
  Context made;
  try {
    // Whoever has loaded it never lets go of it.
    const std::shared_ptr<const measure::Cupti> borrowed(std::shared_ptr<void>(), &cupti);
    made.profiler = std::make_unique<measure::RangeProfiler>(borrowed, static_cast<int>(which.device));
    made.profiler->enable(made.profiler->choice(all_spaces), which.context);
  } catch (const std::exception& error) {
    made.profiler.reset();
    write_problem(false, std::string("counted: not possible: ") + error.what());
  }
  return made;
}

void write_counts(const Slot& slot, const Unfinished& done, const measure::Counts& counts) {
  std::vector<double> values;
  for (const measure::CounterField& field : measure::counter_fields()) {
    values.push_back((counts.*field.value).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  const CountsEvent event{.slot = slot.number, .passes = done.passes, .order = done.first};
  write_event(EventKind::counts, {part_of(event), std::as_bytes(std::span(values))});
}

Unseen give_up(const std::exception& error) {
  write_problem(false, std::string("some launches were not counted: ") + error.what());
  return Unseen::failed;
}

}  // namespace

Unseen begin_pass(const measure::Cupti& cupti, const PassContext& which, Slot& slot, bool replay) {
  const auto [found, is_new] = contexts.try_emplace(which.id);
  Context& context = found->second;
  if (is_new) context = make_context(cupti, which);
  if (context.profiler == nullptr) return Unseen::refused;
  if (driver().cuCtxSynchronize() != CUDA_SUCCESS) return Unseen::failed;
  try {
    const auto [place, is_first] = context.unfinished.try_emplace(slot.number);
    Unfinished& unfinished = place->second;
    if (is_first) {
      unfinished.counts = context.profiler->empty_counts(1);
      unfinished.first = slot.counts->launches - 1;
    }
    context.profiler->set_up(unfinished.counts,
                             replay ? measure::Replay::by_cupti : measure::Replay::by_caller, 1);
    context.profiler->start();
    if (!replay) context.profiler->push("launch");
  } catch (const std::exception& error) {
    context.unfinished.erase(slot.number);
    return give_up(error);
  }
  counting = &context;
  replaying = replay;
  return Unseen::none;
}

Unseen end_pass(Slot& slot, bool launched) {
  Context& context = *counting;
  counting = nullptr;
  Unfinished& unfinished = context.unfinished.at(slot.number);
  try {
    const bool ran = driver().cuCtxSynchronize() == CUDA_SUCCESS && launched;
    if (!replaying) context.profiler->pop();
    const bool complete = context.profiler->stop(unfinished.counts);
    if (!ran) {
      context.unfinished.erase(slot.number);
      return Unseen::failed;
    }
    context.profiler->decode();
    ++unfinished.passes;
    std::uint64_t& too_few = slot.counts->unseen[static_cast<std::size_t>(Unseen::few_launches)];
    ++too_few;
    if (!complete) return Unseen::none;
    write_counts(slot, unfinished, context.profiler->counts_of(unfinished.counts, 0));
    too_few -= unfinished.passes;
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
