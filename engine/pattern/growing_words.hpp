#pragma once
// Indices as they come out of text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

class GrowingWords {
 public:
  /// The source is for errors, and must outlive this.
  explicit GrowingWords(const std::string& source) : source_(source) {}

  void push(std::uint64_t value) {
    if (size_ == buffer_.bytes() / sizeof value) {
      buffer_.resize(std::max(std::size_t{1} << 15U, buffer_.bytes() + size_ / 2 * sizeof value), source_);
    }
    buffer_.as<std::uint64_t>()[size_++] = value;
    highest_ = std::max(highest_, value);
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::span<std::uint64_t> words() { return buffer_.as<std::uint64_t>().first(size_); }

  /// All of them, at least one, in 32 bits if they fit.
  IndexSequence take() {
    if (highest_ <= std::numeric_limits<std::uint32_t>::max()) return take_low_halves();
    buffer_.resize(size_ * sizeof(std::uint64_t), source_);
    return {std::move(buffer_), sizeof(std::uint64_t)};
  }

  /// The lower 32 bits of each of them, at least one.
  IndexSequence take_low_halves() {
    for (std::size_t i = 0; i < size_; ++i) {
      const auto narrow = static_cast<std::uint32_t>(words()[i]);
      std::memcpy(buffer_.data() + i * sizeof narrow, &narrow, sizeof narrow);  // over words that were narrowed
    }
    buffer_.resize(size_ * sizeof(std::uint32_t), source_);
    return {std::move(buffer_), sizeof(std::uint32_t)};
  }

 private:
  const std::string& source_;
  WordBuffer buffer_;
  std::size_t size_ = 0;
  std::uint64_t highest_ = 0;
};

}  // namespace gpumem::pattern
