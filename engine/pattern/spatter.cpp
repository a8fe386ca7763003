#include "engine/pattern/spatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "engine/pattern/index_file_bytes.hpp"

namespace gpumem::pattern {

namespace {

/// The most offsets of a pattern. Patterns are short and repeated; longer ones belong in files of indices.
constexpr std::uint64_t most_offsets = std::uint64_t{1} << 26U;

/// Takes a notation to pieces and knows where each stood.
class NotationReader {
 public:
  NotationReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  void set_form(std::string_view form) { form_ = form; }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }

  [[noreturn]] void refuse(const std::string& wrong) const {
    throw usage_error(fmt::format("{}: character {}: {}{}{}", source_, at_ + 1, wrong,
                                  form_.empty() ? "" : "; it is written ", form_));
  }
  [[noreturn]] void refuse_at(std::size_t at, const std::string& wrong) {
    at_ = at;
    refuse(wrong);
  }

  [[nodiscard]] std::size_t position() const { return at_; }

  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void expect(char separator, std::string_view before) {
    if (!take({&separator, 1})) refuse(fmt::format("expected '{}' before {}", separator, before));
  }

  void expect_end() {
    if (!at_end()) refuse(fmt::format("expected nothing more, not '{}'", quoted_bytes(text_.substr(at_))));
  }

  std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most = most_index) {
    const std::size_t begin = at_;
    while (!at_end() && text_[at_] == ' ') ++at_;
    const std::size_t digits = at_;
    std::uint64_t value = 0;
    for (; !at_end() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(text_[at_] - '0'), &value)) {
        value = std::numeric_limits<std::uint64_t>::max();  // above any limit, and stays so
      }
    }
    if (at_ == digits || value < least || value > most) {
      refuse_at(begin, fmt::format("expected {}, a whole number from {} to {}", what, least, most));
    }
    while (!at_end() && text_[at_] == ' ') ++at_;
    return value;
  }

  /// One or more numbers with commas between them.
  std::vector<std::uint64_t> numbers(std::string_view what) {
    std::vector<std::uint64_t> all;
    do all.push_back(number(what, 0));
    while (take(","));
    return all;
  }

 private:
  std::string_view text_;
  const std::string& source_;
  std::string_view form_;
  std::size_t at_ = 0;
};

std::uint64_t product_or_refuse(const NotationReader& notation, std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > most_index) {
    notation.refuse("its offsets are above 2^63 - 1, the largest index");
  }
  return product;
}

SpatterPattern uniform(NotationReader& notation) {
  SpatterPattern pattern;
  const std::uint64_t length = notation.number("LENGTH", 1, most_offsets);
  notation.expect(':', "STRIDE");
  const std::uint64_t stride = notation.number("STRIDE", 0);
  const std::uint64_t end = product_or_refuse(notation, length, stride);
  if (notation.take(":")) pattern.delta = notation.take("NR") ? end : notation.number("DELTA or NR", 0);
  for (std::uint64_t i = 0; i < length; ++i) pattern.offsets.push_back(i * stride);
  return pattern;
}

/// "Mostly stride 1": offset i is the one before it plus 1, or at a break plus its gap; before the first stands -1.
SpatterPattern mostly_stride_1(NotationReader& notation) {
  SpatterPattern pattern;
  const std::uint64_t length = notation.number("LENGTH", 1, most_offsets);
  notation.expect(':', "BREAKS");
  const std::size_t breaks_at = notation.position();
  const std::vector<std::uint64_t> breaks = notation.numbers("a break");
  notation.expect(':', "GAPS");
  const std::size_t gaps_at = notation.position();
  const std::vector<std::uint64_t> gaps = notation.numbers("a gap");
  if (!std::ranges::is_sorted(breaks, std::ranges::less_equal()) || breaks.back() >= length) {
    notation.refuse_at(breaks_at, fmt::format("expected breaks that ascend and are below LENGTH, {}", length));
  }
  if (gaps.size() != 1 && gaps.size() != breaks.size()) {
    notation.refuse_at(gaps_at,
                       fmt::format("expected one gap or as many as breaks, {}, not {}", breaks.size(), gaps.size()));
  }
  std::uint64_t before = std::numeric_limits<std::uint64_t>::max();  // -1: what is added to it wraps to what is meant
  std::size_t next = 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    std::uint64_t step = 1;
    if (next < breaks.size() && breaks[next] == i) {
      step = gaps[gaps.size() == 1 ? 0 : next];
      ++next;
    }
    before += step;
    if (before > most_index) notation.refuse_at(gaps_at, "expected gaps that leave all offsets from 0 to 2^63 - 1");
    pattern.offsets.push_back(before);
  }
  return pattern;
}

/// The centre and its neighbours up to ORDER away along each axis, as offsets from the first of them.
SpatterPattern laplacian(NotationReader& notation) {
  SpatterPattern pattern;
  const std::uint64_t dimension = notation.number("DIMENSION", 1, 64);
  notation.expect(':', "ORDER");
  const std::uint64_t order = notation.number("ORDER", 1, most_offsets / (2 * dimension + 1));
  notation.expect(':', "SIZE");
  const std::uint64_t size = notation.number("SIZE", 1);

  std::vector<std::uint64_t> distances;  // from the centre, axis by axis
  std::uint64_t step = 1;
  for (std::uint64_t axis = 0; axis < dimension; ++axis) {
    if (axis > 0) step = product_or_refuse(notation, step, size);
    static_cast<void>(product_or_refuse(notation, step, 2 * order));
    for (std::uint64_t i = 1; i <= order; ++i) distances.push_back(i * step);
  }
  const std::uint64_t centre = distances.back();  // of the last axis, whose branches are the longest
  std::transform(distances.rbegin(), distances.rend(), std::back_inserter(pattern.offsets),
                 [centre](std::uint64_t distance) { return centre - distance; });
  pattern.offsets.push_back(centre);
  for (const std::uint64_t distance : distances) pattern.offsets.push_back(centre + distance);
  pattern.delta = 1;
  return pattern;
}

SpatterPattern custom(NotationReader& notation) {
  SpatterPattern pattern;
  pattern.offsets = notation.numbers("an offset");
  return pattern;
}

struct Generator {
  std::string_view name;
  std::string_view form;
  SpatterPattern (*read)(NotationReader&);
};

constexpr std::array<Generator, 3> generators = {{
    {"UNIFORM", "UNIFORM:LENGTH:STRIDE, :DELTA or :NR after it, such as UNIFORM:8:4:NR", uniform},
    {"MS1", "MS1:LENGTH:BREAKS:GAPS, such as MS1:8:2,3:20", mostly_stride_1},
    {"LAPLACIAN", "LAPLACIAN:DIMENSION:ORDER:SIZE, such as LAPLACIAN:2:1:100", laplacian},
}};

}  // namespace

bool is_spatter_notation(std::string_view text) {
  if (std::ranges::any_of(generators, [text](const Generator& generator) {
        return text.starts_with(generator.name) && text.substr(generator.name.size()).starts_with(':');
      })) {
    return true;
  }
  return !text.empty() && text.find_first_not_of("0123456789, ") == std::string_view::npos;
}

SpatterPattern parse_spatter(std::string_view notation, const std::string& source) {
  NotationReader reader(notation, source);
  const bool is_custom =
      !notation.empty() && (notation.front() == ' ' || (notation.front() >= '0' && notation.front() <= '9'));
  const auto* const generator = std::ranges::find(generators, notation.substr(0, notation.find(':')), &Generator::name);
  SpatterPattern pattern;
  if (is_custom) {
    reader.set_form("as offsets with commas between them, such as 0,4,8,12");
    pattern = custom(reader);
  } else if (generator != generators.end()) {
    reader.set_form(generator->form);
    static_cast<void>(reader.take(generator->name));
    reader.expect(':', generator->name == "LAPLACIAN" ? "DIMENSION" : "LENGTH");
    pattern = generator->read(reader);
  } else {
    std::vector<std::string> names;
    for (const Generator& known : generators) names.emplace_back(known.name);
    const std::string name = quoted_bytes(notation.substr(0, notation.find(':')));
    const std::string meant = did_you_mean(name, names);
    reader.refuse(fmt::format("'{}' is no pattern{}", name,
                              meant.empty() ? "; there are UNIFORM, MS1, LAPLACIAN and offsets such as 0,4,8" : meant));
  }
  reader.expect_end();
  return pattern;
}

IndexSequence spatter_indices(const SpatterPattern& pattern, std::span<const std::int64_t> deltas, std::uint64_t count,
                              const std::string& source) {
  try {
    return make_index_sequence(pattern.offsets, RepeatShifts(count, deltas));
  } catch (const std::length_error&) {
    const std::string each =
        deltas.size() == 1 ? fmt::format("each {} elements further on", deltas.front()) : "with these deltas";
    throw usage_error(fmt::format("{}: {} repeats, {}, need indices above 2^63 - 1; take a smaller count or delta",
                                  source, count, each));
  }
}

IndexSequence spatter_indices(const SpatterPattern& pattern, std::uint64_t delta, std::uint64_t count,
                              const std::string& source) {
  const std::array deltas = {static_cast<std::int64_t>(delta)};
  return spatter_indices(pattern, deltas, count, source);
}

}  // namespace gpumem::pattern
