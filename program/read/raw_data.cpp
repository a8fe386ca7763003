#include "program/read/raw_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "engine/base/error.hpp"
#include "program/read/raw_checks.hpp"
#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

namespace fs = std::filesystem;
using inject::EventKind;

/// Reads a file from its beginning on, never more than it has.
class Input {
 public:
  explicit Input(const fs::path& path) : in_(path, std::ios::binary) {
    std::error_code ignored;
    const auto bytes = fs::file_size(path, ignored);
    if (!ignored) left_ = bytes;
  }

  [[nodiscard]] std::uint64_t left() const { return left_; }
  [[nodiscard]] std::uint64_t at() const { return at_; }

  /// Returns nullopt if the file ends before.
  template <class T>
  [[nodiscard]] std::optional<T> read() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (!fill(reinterpret_cast<char*>(&value), sizeof(T))) return std::nullopt;
    return value;
  }
  [[nodiscard]] std::optional<std::string> read(std::uint64_t bytes) {
    if (bytes > left_) return std::nullopt;  // before memory is taken for them
    std::string text(bytes, '\0');
    if (!fill(text.data(), bytes)) return std::nullopt;
    return text;
  }

 private:
  [[nodiscard]] bool fill(char* target, std::uint64_t bytes) {
    if (bytes > left_ || !in_.read(target, static_cast<std::streamsize>(bytes))) return false;
    left_ -= bytes;
    at_ += bytes;
    return true;
  }

  std::ifstream in_;
  std::uint64_t left_ = 0;
  std::uint64_t at_ = 0;
};

/// The payload of one event, read from the front.
class Payload {
 public:
  explicit Payload(std::string_view bytes) : left_(bytes) {}

  template <class T>
  [[nodiscard]] bool read(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (left_.size() < sizeof(T)) return false;
    std::memcpy(&value, left_.data(), sizeof(T));
    left_.remove_prefix(sizeof(T));
    return true;
  }
  [[nodiscard]] std::string_view rest() const { return left_; }
  /// Returns the text up to the first NUL. Longer texts than any page shows are cut, because many results may repeat
  /// them.
  [[nodiscard]] std::string text() const {
    constexpr std::size_t longest = 16384;
    return std::string(left_.substr(0, std::min(left_.find('\0'), longest)));
  }

 private:
  std::string_view left_;
};

/// Notes damage in a line, but only the first few times: a file may be damaged at every event.
void damaged(RawProcess& process, const fs::path& path, const std::string& what) {
  constexpr std::size_t most_lines = 8;
  std::string line = fmt::format("{}: {}", path.filename().string(), what);
  if (process.damage.size() == most_lines) line = "is damaged in more places";
  if (process.damage.size() <= most_lines) process.damage.push_back(std::move(line));
}

/// Returns true if the file is a raw file of this version; otherwise notes why it is not.
bool read_header(Input& input, const fs::path& path, RawProcess& process) {
  const auto header = input.read<inject::FileHeader>();
  if (!header) {
    damaged(process, path, "ends before it says what it is; nothing of it is used");
    return false;
  }
  if (!std::ranges::equal(header->magic, inject::raw_magic)) {
    damaged(process, path, "is no raw file of gpumem; nothing of it is used");
    return false;
  }
  if (header->version != inject::raw_version) {
    damaged(process, path,
            fmt::format("was written by another version of gpumem (format {}, this one reads {}); run both from one "
                        "installation",
                        header->version, inject::raw_version));
    return false;
  }
  process.process = header->process;
  process.parent = header->parent;
  process.started_ns = header->started_ns;
  process.engine = header->engine;
  return true;
}

std::vector<std::string> arguments(std::string_view zero_ended) {
  std::vector<std::string> all;
  while (!zero_ended.empty()) {
    const std::size_t end = std::min(zero_ended.find('\0'), zero_ended.size());
    all.emplace_back(zero_ended.substr(0, end));
    zero_ended.remove_prefix(std::min(end + 1, zero_ended.size()));
  }
  return all;
}

/// Adds a sample. Leaves out sites that are not possible, and parameters whose length differs from the event's. Returns
/// false if it left out anything.
bool add_sample(RawProcess& process, Payload& payload) {
  RawSample sample;
  if (!payload.read(sample.event) || !is_possible(sample.event)) return false;
  if (payload.rest().size() / sizeof(inject::Site) < sample.event.sites) return false;
  for (std::uint32_t i = 0; i < sample.event.sites; ++i) {
    inject::Site site;
    if (payload.read(site) && is_possible(site)) sample.sites.push_back(site);
  }
  bool whole = sample.sites.size() == sample.event.sites;
  const std::string_view parameters = payload.rest();
  if (parameters.size() == sample.event.parameter_bytes && parameters.size() <= inject::most_parameter_bytes) {
    sample.parameters = parameters;
  } else {
    whole = false;
  }
  process.samples.push_back(std::move(sample));
  return whole;
}

bool add_graph(RawProcess& process, Payload& payload) {
  RawGraph graph;
  if (!payload.read(graph.event)) return false;
  if (payload.rest().size() / sizeof(inject::GraphKernel) != graph.event.kernels) return false;
  for (std::uint32_t i = 0; i < graph.event.kernels; ++i) {
    inject::GraphKernel kernel;
    if (!payload.read(kernel) || kernel.launches == 0) return false;
    graph.kernels.push_back(kernel);
  }
  process.graphs.push_back(std::move(graph));
  return true;
}

bool add_spans(RawProcess& process, Payload& payload) {
  inject::SpansEvent event;
  if (!payload.read(event) || payload.rest().size() / sizeof(inject::Span) != event.spans) return false;
  bool whole = true;
  for (std::uint32_t i = 0; i < event.spans; ++i) {
    inject::Span span;
    if (!payload.read(span) || !is_possible(span, process.totals)) {
      whole = false;
    } else if (process.spans.size() < inject::kept_spans) {
      process.spans.push_back(span);
    }
  }
  return whole;
}

bool add_launch_counts(RawProcess& process, Payload& payload) {
  RawCounts counted;
  if (!payload.read(counted.event) || !is_possible(counted.event)) return false;
  bool whole = true;
  for (const measure::CounterField& field : measure::counter_fields()) {
    double value = 0;
    if (!payload.read(value)) return false;
    if (is_possible_count(field, value)) {
      counted.counts.*field.value = value;
    } else {
      whole = whole && std::isnan(value);  // absent
    }
  }
  if (counted.counts != measure::Counts{}) process.counted.push_back(counted);
  return whole;
}

/// Returns false if the payload is not what its kind says.
bool add_event(RawProcess& process, EventKind kind, std::string_view bytes) {
  Payload payload(bytes);
  switch (kind) {
    case EventKind::command:
      process.command = arguments(bytes);
      return true;
    case EventKind::device: {
      inject::DeviceEvent device;
      if (!payload.read(device) || !is_possible(device)) return false;
      process.devices.push_back(device);
      return true;
    }
    case EventKind::kernel: {
      RawKernel kernel;
      if (!payload.read(kernel.event) || !is_possible(kernel.event)) return false;
      kernel.name = payload.text();
      process.kernels[kernel.event.kernel] = std::move(kernel);
      return true;
    }
    case EventKind::image: {
      inject::ImageEvent image;
      if (!payload.read(image) || image.image == 0) return false;
      process.images[image.image] = payload.rest();
      return true;
    }
    case EventKind::sample:
      return add_sample(process, payload);
    case EventKind::problem: {
      inject::ProblemEvent problem;
      if (!payload.read(problem)) return false;
      process.problems.push_back({problem.fatal != 0, report::one_line(payload.text())});
      return true;
    }
    case EventKind::counts:
      return add_launch_counts(process, payload);
    case EventKind::code: {
      inject::CodeEvent code;
      if (!payload.read(code) || !is_possible(code)) return false;
      const auto kernel = process.kernels.find(code.kernel);
      if (kernel == process.kernels.end()) return false;
      kernel->second.code = payload.rest();
      kernel->second.parameter_offset = code.parameter_offset;
      return true;
    }
    case EventKind::graph:
      return add_graph(process, payload);
    case EventKind::spans:
      return add_spans(process, payload);
    case EventKind::range: {
      inject::RangeEvent range;
      if (!payload.read(range) || range.range == 0) return false;
      process.ranges[range.range] = payload.text();
      return true;
    }
    case EventKind::caller: {
      auto caller = raw_caller(bytes);
      if (!caller) return false;
      process.callers.push_back(std::move(*caller));
      return true;
    }
    case EventKind::array: {
      auto array = raw_array(bytes);
      if (!array) return false;
      process.arrays.push_back(std::move(*array));
      return true;
    }
  }
  return false;
}

void read_events(const fs::path& path, RawProcess& process) {
  Input input(path);
  if (!read_header(input, path, process)) return;
  constexpr std::uint64_t aligned = 8;
  while (input.left() > 0) {
    const std::uint64_t at = input.at();
    const auto header = input.read<inject::EventHeader>();
    if (!header) return;  // cut off: the process ended while it wrote
    const auto kind = static_cast<std::uint32_t>(header->kind);
    if (kind < static_cast<std::uint32_t>(EventKind::command) || kind > static_cast<std::uint32_t>(EventKind::array)) {
      // The beginning of the next event would be a guess.
      damaged(process, path, fmt::format("damaged from byte {} on; what follows is not used", at));
      return;
    }
    const auto payload = input.read(header->bytes);
    if (!payload) return;
    const std::uint64_t padding = (aligned - header->bytes % aligned) % aligned;
    static_cast<void>(input.read(std::min(padding, input.left())));
    if (!add_event(process, header->kind, *payload)) {
      damaged(process, path, fmt::format("damaged at byte {}; the rest of it is used", at));
    }
  }
}

void read_launches(const fs::path& path, RawProcess& process) {
  Input input(path);
  if (!read_header(input, path, process)) return;
  const auto totals = input.read<inject::LaunchTotals>();
  if (!totals) return;
  if (is_possible(*totals)) {
    process.totals = *totals;
  } else {
    damaged(process, path, "the sums are damaged; the launches are used");
  }
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < std::min(totals->slots, inject::launch_slots); ++i) {
    const auto slot = input.read<inject::LaunchSlot>();
    if (!slot) break;
    if (slot->kernel == 0) continue;
    if (is_possible(*slot)) {
      process.slots[static_cast<std::uint32_t>(i)] = *slot;
    } else {
      ++wrong;
    }
  }
  if (wrong > 0)
    damaged(process, path, fmt::format("{} damaged; the rest of it is used", report::counted(wrong, "entry")));
}

/// Returns the path of each process's pair of files, without the suffix.
std::vector<fs::path> pairs_in(const fs::path& folder) {
  std::vector<fs::path> pairs;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string suffix = entry->path().extension().string();
    if (suffix == inject::events_suffix || suffix == inject::launches_suffix) {
      pairs.push_back(fs::path(entry->path()).replace_extension());
    }
  }
  if (failure) throw usage_error(fmt::format("cannot read {}: {}", folder.string(), failure.message()));
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  return pairs;
}

RawProcess read_pair(const fs::path& pair) {
  RawProcess process;
  fs::path events = pair;
  fs::path launches = pair;
  events += inject::events_suffix;
  launches += inject::launches_suffix;
  std::error_code ignored;
  const bool has_launches = fs::exists(launches, ignored);
  if (has_launches) read_launches(launches, process);
  if (fs::exists(events, ignored)) {
    read_events(events, process);
  } else if (!process.slots.empty()) {
    damaged(process, events, "is missing; of this process only launches are known");
  }
  if (!has_launches && !process.kernels.empty()) {
    damaged(process, launches, "is missing; the launches of this process are not known");
  }
  return process;
}

}  // namespace

std::vector<RawProcess> read_raw_data(const fs::path& folder) {
  std::vector<RawProcess> processes;
  for (const fs::path& pair : pairs_in(folder)) processes.push_back(read_pair(pair));
  std::ranges::stable_sort(processes, {}, &RawProcess::started_ns);
  return processes;
}

}  // namespace gpumem::program
