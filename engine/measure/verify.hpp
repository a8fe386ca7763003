#pragma once
// What experiments verify with: outputs poisoned before a launch, and what a kernel that checks them finds.

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

/// Fills device memory with what no launch leaves there (content.hpp). `what` is what a failure says was tried.
void poison(void* data, std::size_t bytes, cudaStream_t stream, std::string_view what = "poison the output",
            std::source_location location = std::source_location::current());
void poison(const DeviceBuffer& buffer, cudaStream_t stream, std::string_view what = "poison the output",
            std::source_location location = std::source_location::current());

/// What a kernel that checks another's output finds, on the device. It is in the session's scratch memory: one check at
/// a time. Found{} is to have found nothing.
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

  /// Right after the launch of the kernel that checks. Waits for all that the stream holds, which `what` names in a
  /// failure.
  [[nodiscard]] Found read(cudaStream_t stream, std::string_view what = "run the kernel and its check",
                           std::source_location location = std::source_location::current()) const {
    check(cudaGetLastError(), "launch the check", location);
    Found found{};
    check(cudaMemcpyAsync(&found, on_device_, sizeof found, cudaMemcpyDefault, stream), "read the check", location);
    check(cudaStreamSynchronize(stream), what, location);
    return found;
  }

  /// The same of a check that finds a `count`, and the `first` of them: what an experiment verifies, in units of
  /// `what`.
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

/// Of checks that count what is wrong and do not say where.
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
