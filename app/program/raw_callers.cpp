#include "app/program/raw_callers.hpp"

#include "app/program/elf_file.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

constexpr std::uint32_t longest_text = 4096;

/// Nothing where fewer bytes are left.
std::optional<std::string> text_of_event(ByteReader& reader, std::uint32_t bytes) {
  if (bytes > longest_text || bytes > reader.left()) return std::nullopt;
  return report::one_line(std::string(reader.take(bytes)));
}

std::optional<RawFrame> raw_frame(ByteReader& reader) {
  if (reader.left() < sizeof(inject::CallerFrame)) return std::nullopt;
  const auto raw = reader.read<inject::CallerFrame>();
  if (raw.language > inject::FrameLanguage::native) return std::nullopt;
  const auto file = text_of_event(reader, raw.file_bytes);
  const auto function = text_of_event(reader, raw.function_bytes);
  const auto module = text_of_event(reader, raw.module_bytes);
  if (!file || file->empty() || !function || !module) return std::nullopt;
  return RawFrame{raw.language, raw.library != 0, raw.line, raw.address, raw.file_mark, *file, *function, *module};
}

}  // namespace

std::optional<RawCaller> raw_caller(std::string_view payload) {
  if (payload.size() < sizeof(inject::CallerEvent)) return std::nullopt;
  ByteReader reader(payload);
  RawCaller caller{.event = reader.read<inject::CallerEvent>(), .operation = {}, .frames = {}};
  const auto operation = text_of_event(reader, caller.event.operator_bytes);
  if (!operation || caller.event.frames > inject::most_caller_frames) return std::nullopt;
  caller.operation = *operation;
  for (std::uint32_t i = 0; i < caller.event.frames; ++i) {
    auto frame = raw_frame(reader);
    if (!frame) return std::nullopt;
    caller.frames.push_back(std::move(*frame));
  }
  return caller;
}

std::optional<RawArray> raw_array(std::string_view payload) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 52U;
  if (payload.size() < sizeof(inject::ArrayEvent)) return std::nullopt;
  ByteReader reader(payload);
  RawArray array{.event = reader.read<inject::ArrayEvent>(), .made_at = {}};
  if (array.event.bytes == 0 || array.event.bytes > most_bytes || array.event.frames > 1) return std::nullopt;
  if (array.event.frames == 0) return array;
  array.made_at = raw_frame(reader);
  return array.made_at ? std::optional(array) : std::nullopt;
}

}  // namespace gpumem::app
