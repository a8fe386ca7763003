#include "program/watch/spans.hpp"

#include <span>
#include <utility>

namespace gpumem::inject {

namespace {

constexpr std::size_t written_at_once = 256;

}  // namespace

void Spans::write(const std::vector<Span>& some) {
  if (some.empty()) return;
  const SpansEvent event{.spans = static_cast<std::uint32_t>(some.size())};
  output_.write_event(EventKind::spans, {part_of(event), std::as_bytes(std::span(some))});
}

void Spans::keep(SpanKind kind, std::uint32_t of, std::uint64_t lane, std::uint64_t begin_ns, std::uint64_t took_ns) {
  std::vector<Span> full;
  {
    const std::lock_guard lock(mutex_);
    if (kept_ == kept_spans) {
      ++output_.totals().spans_left_out;
      return;
    }
    ++kept_;
    waiting_.push_back({.kind = kind, .of = of, .lane = lane, .begin_ns = begin_ns, .took_ns = took_ns});
    if (waiting_.size() == written_at_once) full = std::exchange(waiting_, {});
  }
  write(full);
}

void Spans::write_rest() {
  std::vector<Span> rest;
  {
    const std::lock_guard lock(mutex_);
    rest = std::exchange(waiting_, {});
  }
  write(rest);
}

void Spans::after_fork_in_child() {
  waiting_.clear();
  mutex_.unlock();
}

}  // namespace gpumem::inject
