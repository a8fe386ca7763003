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

}  // namespace

std::uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

std::uint64_t tick_ns() { return clock_ns(CLOCK_MONOTONIC_COARSE); }

/// Memory that the file behind a mapping has no room for kills the process that touches it.
bool Output::make_room(std::size_t bytes) const {
  const FileLimitSpared spared;
  return posix_fallocate(launches_, 0, static_cast<off_t>(bytes)) == 0;
}

bool Output::map_launches(const FileHeader& header) {
  const std::size_t bytes = launches_begin + launch_slots * sizeof(LaunchSlot);
  if (!make_room(launches_begin)) return false;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, launches_, 0);
  if (memory == MAP_FAILED) return false;
  std::memcpy(memory, &header, sizeof(header));
  auto* begin = static_cast<std::byte*>(memory);
  totals_ = reinterpret_cast<LaunchTotals*>(begin + sizeof(FileHeader));
  slots_ = reinterpret_cast<LaunchSlot*>(begin + launches_begin);
  return true;
}

void Output::write_command() {
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char text[4096];
  const ssize_t size = read(file, text, sizeof(text));
  close(file);
  if (size > 0) write_event(EventKind::command, {part_of(std::string_view(text, static_cast<std::size_t>(size)))});
}

bool Output::open(const std::string& folder, EngineKind engine) {
  const FileLimitSpared spared;
  const FileHeader header = header_of_process(engine);
  const std::string name = folder + "/" + std::to_string(header.process) + "-" + std::to_string(header.started_ns);
  events_ = ::open((name + events_suffix).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  launches_ = ::open((name + launches_suffix).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (events_ < 0 || launches_ < 0 || write(events_, &header, sizeof(header)) != sizeof(header) ||
      !map_launches(header)) {
    leave();
    return false;
  }
  write_command();
  return true;
}

void Output::leave() {
  totals_ = &nobodys_totals_;
  slots_ = nullptr;
  for (int* file : {&events_, &launches_}) {
    if (*file >= 0) close(*file);
    *file = -1;
  }
}

void Output::write_event(EventKind kind, std::initializer_list<Part> parts) {
  if (events_ < 0) return;
  EventHeader header{.kind = kind};
  std::vector<iovec> pieces{{&header, sizeof(header)}};
  std::size_t bytes = 0;
  for (const Part& part : parts) {
    bytes += part.size();
    pieces.push_back({const_cast<std::byte*>(part.data()), part.size()});
  }
  header.bytes = static_cast<std::uint32_t>(bytes);
  static constexpr std::byte zeros[8] = {};
  if (bytes % 8 != 0) pieces.push_back({const_cast<std::byte*>(zeros), 8 - bytes % 8});
  const std::lock_guard lock(writing_);
  const FileLimitSpared spared;
  // One call, so that other threads' and a sudden end leave whole events; if the disk is full, the last is cut off.
  if (writev(events_, pieces.data(), static_cast<int>(pieces.size())) < 0) {
    close(events_);
    events_ = -1;
  }
}

void Output::write_problem(bool fatal, std::string_view text) {
  {
    const std::lock_guard lock(problems_mutex_);
    if (!problems_.emplace(text).second) return;
  }
  write_event(EventKind::problem, {part_of(ProblemEvent{.fatal = fatal ? 1U : 0U}), part_of(text)});
}

LaunchSlot* Output::new_slot(std::uint32_t& number) {
  if (slots_ == nullptr || totals_->slots == launch_slots) return nullptr;
  const std::uint64_t slot = totals_->slots;
  if (slot == slots_with_room_) {
    const std::uint64_t wanted = std::min(launch_slots, slot + slots_at_once);
    if (!make_room(launches_begin + wanted * sizeof(LaunchSlot))) return nullptr;
    slots_with_room_ = wanted;
  }
  number = static_cast<std::uint32_t>(slot);
  return &slots_[slot];
}

}  // namespace gpumem::inject
