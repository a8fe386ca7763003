#pragma once
// The host memory that can still be allocated.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gpumem {

/// The NUMA node that this thread's memory is bound to, whoever bound it; absent when it may lie on several.
[[nodiscard]] std::optional<unsigned> bound_memory_node();

/// Returns the host memory that can still be allocated, in bytes; 0 if unknown, never 0 if known. It is the least of
/// the memory that the system says is available, the memory that the control groups of the process leave (versions 1
/// and 2), the memory that its limits leave (`ulimit -v`, `ulimit -d`), and the memory left on the node that this
/// thread's memory is bound to. A sixteenth of it, at most 4 GiB, is kept back for the system.
///
/// The margin is for everything else that runs. Page-locked memory can be neither swapped nor moved: if a process locks
/// the last free memory, the kernel kills processes, not necessarily that one.
[[nodiscard]] std::uint64_t available_host_bytes();
/// The same from the files below `root`, with the node given, and without the limits of the process.
[[nodiscard]] std::uint64_t available_host_bytes(const std::filesystem::path& root, std::optional<unsigned> node);

/// Throws a probe error that begins with `what` ("cannot page-lock") when `bytes` are more than available_host_bytes().
void require_host_memory(std::uint64_t bytes, std::string_view what);

/// Returns the end of an error about memory: "; 'ulimit -v' allows this process 2 GiB: raise it". Empty if no limit of
/// the process is below the memory that the host has left.
[[nodiscard]] std::string process_limit_words();

/// The advice to a user whose host memory is short.
inline constexpr const char* less_host_memory = "pass a smaller --size or --buffer";

}  // namespace gpumem
