// A library that a Python program loads to be told of its own stack, as the injected library sees it.

#include <array>
#include <cstdio>
#include <string>

#include "program/watch/callers/python_frames.hpp"

namespace {

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

}  // namespace

/// Its frames as JSON, innermost first; how many. `text` has room for `bytes`.
extern "C" __attribute__((visibility("default"))) int gpumem_frames(char* text, int bytes) {
  using namespace gpumem::inject;
  static PythonFrames& python = *new PythonFrames;
  std::array<PythonSpot, 64> spots;
  const std::size_t count = python.stack(spots);
  std::string all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto frame = python.frame(spots[i]);
    if (!frame) continue;
    all += (all.empty() ? "[" : ",") + std::string("[") + quoted(frame->file) + "," + std::to_string(frame->line) +
           "," + quoted(frame->function) + "," + quoted(frame->module) + "," + (frame->library ? "true" : "false") +
           "]";
  }
  std::snprintf(text, static_cast<std::size_t>(bytes), "%s]", all.empty() ? "[" : all.c_str());
  return static_cast<int>(count);
}
