#include "program/watch/callers/known_frames.hpp"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace gpumem::inject {

namespace {

/// Identifies a code object. One that came to lie at its address later is another.
struct CodeKey {
  std::uintptr_t code = 0;
  PythonCode what;
  friend bool operator==(const CodeKey&, const CodeKey&) = default;
};

struct KnownCode {
  CodeKey key;
  bool library = false;
};

struct KnownPlace {
  CodeKey key;
  std::uint64_t at = 0;
  const Frame* frame = nullptr;  ///< null: it cannot be read
};

constexpr std::size_t table_bits = 12;
constexpr std::size_t most_places = 1U << 16U;  // of a program that makes code for ever, those that came first
constexpr std::size_t deepest = 64;
constexpr std::size_t near = 8;  // frames among which the program's own usually is

std::size_t place_in_table(std::uintptr_t code, std::uint64_t at) {
  return (code * 0x9e3779b97f4a7c15 ^ at * 0xc2b2ae3d27d4eb4f) >> (64 - table_bits);
}

}  // namespace

struct FrameTables {
  explicit FrameTables(const PythonFrames& interpreter) : python(interpreter) {}

  const Frame* frame_of(const PythonSpot& spot, const CodeKey& key);
  /// True if the code object is a library's, whichever of its instructions is executed. The text of a place is not read
  /// for this twice.
  bool is_library_frame(const PythonSpot& spot, const CodeKey& key);
  const Frame* innermost_own(std::span<const PythonSpot> spots);

  const PythonFrames& python;
  std::array<KnownCode, std::size_t{1} << table_bits> codes;    // the one last asked for of those that share a place
  std::array<KnownPlace, std::size_t{1} << table_bits> places;  // likewise
  std::map<std::tuple<std::uintptr_t, std::uint64_t, std::uintptr_t, std::uintptr_t, std::uint32_t>,
           std::unique_ptr<const Frame>>
      all;
};

const Frame* FrameTables::frame_of(const PythonSpot& spot, const CodeKey& key) {
  KnownPlace& place = places[place_in_table(spot.code, spot.at)];
  if (place.key == key && place.at == spot.at) return place.frame;
  const std::tuple all_key{key.code, spot.at, key.what.file, key.what.name, key.what.first_line};
  auto found = all.find(all_key);
  if (found == all.end()) {
    if (all.size() == most_places) return nullptr;
    std::optional<Frame> frame = python.frame(spot);
    found = all.emplace(all_key, frame ? std::make_unique<const Frame>(std::move(*frame)) : nullptr).first;
  }
  place = {.key = key, .at = spot.at, .frame = found->second.get()};
  return place.frame;
}

bool FrameTables::is_library_frame(const PythonSpot& spot, const CodeKey& key) {
  KnownCode& code = codes[place_in_table(spot.code, 0)];
  if (code.key == key) return code.library;
  const Frame* frame = frame_of(spot, key);
  code = {.key = key, .library = frame == nullptr || frame->library};
  return code.library;
}

const Frame* FrameTables::innermost_own(std::span<const PythonSpot> spots) {
  for (const PythonSpot& spot : spots) {
    const auto code = python.code(spot);
    if (!code) return nullptr;
    const CodeKey key{.code = spot.code, .what = *code};
    if (!is_library_frame(spot, key)) return frame_of(spot, key);
  }
  return nullptr;
}

KnownFrames::KnownFrames(PythonFrames& python) : python_(python) {}

KnownFrames::~KnownFrames() = default;

FrameTables& KnownFrames::tables() {
  if (tables_ == nullptr) tables_ = std::make_unique<FrameTables>(python_);
  return *tables_;
}

const Frame* KnownFrames::innermost_own() {
  std::array<PythonSpot, deepest> spots;
  const std::span all(spots);
  const std::size_t count = python_.stack(all.first(near));
  if (count == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  FrameTables& frames = tables();
  if (const Frame* own = frames.innermost_own(all.first(count))) return own;
  return count < near ? nullptr : frames.innermost_own(all.first(python_.stack(all)).subspan(near));
}

std::vector<const Frame*> KnownFrames::all() {
  std::array<PythonSpot, deepest> spots;
  const std::size_t count = python_.stack(spots);
  std::vector<const Frame*> all;
  const std::lock_guard lock(mutex_);
  FrameTables& frames = tables();
  for (const PythonSpot& spot : std::span(spots).first(count)) {
    const auto code = python_.code(spot);
    if (!code) break;
    if (const Frame* frame = frames.frame_of(spot, {.code = spot.code, .what = *code})) all.push_back(frame);
  }
  return all;
}

}  // namespace gpumem::inject
