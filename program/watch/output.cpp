#include "program/watch/output.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>
#include <vector>

namespace gpumem::inject {

namespace {

constexpr std::size_t launches_begin = sizeof(FileHeader) + sizeof(LaunchTotals);
constexpr std::size_t slots_at_once = 256;  // of which there is room in the file before they are in use

int events = -1;
int launches = -1;
LaunchTotals nobodys_totals{};
LaunchTotals* mapped_totals = &nobodys_totals;
LaunchSlot* mapped_slots = nullptr;
std::uint64_t slots_with_room = 0;
std::mutex writing;

std::uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

FileHeader header_of_process(EngineKind engine) {
  FileHeader header;
  std::memcpy(header.magic, raw_magic, sizeof(header.magic));
  header.version = raw_version;
  header.process = static_cast<std::uint32_t>(getpid());
  header.parent = static_cast<std::uint32_t>(getppid());
  header.engine = engine;
  header.started_ns = clock_ns(CLOCK_REALTIME);
  return header;
}

/// While it lives, a file that may not grow (ulimit -f) is an error of writing it, and not the program's end.
class FileLimitSpared {
 public:
  FileLimitSpared() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileLimitSpared() {
    const timespec at_once{};
    if (sigismember(&before_, SIGXFSZ) == 0) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileLimitSpared(const FileLimitSpared&) = delete;
  FileLimitSpared& operator=(const FileLimitSpared&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

/// Memory that the file behind a mapping has no room for kills the process that touches it.
bool make_room(std::size_t bytes) {
  const FileLimitSpared spared;
  return posix_fallocate(launches, 0, static_cast<off_t>(bytes)) == 0;
}

bool map_launches(const FileHeader& header) {
  const std::size_t bytes = launches_begin + launch_slots * sizeof(LaunchSlot);
  if (!make_room(launches_begin)) return false;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, launches, 0);
  if (memory == MAP_FAILED) return false;
  std::memcpy(memory, &header, sizeof(header));
  auto* begin = static_cast<std::byte*>(memory);
  mapped_totals = reinterpret_cast<LaunchTotals*>(begin + sizeof(FileHeader));
  mapped_slots = reinterpret_cast<LaunchSlot*>(begin + launches_begin);
  return true;
}

void write_command() {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char text[4096];
  const ssize_t size = read(file, text, sizeof(text));
  close(file);
  if (size > 0) write_event(EventKind::command, {part_of(std::string_view(text, static_cast<std::size_t>(size)))});
}

}  // namespace

std::uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

bool open_output(const std::string& folder, EngineKind engine) {
  const FileLimitSpared spared;
  const FileHeader header = header_of_process(engine);
  const std::string name = folder + "/" + std::to_string(header.process) + "-" + std::to_string(header.started_ns);
  events = open((name + events_suffix).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  launches = open((name + launches_suffix).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (events < 0 || launches < 0 || write(events, &header, sizeof(header)) != sizeof(header) || !map_launches(header)) {
    leave_output();
    return false;
  }
  write_command();
  return true;
}

void leave_output() {
  mapped_totals = &nobodys_totals;
  mapped_slots = nullptr;
  for (int* file : {&events, &launches}) {
    if (*file >= 0) close(*file);
    *file = -1;
  }
}

void write_event(EventKind kind, std::initializer_list<Part> parts) {
  if (events < 0) return;
  EventHeader header{.kind = kind};
  std::vector<iovec> pieces{{&header, sizeof(header)}};
  std::size_t bytes = 0;
  for (const Part& part : parts) {
    bytes += part.size();
    pieces.push_back({const_cast<std::byte*>(part.data()), part.size()});
  }
  header.bytes = static_cast<std::uint32_t>(bytes);
  static char zeros[8] = {};
  if (bytes % 8 != 0) pieces.push_back({zeros, 8 - bytes % 8});
  const std::lock_guard lock(writing);
  const FileLimitSpared spared;
  // One call, so that other threads' and a sudden end leave whole events; if the disk is full, the last is cut off.
  if (writev(events, pieces.data(), static_cast<int>(pieces.size())) < 0) {
    close(events);
    events = -1;
  }
}

void write_problem(bool fatal, std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> written;
  {
    const std::lock_guard lock(mutex);
    if (!written.emplace(text).second) return;
  }
  write_event(EventKind::problem, {part_of(ProblemEvent{.fatal = fatal ? 1U : 0U}), part_of(text)});
}

LaunchTotals& totals() { return *mapped_totals; }

LaunchSlot* new_slot(std::uint32_t& number) {
  if (mapped_slots == nullptr || mapped_totals->slots == launch_slots) return nullptr;
  const std::uint64_t slot = mapped_totals->slots;
  if (slot == slots_with_room) {
    const std::uint64_t wanted = std::min(launch_slots, slot + slots_at_once);
    if (!make_room(launches_begin + wanted * sizeof(LaunchSlot))) return nullptr;
    slots_with_room = wanted;
  }
  number = static_cast<std::uint32_t>(slot);
  return &mapped_slots[slot];
}

}  // namespace gpumem::inject
