#pragma once
// The driver's calls that are watched, and the launches that they ask for.

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "program/watch/driver_calls.hpp"
#include "program/watch/kernels.hpp"

namespace gpumem::inject {

[[nodiscard]] std::span<const CallId> launch_calls();
[[nodiscard]] std::span<const CallId> graph_launch_calls();
/// Calls that begin and end the recording of a stream.
[[nodiscard]] std::span<const CallId> capture_calls();
/// Calls after which launches before them are over: where their times are taken.
[[nodiscard]] std::span<const CallId> waiting_calls();
/// Calls that may end a context.
[[nodiscard]] std::span<const CallId> ending_calls();

[[nodiscard]] bool is_launch(CallId id);
[[nodiscard]] bool is_graph_launch(CallId id);
[[nodiscard]] bool is_capture(CallId id);
[[nodiscard]] bool ends_context(CallId id);
/// The part of a Launch that launches of one kind have in common: function and shape.
struct LaunchKey {
  CUfunction function = nullptr;
  Shape shape;
};
[[nodiscard]] LaunchKey launch_key_of(CallId id, const void* parameters);

/// The recordings of streams that are under way. Any thread may call its functions.
class Captures {
 public:
  /// A call of `capture_calls` has returned.
  void note(CallId id, CUresult result);
  /// True if some stream may be recorded at this moment.
  [[nodiscard]] bool any() const { return open_ > 0; }

 private:
  std::atomic<int> open_ = 0;
};

/// A launch as its caller described it.
struct Launch {
  CUfunction function = nullptr;  ///< or a CUkernel
  Shape shape;
  CUstream stream = nullptr;
  bool cooperative = false;
  bool divisible = false;   ///< some blocks may be launched now and others later
  bool repeatable = false;  ///< nothing but its kernel knows how often it is launched: no event, no grid-wide barrier
  // The parameters of the kernel, in one of two forms. Each or both may be null. Only while the call lasts.
  void** parameters = nullptr;
  void** extra = nullptr;
};

/// The launch that a call of `launch_calls` asks for, read from the parameters of the callback.
[[nodiscard]] Launch launch_of(CallId id, const void* parameters);
/// The parameters that a launch hands its kernel, side by side as the kernel finds them in its constant bank: branches
/// of most kernels depend on them. Empty where the driver does not tell how they lie. Called while the launch's own
/// call lasts.
[[nodiscard]] std::vector<std::byte> parameters_of(CUfunction function, const Launch& launch);
/// The same, but nullopt if the driver does not tell.
[[nodiscard]] std::optional<std::vector<std::byte>> parameters_if_known(CUfunction function, const Launch& launch);
/// Returns a hash of the parameters without addresses, which tells launches of one kernel apart. It is never 0.
[[nodiscard]] std::uint64_t numbers_of(const std::vector<std::byte>& parameters);
/// Launches once more, as the program asked for it, but in `stream`.
CUresult launch_again(CallId id, const void* parameters, CUstream stream);

}  // namespace gpumem::inject
