#include "engine/base/read_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>

#include "engine/base/error.hpp"
#include "engine/base/unpack.hpp"
#include "engine/base/words.hpp"

namespace gpumem {

namespace {

[[noreturn]] void cannot_read(const std::string& source) {
  if (errno == 0) throw usage_error(fmt::format("cannot read '{}'", source));
  throw usage_error(fmt::format("cannot read '{}': {}{}", source, std::strerror(errno),
                                errno == EISDIR ? "; name a file in it" : ""));
}

/// It can be read only once.
const std::string& standard_input() {
  static const std::string text = read_input(std::cin, source_name("-"));
  if (text.empty()) throw usage_error("standard input is empty, or was read for another argument");
  return text;
}

}  // namespace

std::string read_input(std::istream& in, const std::string& source, std::size_t most_bytes) {
  constexpr std::size_t piece = std::size_t{1} << 16U;
  errno = 0;
  bool packed = false;
  const ReadBytes read = unpacked(
      [&](std::span<std::byte> into) {
        in.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size()));
        if (in.bad()) cannot_read(source);
        return static_cast<std::size_t>(in.gcount());
      },
      source, packed);
  std::string text;
  for (bool more = true; more && text.size() <= most_bytes;) {
    const std::size_t size = text.size();
    text.resize(size + std::min(piece, most_bytes - size + 1));  // one byte too many tells that there is more
    const std::size_t got = read(std::as_writable_bytes(std::span(text).subspan(size)));
    more = size + got == text.size();
    text.resize(size + got);
  }
  if (text.size() > most_bytes) {
    throw usage_error(fmt::format("{}: is larger than {}, the most that is read of a file; is it the right one?",
                                  source, size_text(most_bytes)));
  }
  return text;
}

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string read_input_file(const std::string& path) {
  if (path == "-") return standard_input();
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) cannot_read(path);
  return read_input(file, path);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gpumem
