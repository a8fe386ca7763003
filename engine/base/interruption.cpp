#include "engine/base/interruption.hpp"

#include <atomic>

#include "engine/base/error.hpp"

namespace gpumem {

namespace {

std::atomic<bool> requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

void request_stop() noexcept { requested.store(true, std::memory_order_relaxed); }

bool stop_requested() noexcept { return requested.load(std::memory_order_relaxed); }

void stop_if_requested() {
  if (stop_requested()) throw Interrupted{};
}

}  // namespace gpumem
