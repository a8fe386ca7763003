#include "engine/pattern/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "engine/base/error.hpp"

namespace gpumem::pattern {

namespace {

/// Reads all of a part, or throws.
std::string read_part(const ByteSource& source, std::size_t bytes, std::string_view part) {
  std::string content(bytes, '\0');
  content.resize(source.read(std::as_writable_bytes(std::span(content))));
  if (content.size() < bytes) {
    throw usage_error(
        fmt::format("{}: is truncated: it ends within {}; copy or save the file again", source.name, part));
  }
  return content;
}

/// The error for a file that does not begin like an .npy file.
Error no_npy(const std::string& begin, const std::string& source) {
  return usage_error(fmt::format("{}: is no .npy file: it begins with \"{}\"", source, quoted_bytes(begin)));
}

/// The version decides how many bytes the header's length has, little-endian. Its text is ASCII in all versions unless
/// fields of records have names, which are refused.
NpyHeader read_header(const ByteSource& source, std::uint64_t& bytes) {
  // More than any array of integers has: with 64 dimensions some 1500.
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20U;

  std::string begin(npy_magic.size(), '\0');
  begin.resize(source.read(std::as_writable_bytes(std::span(begin))));
  if (begin.empty()) throw usage_error(fmt::format("{}: is empty; expected an array of numpy.save", source.name));
  if (begin != npy_magic) throw no_npy(begin, source.name);

  const std::string version = read_part(source, 2, "the version of its format");
  const auto major = static_cast<unsigned char>(version[0]);
  const auto minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw usage_error(
        fmt::format("{}: is of version {}.{} of the .npy format, of which versions 1.0, 2.0 and 3.0 are "
                    "read; save the array again with numpy.save",
                    source.name, major, minor));
  }
  const std::string digits = read_part(source, major == 1 ? 2 : 4, "the length of its header");
  std::uint64_t length = 0;
  for (std::size_t i = digits.size(); i-- > 0;) length = length * 256 + static_cast<unsigned char>(digits[i]);
  if (length > most_bytes) {
    throw usage_error(
        fmt::format("{}: damaged .npy header: {} bytes long, where an array of integers has a few "
                    "hundred; save the array again with numpy.save",
                    source.name, length));
  }
  bytes = begin.size() + version.size() + digits.size() + length;
  return parse_npy_header(read_part(source, length, "its header"), source.name);
}

}  // namespace

IndexSequence read_npy(const ByteSource& source) {
  std::uint64_t header_bytes = 0;
  const NpyHeader header = read_header(source, header_bytes);
  const std::uint64_t expected = header.records * header.word_bytes;
  const auto refuse_size = [&](const std::string& there, std::string_view what) {
    throw usage_error(
        fmt::format("{}: is {}: its header announces {} element{} of {} byte{}, and {} bytes follow; copy or "
                    "save the file again",
                    source.name, what, header.records, header.records == 1 ? "" : "s", header.word_bytes,
                    header.word_bytes == 1 ? "" : "s", there));
  };
  if (source.bytes && *source.bytes - std::min(*source.bytes, header_bytes) != expected) {  // before any is read
    const std::uint64_t there = *source.bytes - std::min(*source.bytes, header_bytes);
    refuse_size(std::to_string(there), there < expected ? "truncated" : "longer than its array");
  }
  WordBuffer words = read_words(source, expected);
  if (words.bytes() < expected) refuse_size(std::to_string(words.bytes()), "truncated");
  if (std::array<std::byte, 1> more{}; source.read(more) != 0) {
    refuse_size(fmt::format("more than {}", expected), "longer than its array");
  }
  IndexSequence indices(std::move(words), header.word_bytes);
  require_indices(indices, header.is_signed, source.name);
  return indices;
}

void require_indices(const IndexSequence& words, bool is_signed, const std::string& source) {
  const unsigned bits = 8 * words.word_bytes();
  const std::uint64_t most = is_signed ? (std::uint64_t{1} << (bits - 1)) - 1 : most_index;
  if (words.maximum() <= most) return;
  std::uint64_t record = 0;
  while (words(record) <= most) ++record;
  const std::uint64_t value = words(record);
  if (is_signed) {  // two's complement: so much less than 2^bits, which 64 bits do not hold
    throw usage_error(
        fmt::format("{}: record {}, counted from 0, is -{}: an index is the number of an element, from 0 on; add an "
                    "offset to all of them, or leave out those below 0",
                    source, record, (~value & most) + 1));
  }
  throw usage_error(
      fmt::format("{}: record {}, counted from 0, is {}: above 2^63 - 1, the largest index; was it "
                  "negative before it was converted?",
                  source, record, value));
}

}  // namespace gpumem::pattern
