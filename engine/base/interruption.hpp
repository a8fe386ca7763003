#pragma once
// A request to stop, as a signal makes it: whatever takes long on the host asks for it every few milliseconds. It is
// for the whole process, as a signal is, and beside the registry of probes the only state that is.

namespace gpumem {

/// From now on all work that takes long is to end. May be called in a signal handler, and from any thread.
void request_stop() noexcept;

[[nodiscard]] bool stop_requested() noexcept;

/// Throws Interrupted (engine/base/error.hpp) if somebody has. It costs a nanosecond: call it once per batch of
/// requests.
void stop_if_requested();

}  // namespace gpumem
