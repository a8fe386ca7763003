#pragma once
// Of what the sanitizer's library tells a patch about an access, what not every toolkit's headers name.

namespace gpumem::inject {

/// SANITIZER_MEMORY_DEVICE_FLAG_ATOMIC_WRITE_ONLY, of headers since CUDA 13.4. The library that a program is watched
/// with may be newer than the headers; an older one never sets it.
constexpr unsigned atomic_write_only = 1U << 8;

}  // namespace gpumem::inject
