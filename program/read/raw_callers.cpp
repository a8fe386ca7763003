#include "program/read/raw_callers.hpp"

#include "program/read/elf_file.hpp"
#include "report/text/text.hpp"

namespace gpumem::program {

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

std::optional<std::vector<RawFrame>> raw_frames(ByteReader& reader, std::uint32_t count) {
  if (count > inject::most_caller_frames) return std::nullopt;
  std::vector<RawFrame> frames;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto frame = raw_frame(reader);
    if (!frame) return std::nullopt;
    frames.push_back(*std::move(frame));
  }
  return frames;
}

}  // namespace

std::optional<RawCaller> raw_caller(std::string_view payload) {
  if (payload.size() < sizeof(inject::CallerEvent)) return std::nullopt;
  ByteReader reader(payload);
  const auto event = reader.read<inject::CallerEvent>();
  auto operation = text_of_event(reader, event.operator_bytes);
  if (!operation) return std::nullopt;
  auto frames = raw_frames(reader, event.frames);
  if (!frames) return std::nullopt;
  return RawCaller{.event = event, .operation = *std::move(operation), .frames = *std::move(frames)};
}

std::optional<RawArray> raw_array(std::string_view payload) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 52U;
  if (payload.size() < sizeof(inject::ArrayEvent)) return std::nullopt;
  ByteReader reader(payload);
  const auto event = reader.read<inject::ArrayEvent>();
  if (event.bytes == 0 || event.bytes > most_bytes) return std::nullopt;
  auto made_at = raw_frames(reader, event.frames);
  if (!made_at) return std::nullopt;
  return RawArray{.event = event, .made_at = *std::move(made_at)};
}

}  // namespace gpumem::program
