#include "engine/pattern/index_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "engine/base/available_memory.hpp"
#include "engine/base/error.hpp"
#include "engine/base/words.hpp"

namespace gpumem::pattern {

namespace {

/// Asking the system takes longer than growing by less.
constexpr std::size_t least_worth_asking = std::size_t{16} << 20U;

template <class Word>
std::pair<std::uint64_t, std::uint64_t> extremes(std::span<const Word> words) {
  Word least = words.front();
  Word most = words.front();
  for (const Word word : words) {
    least = std::min(least, word);
    most = std::max(most, word);
  }
  return {least, most};
}

/// Calls use(words) with the words as they are.
template <class Use>
auto with_words(const WordBuffer& buffer, unsigned word_bytes, const Use& use) {
  switch (word_bytes) {
    case 1:
      return use(buffer.as<std::uint8_t>());
    case 2:
      return use(buffer.as<std::uint16_t>());
    case 4:
      return use(buffer.as<std::uint32_t>());
    case 8:
      return use(buffer.as<std::uint64_t>());
    default:
      throw std::logic_error("an index has 1, 2, 4 or 8 bytes");
  }
}

template <class Word, class Element>
void widen(std::span<const Word> words, const RepeatShifts& shifts, std::uint64_t first, std::span<Element> elements) {
  std::uint64_t repeat = first / words.size();
  std::uint64_t at = first % words.size();
  while (!elements.empty()) {
    const std::size_t run = std::min<std::size_t>(elements.size(), words.size() - at);
    const std::uint64_t shift = shifts(repeat);
    std::ranges::transform(words.subspan(at, run), elements.begin(),
                           [shift](Word word) { return static_cast<Element>(word + shift); });
    elements = elements.subspan(run);
    at = 0;
    ++repeat;
  }
}

}  // namespace

void WordBuffer::resize(std::size_t bytes, const std::string& source) {
  if (bytes == bytes_) return;
  if (bytes == 0) {  // for which realloc has no one meaning
    *this = {};
    return;
  }
  const std::size_t more = bytes > bytes_ ? bytes - bytes_ : 0;
  const std::uint64_t available = more < least_worth_asking ? 0 : available_host_bytes();  // 0: unknown
  // More than there is may well be granted: the process would be killed once it is written.
  void* grown = available != 0 && more > available ? nullptr : std::realloc(data_.get(), bytes);
  if (grown == nullptr) {
    throw usage_error(
        fmt::format("{}: holding its indices takes {} of memory, more than this host has left{}; take a "
                    "part of them, or narrower integers{}",
                    source, size_text(bytes), available == 0 ? "" : fmt::format(" ({})", size_text(available)),
                    process_limit_words()));
  }
  static_cast<void>(data_.release());  // which realloc has freed, or returned
  data_.reset(static_cast<std::byte*>(grown));
  bytes_ = bytes;
}

IndexSequence::IndexSequence(WordBuffer words, unsigned word_bytes, RepeatShifts shifts)
    : buffer_(std::make_shared<const WordBuffer>(std::move(words))),
      word_bytes_(word_bytes),
      words_(word_bytes == 0 ? 0 : buffer_->bytes() / word_bytes),
      shifts_(std::move(shifts)) {
  if (words_ == 0) throw std::logic_error("a sequence of indices has at least one");
  std::tie(minimum_, maximum_) = with_words(*buffer_, word_bytes_, [](auto all) { return extremes(all); });
  const std::uint64_t repeats = shifts_.repeats();
  std::uint64_t count = 0;
  if (__builtin_mul_overflow(words_, repeats, &count) || count > most_index ||
      (repeats > 1 && maximum_ > most_index - shifts_.highest(repeats))) {
    throw std::length_error("a sequence of indices exceeds 63 bits");
  }
}

std::uint64_t IndexSequence::highest(std::uint64_t accesses) const {
  const std::uint64_t whole = accesses / words_;
  std::uint64_t result = whole > 0 ? maximum_ + shifts_.highest(whole) : 0;
  for (std::uint64_t k = whole * words_; k < accesses; ++k) result = std::max(result, (*this)(k));
  return result;
}

std::uint64_t IndexSequence::first_from(std::uint64_t least) const {
  const auto repeat = shifts_.first_from(least > maximum_ ? least - maximum_ : 0);
  if (!repeat) return count();
  std::uint64_t k = *repeat * words_;
  while ((*this)(k) < least) ++k;
  return k;
}

void IndexSequence::copy_to(std::uint64_t first, std::span<std::uint32_t> elements) const {
  with_words(*buffer_, word_bytes_, [&](auto words) { widen(words, shifts_, first, elements); });
}

void IndexSequence::copy_to(std::uint64_t first, std::span<std::uint64_t> elements) const {
  with_words(*buffer_, word_bytes_, [&](auto words) { widen(words, shifts_, first, elements); });
}

IndexSequence make_index_sequence(std::span<const std::uint64_t> indices, RepeatShifts shifts) {
  constexpr std::uint64_t most_narrow = std::numeric_limits<std::uint32_t>::max();
  const bool narrow = std::ranges::all_of(indices, [](std::uint64_t index) { return index <= most_narrow; });
  const unsigned word_bytes = narrow ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
  WordBuffer words;
  words.resize(indices.size() * word_bytes, "a list of indices");
  if (narrow) {
    std::ranges::transform(indices, words.as<std::uint32_t>().begin(),
                           [](std::uint64_t index) { return static_cast<std::uint32_t>(index); });
  } else {
    std::ranges::copy(indices, words.as<std::uint64_t>().begin());
  }
  return {std::move(words), word_bytes, std::move(shifts)};
}

}  // namespace gpumem::pattern
