#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/pattern/npy.hpp"

namespace gpumem::pattern {

namespace {

/// The three members that the format demands, and no others.
struct Members {
  std::optional<std::string> type;  // "descr"
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// Reads the literals of Python that the header of an array of numbers consists of.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  Members dictionary() {
    Members members;
    expect('{');
    while (!take('}')) {
      const std::string key = text();
      expect(':');
      if (key == "descr") {
        set(members.type, type(), key);
      } else if (key == "fortran_order") {
        set(members.fortran_order, boolean(), key);
      } else if (key == "shape") {
        set(members.shape, shape(), key);
      } else {
        damaged("expected 'descr', 'fortran_order' or 'shape', not '" + quoted_bytes(key) + "'");
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    if (peek() != '\0') damaged("expected nothing after the dictionary");
    if (!members.type) damaged("'descr' is missing");
    if (!members.fortran_order) damaged("'fortran_order' is missing");
    if (!members.shape) damaged("'shape' is missing");
    return members;
  }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    throw usage_error(
        fmt::format("{}: damaged .npy header at byte {} of its dictionary: {}; save the array again with numpy.save",
                    source_, at_, what));
  }

  template <class Value>
  void set(std::optional<Value>& member, Value value, const std::string& key) {
    if (member) damaged("'" + key + "' for the second time");
    member = std::move(value);
  }

  /// The next character that is not blank; NUL at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    if (at_ == text_.size()) return '\0';
    if (text_[at_] == '\0') damaged("a NUL character");
    return text_[at_];
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) damaged(fmt::format("expected '{}'", c));
  }

  std::string text() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') damaged("expected a text in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) damaged("a text without its closing quote");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(inside);
  }

  /// "<i8", or a pair of that and what somebody noted beside it: "('<i8', {'h5py': 1})".
  std::string type() {
    const bool noted = take('(');
    if (peek() == '[') {
      throw usage_error(fmt::format(
          "{}: its elements are records of several fields: save one field, numpy.save(file, a['name'])", source_));
    }
    std::string name = text();
    if (!noted) return name;
    expect(',');
    if (peek() != '{') {
      throw usage_error(fmt::format(
          "{}: its elements are arrays themselves: save them as one array, numpy.save(file, numpy.array(a))", source_));
    }
    skip_dictionary();
    static_cast<void>(take(','));
    expect(')');
    return name;
  }

  /// Skips a dictionary, whatever it holds. Brackets have to pair, except in texts.
  void skip_dictionary() {
    std::string open;
    do {
      const char c = peek();
      if (c == '\0') damaged("a dictionary without its end");
      if (c == '\'' || c == '"') {
        static_cast<void>(text());
        continue;
      }
      ++at_;
      if (c == '{' || c == '(' || c == '[') open += c == '{' ? '}' : c == '(' ? ')' : ']';
      if (c != '}' && c != ')' && c != ']') continue;
      if (open.back() != c) damaged(fmt::format("expected '{}'", open.back()));
      open.pop_back();
    } while (!open.empty());
  }

  bool boolean() {
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (peek() == word.front() && text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    damaged("expected True or False");
  }

  std::uint64_t number() {
    if (peek() < '0' || peek() > '9') damaged("expected a length");
    std::uint64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(text_[at_] - '0'), &value)) {
        damaged("a length of more than 64 bits");
      }
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2's long
    return value;
  }

  std::vector<std::uint64_t> shape() {
    constexpr std::size_t most_dimensions = 64;  // numpy 2's
    std::vector<std::uint64_t> lengths;
    expect('(');
    while (!take(')')) {
      if (lengths.size() == most_dimensions) damaged("more dimensions than numpy has");
      lengths.push_back(number());
      if (take(',')) continue;
      if (lengths.size() == 1) damaged("expected ',' after the only length");  // (3) is a number to Python
      expect(')');
      break;
    }
    return lengths;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
};

struct OtherKind {
  char letter;
  std::string_view name;
  unsigned bits;  ///< that one unit of the size stands for in the name; 0: the name has no size
  std::string_view cure;
};

/// The kinds of numpy's array interface that are no integers.
constexpr std::array<OtherKind, 10> other_kinds = {{
    {'f', "float", 8, "convert with .astype(numpy.int64)"},
    {'c', "complex", 8, "convert with .real.astype(numpy.int64)"},
    {'b', "bool", 0, "numpy.flatnonzero(a) gives the indices of what is true"},
    {'M', "datetime64", 0, "convert with .astype(numpy.int64)"},
    {'m', "timedelta64", 0, "convert with .astype(numpy.int64)"},
    {'S', "bytes", 0, "convert with .astype(numpy.int64)"},
    {'a', "bytes", 0, "convert with .astype(numpy.int64)"},
    {'U', "str", 0, "convert with .astype(numpy.int64)"},
    {'O', "object", 0, "convert with .astype(numpy.int64)"},
    {'V', "void", 0, "save an array of integers"},
}};

/// Sets what a type such as "<i8" says.
void parse_type(const std::string& type, const std::string& source, NpyHeader& header) {
  std::string_view rest = type;
  const char order = rest.empty() || std::string_view("<>=|").find(rest.front()) == std::string_view::npos
                         ? '='
                         : rest.front();  // without one it is this machine's
  if (!rest.empty() && rest.front() == order) rest.remove_prefix(1);
  const char kind = rest.empty() ? '\0' : rest.front();
  const std::string_view size = rest.empty() ? rest : rest.substr(1);
  constexpr std::array<std::string_view, 4> sizes = {"1", "2", "4", "8"};
  if ((kind == 'i' || kind == 'u') && std::ranges::find(sizes, size) != sizes.end()) {
    header.word_bytes = static_cast<unsigned>(size.front() - '0');
    header.is_signed = kind == 'i';
    if (header.word_bytes > 1 && order == '>') {
      throw usage_error(fmt::format("{}: is big-endian: convert with .astype(numpy.int64)", source));
    }
    return;
  }
  const auto* const other = std::ranges::find(other_kinds, kind, &OtherKind::letter);
  if (other == other_kinds.end()) {
    throw usage_error(
        fmt::format("{}: its type '{}' is no integer of 1, 2, 4 or 8 bytes: convert with "
                    ".astype(numpy.int64)",
                    source, quoted_bytes(type)));
  }
  const bool plain = size.size() == 1 || (size.size() == 2 && size.front() == '1');  // sizes from 1 to 19
  const std::string bits =
      other->bits == 0 || !plain || !std::ranges::all_of(size, [](char c) { return c >= '0' && c <= '9'; })
          ? std::string()
          : std::to_string(other->bits * static_cast<unsigned>(std::stoul(std::string(size))));
  throw usage_error(fmt::format("{}: is {}{}: {}", source, other->name, bits, other->cure));
}

}  // namespace

NpyHeader parse_npy_header(std::string_view dictionary, const std::string& source) {
  const Members members = LiteralReader(dictionary, source).dictionary();
  NpyHeader header;
  parse_type(*members.type, source, header);
  header.shape = *members.shape;
  if (std::ranges::find(header.shape, 0U) != header.shape.end()) {
    throw usage_error(fmt::format("{}: is an array without elements; save one that has indices", source));
  }
  std::uint64_t bytes = header.word_bytes;
  for (const std::uint64_t length : header.shape) {
    if (__builtin_mul_overflow(bytes, length, &bytes)) {
      throw usage_error(
          fmt::format("{}: damaged .npy header: its shape has more elements than 64 bits can count; save "
                      "the array again with numpy.save",
                      source));
    }
  }
  header.records = bytes / header.word_bytes;
  // If at most one dimension is longer than 1, both orders are the same.
  if (*members.fortran_order && std::ranges::count_if(header.shape, [](std::uint64_t n) { return n > 1; }) > 1) {
    throw usage_error(
        fmt::format("{}: is in Fortran order: save numpy.ascontiguousarray(a), or a.T if columns are to "
                    "be read one after another",
                    source));
  }
  return header;
}

}  // namespace gpumem::pattern
