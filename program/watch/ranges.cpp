#include "program/watch/ranges.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <cwchar>

#include "program/watch/utf8.hpp"

namespace gpumem::inject {

namespace {

constexpr const char* ellipsis = "...";

/// Cut between two characters.
std::string cut(std::string text) {
  if (text.size() <= longest_name) return text;
  std::size_t end = longest_name - std::strlen(ellipsis);
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + ellipsis;
}

}  // namespace

void Ranges::name_range(const Range& range) {
  if (range.named.exchange(true)) return;
  output_.write_event(EventKind::range,
                      {part_of(RangeEvent{.range = range.number}), part_of(std::string_view(range.name))});
  if (range.name == other_names) {
    output_.write_problem(false, "the program marks more than " + std::to_string(most_names) +
                                     " ranges of different names: those that came later are shown as " + range.name);
  }
}

std::string name_of(const char* text) {
  if (text == nullptr) return {};
  return cut(std::string(text, strnlen(text, longest_name + 1)));
}

std::string name_of(const wchar_t* text) {
  std::string name;
  if (text == nullptr) return name;
  for (const wchar_t* c = text; *c != L'\0' && name.size() <= longest_name; ++c) {
    append_utf8(name, static_cast<char32_t>(*c));
  }
  return cut(name);
}

template <class Container>
const std::string& Ranges::kept_name(const Container& known, const std::string& name) const {
  return known.size() < most_names || known.contains(name) ? name : others_;
}

Domain Ranges::domain_of(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return &*domains_.insert(kept_name(domains_, name)).first;
}

const Range* Ranges::range_of(Domain domain, const std::string& name) {
  if (name.empty()) return nullptr;
  const std::string full = domain == nullptr || domain->empty() ? name : *domain + ":" + name;
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = ranges_.try_emplace(kept_name(ranges_, full));
  if (is_new) {
    place->second.number = static_cast<std::uint32_t>(ranges_.size());
    place->second.name = place->first;
  }
  return &place->second;
}

/// Keeps its span, if something was launched before it ended.
void Ranges::keep(const OpenRange& open) {
  const std::uint64_t first_launch_ns = output_.totals().began_ns;
  const std::uint64_t end_ns = now_ns();
  if (open.range == nullptr || first_launch_ns == 0) return;
  name_range(*open.range);
  const std::uint64_t begin_ns = std::max(open.began_ns, first_launch_ns);
  spans_.keep(SpanKind::range, open.range->number, static_cast<std::uint64_t>(gettid()), begin_ns, end_ns - begin_ns);
}

void Ranges::open(Domain domain, const Range* range) {
  OpenRanges& stack = this_thread.ranges;
  if (stack.depth == deepest_open) {
    ++stack.deeper;
    return;
  }
  stack.open[stack.depth++] = {domain, range, now_ns()};
  stack.name_current();
}

void Ranges::close(Domain domain) {
  OpenRanges& stack = this_thread.ranges;
  if (stack.deeper > 0) {
    --stack.deeper;
    return;
  }
  std::size_t at = stack.depth;
  while (at > 0 && stack.open[at - 1].domain != domain) --at;
  if (at == 0) return;  // the program closes what it has not opened
  keep(stack.open[at - 1]);
  std::copy(stack.open + at, stack.open + stack.depth, stack.open + at - 1);
  --stack.depth;
  stack.name_current();
}

}  // namespace gpumem::inject
