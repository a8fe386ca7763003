#pragma once
// Tools to verify experiments: outputs are poisoned before a launch, and a kernel checks them after it.

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/measure/cuda.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/measure/session.hpp"

namespace gpumem::host {
class Buffer;
}

namespace gpumem::measure {

/// Fills device memory with a value that no launch leaves there (content.hpp). `what` names the attempt in a failure.
void poison(void* data, std::size_t bytes, cudaStream_t stream, std::string_view what = "poison the output",
            std::source_location location = std::source_location::current());
void poison(const DeviceBuffer& buffer, cudaStream_t stream, std::string_view what = "poison the output",
            std::source_location location = std::source_location::current());

/// The result, on the device, of a kernel that checks another's output. It is in the session's scratch memory, so only
/// one check can run at a time. Found{} means that nothing was found.
template <class Found>
class CheckResult {
 public:
  explicit CheckResult(Session& session) : on_device_(session.scratch<Found>()) {}

  [[nodiscard]] Found* data() const { return on_device_; }

  void reset(cudaStream_t stream, std::source_location location = std::source_location::current()) const {
    static_assert(std::is_trivially_copyable_v<Found>);
    const Found nothing{};
    check(cudaMemcpyAsync(on_device_, &nothing, sizeof nothing, cudaMemcpyDefault, stream), "reset the check",
          location);
  }

  /// Reads the result; call it right after the launch of the kernel that checks. Waits for all that the stream holds,
  /// which `what` names in a failure.
  [[nodiscard]] Found read(cudaStream_t stream, std::string_view what = "run the kernel and its check",
                           std::source_location location = std::source_location::current()) const {
    check(cudaGetLastError(), "launch the check", location);
    Found found{};
    check(cudaMemcpyAsync(&found, on_device_, sizeof found, cudaMemcpyDefault, stream), "read the check", location);
    check(cudaStreamSynchronize(stream), what, location);
    return found;
  }

  /// Reads the result of a check that finds a `count` of mismatches and the `first` of them, in units of `what`.
  [[nodiscard]] Verification verification(cudaStream_t stream, std::string what,
                                          std::source_location location = std::source_location::current()) const {
    const Found found = read(stream, "run the kernel and its check", location);
    Verification verification{.mismatches = found.count, .what = std::move(what)};
    if (found.count > 0) verification.first_mismatch = found.first;
    return verification;
  }

 private:
  Found* on_device_;
};

/// The result of checks that count mismatches and do not say where they are.
using MismatchCount = CheckResult<unsigned long long>;

/// Compares words that the device can address with random_word(first + i), on the device. Waits for everything that the
/// stream holds before. `what` names the words in a failure: "32-bit words on the device".
[[nodiscard]] Verification verify_random_words(Session& session, const std::uint32_t* words, std::uint64_t count,
                                               std::uint64_t first, cudaStream_t stream, const char* what);

/// The same of words in host memory: the host compares them, or the device where the host reads them very slowly
/// (write-combined). The transfer must have ended.
[[nodiscard]] Verification verify_in_host_memory(Session& session, const host::Buffer& buffer, std::uint64_t count,
                                                 std::uint64_t first, cudaStream_t stream);

}  // namespace gpumem::measure
