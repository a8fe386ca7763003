#pragma once
// Events that tell who asked for launches and where arrays were made.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/watch/raw_format.hpp"

namespace gpumem::program {

/// A place of the program's text, as one line each.
struct RawFrame {
  inject::FrameLanguage language{};
  bool library = false;
  std::uint32_t line = 0;     ///< 0: not known
  std::uint64_t address = 0;  ///< native: of the instruction, as the code's file counts
  std::uint32_t file_mark = 0;
  std::string file;  ///< native: of the code
  std::string function;
  std::string module;
};

struct RawCaller {
  inject::CallerEvent event;
  std::string operation;  ///< the operator; empty: not known
  std::vector<RawFrame> frames;
};

struct RawArray {
  inject::ArrayEvent event;
  std::vector<RawFrame> made_at;  ///< innermost first; empty: not known
};

// Nothing where the payload is not what such an event has.
[[nodiscard]] std::optional<RawCaller> raw_caller(std::string_view payload);
[[nodiscard]] std::optional<RawArray> raw_array(std::string_view payload);

}  // namespace gpumem::program
