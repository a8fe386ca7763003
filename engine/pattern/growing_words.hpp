#pragma once
// Indices as they come out of text, in words that get wider when one does not fit.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

class GrowingWords {
 public:
  /// The source is for errors, and must outlive this.
  explicit GrowingWords(const std::string& source) : source_(source) {}

  void push(std::uint64_t value) {
    if (size_ == capacity_) grow();
    if (!wide_ && value > std::numeric_limits<std::uint32_t>::max()) widen();
    if (wide_) {
      buffer_.as<std::uint64_t>()[size_++] = value;
    } else {
      buffer_.as<std::uint32_t>()[size_++] = static_cast<std::uint32_t>(value);
    }
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// All of them, at least one.
  IndexSequence take() {
    buffer_.resize(size_ * word_bytes(), source_);
    return {std::move(buffer_), word_bytes()};
  }

 private:
  [[nodiscard]] unsigned word_bytes() const { return wide_ ? 8 : 4; }

  void grow() {
    constexpr std::size_t first = 4096;
    capacity_ = std::max(first, capacity_ + capacity_ / 2);
    buffer_.resize(capacity_ * word_bytes(), source_);
  }

  void widen() {
    buffer_.resize(capacity_ * 8, source_);
    // From the last on: each wide word ends before the narrow ones that are still to be read.
    for (std::size_t i = size_; i-- > 0;) buffer_.as<std::uint64_t>()[i] = narrow(i);
    wide_ = true;
  }

  /// The two types must not be taken to lie apart.
  [[nodiscard]] std::uint64_t narrow(std::size_t i) const {
    std::uint32_t word = 0;
    std::memcpy(&word, buffer_.data() + i * sizeof word, sizeof word);
    return word;
  }

  const std::string& source_;
  WordBuffer buffer_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;  // in words
  bool wide_ = false;
};

}  // namespace gpumem::pattern
