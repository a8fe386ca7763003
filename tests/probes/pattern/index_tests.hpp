#pragma once
// What tests of indices from files have in common.

#include <cstdint>
#include <string>
#include <vector>

#include "probes/error.hpp"
#include "probes/pattern/index_sequence.hpp"
#include "tests/catch.hpp"

namespace gpumem::pattern::test {

/// What a usage error says, which has to be one line of printable text.
template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(text.find_first_of(std::string("\n\r\x1b\0", 4)) == std::string::npos);
    CHECK(text.size() < 400);
    return text;
  }
  return "nothing thrown";
}

inline std::vector<std::uint64_t> all_of(const IndexSequence& indices) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t k = 0; k < indices.count(); ++k) all.push_back(indices(k));
  return all;
}

using Indices = std::vector<std::uint64_t>;

}  // namespace gpumem::pattern::test
