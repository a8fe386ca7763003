#include "program/watch/callers/operators.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace gpumem::inject {

namespace {

/// The next name of a mangled one, "3add": its length, then itself. Empty where there is none.
std::string_view take_name(std::string_view& mangled) {
  std::size_t length = 0;
  std::size_t digits = 0;
  while (digits < mangled.size() && digits < 4 && std::isdigit(static_cast<unsigned char>(mangled[digits])) != 0) {
    length = length * 10 + static_cast<std::size_t>(mangled[digits++] - '0');
  }
  if (digits == 0 || length == 0 || length > mangled.size() - digits) return {};
  const std::string_view name = mangled.substr(digits, length);
  mangled.remove_prefix(digits + length);
  return name;
}

bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

// Words of overloads' names that begin with a small letter. Words of operators' names never begin with a capital
// letter.
constexpr std::string_view overload_words[] = {"dim",    "dtype", "format", "from", "int",  "layout",    "memory",
                                               "mode",   "names", "other",  "out",  "self", "start",     "step",
                                               "stable", "using", "values", "vec",  "x",    "correction"};

bool is_of_overload(std::string_view word) {
  return !word.empty() && (std::isupper(static_cast<unsigned char>(word[0])) != 0 ||
                           std::ranges::find(overload_words, word) != std::end(overload_words));
}

/// "aten::add.Tensor" for "add_Tensor": the name of the operator, then that of its overload. Both may contain
/// underscores. The longest ending of words that overloads have is taken for the overload.
std::string with_overload(std::string_view joined) {
  std::size_t begin = joined.size();
  while (begin > 0) {
    const std::size_t sign = joined.rfind('_', begin - 1);
    if (sign == std::string_view::npos || sign == 0) break;
    const std::string_view word = joined.substr(sign + 1, begin - sign - 1);
    if (!is_of_overload(word)) break;
    begin = sign;
  }
  if (begin == joined.size()) return "aten::" + std::string(joined);
  return "aten::" + std::string(joined.substr(0, begin)) + "." + std::string(joined.substr(begin + 1));
}

}  // namespace

std::optional<std::string> operator_of(std::string_view symbol) {
  if (!take(symbol, "_ZN2at4_ops")) return std::nullopt;
  const std::string_view name = take_name(symbol);
  const std::string_view function = take_name(symbol);
  if (name.empty() || (function != "call" && function != "redispatch")) return std::nullopt;
  return with_overload(name);
}

std::optional<std::string> backward_step_of(std::string_view symbol) {
  if (!take(symbol, "_ZN5torch8autograd")) return std::nullopt;
  take(symbol, "9generated");
  const std::string_view name = take_name(symbol);
  if (name.empty() || take_name(symbol) != "apply") return std::nullopt;
  return std::string(name);
}

std::optional<std::string> operator_of_range(std::string_view name) {
  const std::string_view candidate = name.substr(0, name.find(','));
  const std::size_t colons = candidate.find("::");
  if (colons == std::string_view::npos || colons == 0 || candidate.size() == colons + 2) return std::nullopt;
  const bool is_name = std::ranges::all_of(candidate, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '.';
  });
  return is_name ? std::optional(std::string(candidate)) : std::nullopt;
}

}  // namespace gpumem::inject
