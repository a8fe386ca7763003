#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/base/error.hpp"
#include "engine/pattern/index_file.hpp"

namespace gpumem::pattern {

namespace {

/// The fewest pairs of 32-bit words whose evidence is more than chance.
constexpr std::uint64_t several = 8;

/// True for a float of a magnitude that is common in computations. The bits of small integers are none.
bool is_float(std::uint32_t word) {
  const std::uint32_t exponent = word >> 23U & 0xffU;
  return exponent >= 127 - 30 && exponent <= 127 + 40;
}

/// True for a double of such a magnitude, by its upper half.
bool is_double(std::uint32_t upper) {
  const std::uint32_t exponent = upper >> 20U & 0x7ffU;
  return exponent >= 1023 - 40 && exponent <= 1023 + 60;
}

/// Statistics of every second 32-bit word.
struct Half {
  std::uint64_t zeros = 0;
  std::uint32_t most = 0;
  std::uint32_t most_swapped = 0;  ///< with the bytes turned round
  bool floats = true;              ///< all that are not 0 are floats

  void add(std::uint32_t word) {
    zeros += word == 0 ? 1 : 0;
    most = std::max(most, word);
    most_swapped = std::max(most_swapped, __builtin_bswap32(word));
    floats = floats && (word == 0 || is_float(word));
  }
};

class Evidence {
 public:
  explicit Evidence(const WordBuffer& words) : words_(words.as<std::uint32_t>()), pairs_(words_.size() / 2) {
    for (std::size_t i = 0; i + 1 < words_.size(); i += 2) {
      lower_.add(words_[i]);
      upper_.add(words_[i + 1]);
      doubles_ = doubles_ && (is_double(words_[i + 1]) || (words_[i] | words_[i + 1]) == 0);
      shorts_.add(words_[i]);
      shorts_.add(words_[i + 1]);
    }
    if (words_.size() % 2 != 0) {
      lower_.add(words_.back());
      shorts_.add(words_.back());
    }
  }

  [[nodiscard]] bool could_be_wide() const { return words_.size() % 2 == 0 && pairs_ >= 2; }
  [[nodiscard]] bool nothing_but_zeros() const { return most() == 0; }
  [[nodiscard]] bool doubles() const { return words_.size() % 2 == 0 && doubles_; }
  [[nodiscard]] bool floats() const { return lower_.floats && upper_.floats; }

  /// Indices in 64 bits: the upper halves are 0, but for a few, or small where the lower ones fill 32 bits.
  [[nodiscard]] bool wide() const {
    if (!could_be_wide()) return false;
    constexpr std::uint32_t small = std::uint32_t{1} << 16U;
    return mostly_zero(upper_, lower_) || (pairs_ >= several && upper_.most < small && lower_.most >= beyond_31_bits);
  }
  [[nodiscard]] bool wide_big_endian() const {
    return could_be_wide() && mostly_zero(lower_, upper_) && upper_.most_swapped < upper_.most;
  }
  /// True if the words speak for neither width: upper halves are often 0, and far more often than lower ones.
  [[nodiscard]] bool lopsided() const {
    return could_be_wide() && pairs_ >= several / 2 && upper_.zeros * 4 >= pairs_ && lower_.zeros * 4 < upper_.zeros;
  }
  [[nodiscard]] bool big_endian() const {
    const std::uint32_t swapped = std::max(lower_.most_swapped, upper_.most_swapped);
    return swapped <= (most() >= beyond_31_bits ? most() >> 8U : most() >= 1U << 24U ? most() >> 16U : 0);
  }
  [[nodiscard]] bool beyond_indices() const { return most() >= beyond_31_bits; }
  /// True if both halves of the 32-bit words reach about equally far. In an index only the lower half does.
  [[nodiscard]] bool shorts() const {
    constexpr std::uint32_t half = 1U << 15U;
    const auto [low, high] = shorts_;
    return words_.size() >= 2 * several && low < half && high > low / 4 && high / 4 < low;
  }
  [[nodiscard]] std::uint32_t most() const { return std::max(lower_.most, upper_.most); }

  /// The first that is not 0, of an array of floats.
  [[nodiscard]] double first_float() const {
    const auto found = std::ranges::find_if(words_, [](std::uint32_t word) { return word != 0; });
    return std::bit_cast<float>(*found);
  }
  [[nodiscard]] double first_double() const {
    std::size_t i = 0;
    while ((words_[i] | words_[i + 1]) == 0) i += 2;
    return std::bit_cast<double>(std::uint64_t{words_[i + 1]} << 32U | words_[i]);
  }

 private:
  static constexpr std::uint32_t beyond_31_bits = std::uint32_t{1} << 31U;

  struct Shorts {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    void add(std::uint32_t word) {
      low = std::max(low, word & 0xffffU);
      high = std::max(high, word >> 16U);
    }
  };

  /// True if all words of `half` are 0 and not all of `other`, or if nearly all are and hardly any of `other`.
  [[nodiscard]] bool mostly_zero(const Half& half, const Half& other) const {
    if (half.zeros == pairs_) return other.zeros < pairs_;
    return half.zeros * 16 >= pairs_ * 15 && pairs_ - other.zeros >= 4 * (pairs_ - half.zeros);
  }

  std::span<const std::uint32_t> words_;
  std::uint64_t pairs_;
  Half lower_;  ///< the first of each pair, and what is left over
  Half upper_;
  Shorts shorts_;
  bool doubles_ = true;
};

}  // namespace

IndexFormat format_of_words(const WordBuffer& words, const std::string& source) {
  const Evidence evidence(words);
  const auto refuse = [&](const std::string& looks, std::string_view cure, std::string_view otherwise) {
    throw usage_error(fmt::format("{}: its {} bytes look like {}; {}, or pass --index-format {} if they are none",
                                  source, words.bytes(), looks, cure, otherwise));
  };
  if (evidence.nothing_but_zeros()) {
    if (!evidence.could_be_wide()) return IndexFormat::u32;
    throw usage_error(
        fmt::format("{}: its {} bytes are all 0, which says nothing of how wide its indices are; pass "
                    "--index-format u32|u64",
                    source, words.bytes()));
  }
  if (evidence.doubles()) {
    refuse(fmt::format("64-bit floats (the first that is not 0 is {:.6g})", evidence.first_double()),
           "convert them, numpy.save('a.npy', numpy.fromfile('FILE').astype('u8'))", "u32|u64");
  }
  if (evidence.floats()) {
    refuse(fmt::format("32-bit floats (the first that is not 0 is {:.6g})", evidence.first_float()),
           "convert them, numpy.save('a.npy', numpy.fromfile('FILE', 'f4').astype('u4'))", "u32|u64");
  }
  if (evidence.wide()) return IndexFormat::u64;
  if (evidence.wide_big_endian()) refuse("big-endian words of 64 bits", "pass --index-format u64be", "u32");
  if (evidence.lopsided()) {
    throw usage_error(
        fmt::format("{}: its {} bytes may be words of 32 bits or of 64, of which many have an upper half "
                    "of 0; pass --index-format u32|u64",
                    source, words.bytes()));
  }
  if (evidence.big_endian()) refuse("big-endian words of 32 bits", "pass --index-format u32be", "u32");
  if (evidence.beyond_indices()) {
    throw usage_error(fmt::format(
        "{}: its {} bytes are no likely indices: as words of 32 bits they reach {}, and indices beyond 2^31 "
        "are mostly kept in 64; what are they? If they are indices, pass --index-format u32|u64|i32|i64",
        source, words.bytes(), evidence.most()));
  }
  if (evidence.shorts()) refuse("words of 16 bits", "pass --index-format u16", "u32");
  return IndexFormat::u32;
}

}  // namespace gpumem::pattern
