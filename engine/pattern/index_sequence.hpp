#pragma once
// The elements that accesses go to, one after another, as a user's data lists them: a block of indices, once or many
// times, each time shifted by some elements.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "engine/pattern/repeat_shifts.hpp"

namespace gpumem::pattern {

/// Memory that grows as a file is read. It grows where it lies or by moving pages (glibc's realloc), so that at no time
/// the content is there twice, as it would be in a vector.
class WordBuffer {
 public:
  WordBuffer() = default;
  WordBuffer(WordBuffer&& other) noexcept : data_(std::move(other.data_)), bytes_(std::exchange(other.bytes_, 0)) {}
  WordBuffer& operator=(WordBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  WordBuffer(const WordBuffer&) = delete;  // of gigabytes
  WordBuffer& operator=(const WordBuffer&) = delete;
  ~WordBuffer() = default;

  /// Keeps what is there; new bytes are indeterminate, and take no memory before they are written. Throws a usage error
  /// that names the source when the host has too little memory for them.
  void resize(std::size_t bytes, const std::string& source);

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::byte* data() noexcept { return data_.get(); }
  [[nodiscard]] const std::byte* data() const noexcept { return data_.get(); }
  /// The content as whole words. malloc's alignment suffices for all of them.
  template <class Word>
  [[nodiscard]] std::span<Word> as() noexcept {
    return {reinterpret_cast<Word*>(data_.get()), bytes_ / sizeof(Word)};
  }
  template <class Word>
  [[nodiscard]] std::span<const Word> as() const noexcept {
    return {reinterpret_cast<const Word*>(data_.get()), bytes_ / sizeof(Word)};
  }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept { std::free(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

/// Access k goes to element word(k % words) + shift(k / words). Words are as narrow as the file has them. Copies share
/// them.
class IndexSequence {
 public:
  /// All of the buffer: unsigned words of 1, 2, 4 or 8 bytes, in this machine's byte order, at least one. Throws
  /// std::logic_error for other widths and for no word, and std::length_error when maximum() or count() of repeats
  /// would exceed 63 bits.
  IndexSequence(WordBuffer words, unsigned word_bytes, RepeatShifts shifts = {});

  [[nodiscard]] std::uint64_t count() const noexcept { return words_ * shifts_.repeats(); }  ///< accesses
  [[nodiscard]] std::uint64_t minimum() const noexcept { return minimum_; }                  ///< elements, as the next
  [[nodiscard]] std::uint64_t maximum() const { return highest(count()); }
  [[nodiscard]] const RepeatShifts& shifts() const noexcept { return shifts_; }
  [[nodiscard]] std::uint64_t words() const noexcept { return words_; }  ///< in the block that is repeated
  [[nodiscard]] unsigned word_bytes() const noexcept { return word_bytes_; }

  /// The element of access k < count().
  [[nodiscard]] std::uint64_t operator()(std::uint64_t k) const noexcept {
    if (shifts_.repeats() == 1) return word(k);  // the division would take longer than all else
    return word(k % words_) + shifts_(k / words_);
  }

  /// The largest element of the first `accesses`, at least one. Looks at no more than one block of them, however many
  /// repeats there are; so does the next.
  [[nodiscard]] std::uint64_t highest(std::uint64_t accesses) const;
  /// The first access that goes to element `least` or beyond; count() where none does.
  [[nodiscard]] std::uint64_t first_from(std::uint64_t least) const;

  /// The elements of accesses first, first + 1 and so on, as many as fit into `elements`, which are not more than there
  /// are: what is copied to a device piece by piece. Into 32 bits only where maximum() fits.
  void copy_to(std::uint64_t first, std::span<std::uint32_t> elements) const;
  void copy_to(std::uint64_t first, std::span<std::uint64_t> elements) const;

 private:
  [[nodiscard]] std::uint64_t word(std::uint64_t i) const noexcept {
    switch (word_bytes_) {
      case 1:
        return buffer_->as<std::uint8_t>()[i];
      case 2:
        return buffer_->as<std::uint16_t>()[i];
      case 4:
        return buffer_->as<std::uint32_t>()[i];
      default:
        return buffer_->as<std::uint64_t>()[i];
    }
  }

  std::shared_ptr<const WordBuffer> buffer_;
  unsigned word_bytes_;
  std::uint64_t words_;
  RepeatShifts shifts_;
  std::uint64_t minimum_ = 0;  // of the words
  std::uint64_t maximum_ = 0;
};

/// Indices in 32-bit words where all of them fit, else in 64-bit words. Throws as IndexSequence does.
[[nodiscard]] IndexSequence make_index_sequence(std::span<const std::uint64_t> indices, RepeatShifts shifts = {});

}  // namespace gpumem::pattern
