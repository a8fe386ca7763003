#pragma once
// Indices as they come out of text.

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
    if (size_ == buffer_.bytes() / sizeof value) {
      buffer_.resize(std::max(std::size_t{1} << 15U, buffer_.bytes() + size_ / 2 * sizeof value), source_);
    }
    buffer_.as<std::uint64_t>()[size_++] = value;
    highest_ = std::max(highest_, value);
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// All of them, at least one, in 32 bits if they fit.
  IndexSequence take() {
    unsigned word_bytes = sizeof(std::uint64_t);
    if (highest_ <= std::numeric_limits<std::uint32_t>::max()) {
      word_bytes = sizeof(std::uint32_t);
      for (std::size_t i = 0; i < size_; ++i) {
        const auto narrow = static_cast<std::uint32_t>(buffer_.as<std::uint64_t>()[i]);
        std::memcpy(buffer_.data() + i * sizeof narrow, &narrow, sizeof narrow);  // over words that were narrowed
      }
    }
    buffer_.resize(size_ * word_bytes, source_);
    return {std::move(buffer_), word_bytes};
  }

 private:
  const std::string& source_;
  WordBuffer buffer_;
  std::size_t size_ = 0;
  std::uint64_t highest_ = 0;
};

}  // namespace gpumem::pattern
