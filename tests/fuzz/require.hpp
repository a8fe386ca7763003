#pragma once
// Assertions of the fuzz targets: a broken promise of the code ends the run like a crash.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "engine/base/error.hpp"

namespace gpumem::fuzz {

inline void require(bool kept, std::string_view promise, std::string_view found = {}) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %.*s\n%.*s\n", static_cast<int>(promise.size()), promise.data(),
               static_cast<int>(found.size()), found.data());
  std::abort();
}

/// A complaint is about what the user can mend, and short. Main puts it on one line, whatever it quotes.
inline void require_clear(const Error& error) {
  const std::string_view line = error.what();
  constexpr std::size_t longest = 2000;
  require(error.kind() == ErrorKind::usage, "a complaint about input is a usage error", line);
  require(line.size() <= longest, "a complaint is short", line);
}

}  // namespace gpumem::fuzz
