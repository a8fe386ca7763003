#pragma once
// Shared by the tests of indices from files.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/pattern/index_file.hpp"
#include "engine/pattern/index_sequence.hpp"
#include "tests/catch.hpp"

namespace gpumem::pattern::test {

/// Every format that a message tells the user to pass with --index-format is one that it takes.
inline void require_formats_taken(const std::string& message) {
  constexpr std::string_view option = "--index-format ";
  for (auto at = message.find(option); at != std::string::npos; at = message.find(option, at + 1)) {
    const std::size_t begin = at + option.size();
    std::string names =
        message.substr(begin, message.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789|", begin) - begin);
    while (!names.empty()) {
      const std::string name = names.substr(0, names.find('|'));
      names.erase(0, name.size() + 1);
      INFO(message);
      CHECK(std::ranges::find(named_index_formats, name) != named_index_formats.end());
    }
  }
}

/// Returns the message of the usage error, which has to be one line of printable text.
template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(text.find_first_of(std::string("\n\r\x1b\0", 4)) == std::string::npos);
    CHECK(text.size() < 400);
    require_formats_taken(text);
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
