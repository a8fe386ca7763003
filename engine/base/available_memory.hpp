#pragma once
// How much of the host's memory can still be had.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gpumem {

/// The NUMA node that this thread's memory is bound to, whoever bound it; absent when it may lie on several.
[[nodiscard]] std::optional<unsigned> bound_memory_node();

/// Host memory that could still be had, bytes: the least of what the system says is available, what the process'
/// control groups leave (versions 1 and 2), what the limits of the process leave (`ulimit -v`, `ulimit -d`), and what
/// the node has that this thread's memory is bound to; less a sixteenth, at most 4 GiB, for the system. 0 when unknown,
/// never when known.
///
/// The margin is for everything else that runs: page-locked memory can be neither swapped nor moved, and who takes the
/// last of it has the kernel kill processes, not necessarily his own.
[[nodiscard]] std::uint64_t available_host_bytes();
/// The same from the files below `root`, with the node given, and without the limits of the process.
[[nodiscard]] std::uint64_t available_host_bytes(const std::filesystem::path& root, std::optional<unsigned> node);

/// Throws a probe error that begins with `what` ("cannot page-lock") when `bytes` are more than available_host_bytes().
void require_host_memory(std::uint64_t bytes, std::string_view what);

/// For the end of an error about memory: "; 'ulimit -v' allows this process 2 GiB: raise it". Empty where no limit of
/// the process is less than what the host has left.
[[nodiscard]] std::string process_limit_words();

/// What a user does where host memory is short.
inline constexpr const char* less_host_memory = "pass a smaller --size or --buffer";

}  // namespace gpumem
