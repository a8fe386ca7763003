#include "program/watch/spans.hpp"

#include <pthread.h>

#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "program/watch/output.hpp"

namespace gpumem::inject {

namespace {

constexpr std::size_t written_at_once = 256;

struct Spans {
  std::mutex mutex;
  std::vector<Span> waiting;
  std::uint64_t kept = 0;
};

/// Never destroyed: the program may mark ranges to its very end. A child finds the lock free when another thread held
/// it at the fork.
Spans& spans() {
  static Spans& all = []() -> Spans& {
    pthread_atfork([] { spans().mutex.lock(); }, [] { spans().mutex.unlock(); },
                   [] {
                     spans().waiting.clear();
                     spans().mutex.unlock();
                   });
    return *new Spans;
  }();
  return all;
}

void write(const std::vector<Span>& some) {
  if (some.empty()) return;
  const SpansEvent event{.spans = static_cast<std::uint32_t>(some.size())};
  output().write_event(EventKind::spans, {part_of(event), std::as_bytes(std::span(some))});
}

}  // namespace

void keep_span(SpanKind kind, std::uint32_t of, std::uint64_t lane, std::uint64_t begin_ns, std::uint64_t took_ns) {
  Spans& all = spans();
  std::vector<Span> full;
  {
    const std::lock_guard lock(all.mutex);
    if (all.kept == kept_spans) {
      ++output().totals().spans_left_out;
      return;
    }
    ++all.kept;
    all.waiting.push_back({.kind = kind, .of = of, .lane = lane, .begin_ns = begin_ns, .took_ns = took_ns});
    if (all.waiting.size() == written_at_once) full = std::exchange(all.waiting, {});
  }
  write(full);
}

void write_spans() {
  std::vector<Span> rest;
  {
    const std::lock_guard lock(spans().mutex);
    rest = std::exchange(spans().waiting, {});
  }
  write(rest);
}

}  // namespace gpumem::inject
