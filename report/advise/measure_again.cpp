#include "report/advise/measure_again.hpp"

#include <algorithm>
#include <cctype>

#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t readable = 100;  // characters of a beginning

/// Returns the extended regular expression that matches the text literally. A brace is in brackets, because behind a
/// backslash it would still look like a count, which --kernel refuses (report/text/name_pattern.hpp). Anything but
/// printable ASCII becomes ".*", because its bytes are no character in some locales.
std::string literally(std::string_view text) {
  constexpr std::string_view special = ".[\\()*+?|^$";
  constexpr std::string_view anything = ".*";
  std::string expression;
  for (const char c : text) {
    if (c < ' ' || c > '~') {
      if (!expression.ends_with(anything)) expression += anything;
    } else if (c == '{') {
      expression += "[{]";
    } else {
      if (special.find(c) != std::string_view::npos) expression += '\\';
      expression += c;
    }
  }
  return expression;
}

/// Returns the beginnings of the name that end where template parameters or arguments begin, the shortest first.
std::vector<std::string_view> beginnings(std::string_view name) {
  constexpr std::string_view brackets = "<(";
  std::vector<std::string_view> all;
  for (std::size_t end = name.find_first_of(brackets, 1); end != std::string_view::npos;
       end = name.find_first_of(brackets, end + 1)) {
    const std::string_view beginning = name.substr(0, end + 1);
    const bool is_part_of_name = beginning.ends_with("operator<") || beginning.ends_with("operator(") ||
                                 name.substr(end).starts_with("(anonymous namespace)");
    if (!is_part_of_name) all.push_back(beginning);
  }
  return all;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns the first one to three words of a text that none of the others has: "Half", "MinOps<float". Empty if there
/// are none, or if there are so many others that the search would take long.
std::string_view own_part(std::string_view text, std::span<const std::string> others) {
  constexpr std::size_t most_others = 64;
  constexpr std::size_t most_words = 200;
  constexpr std::size_t most_together = 3;
  constexpr std::size_t shortest_part = 3;  // characters
  struct Word {
    std::size_t begin;
    std::size_t end;
  };
  if (others.size() > most_others) return {};
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size() && words.size() < most_words;) {
    std::size_t end = i;
    while (end < text.size() && is_of_word(text[end])) ++end;
    if (end > i) words.push_back({i, end});
    i = end + 1;
  }
  for (std::size_t length = 1; length <= most_together; ++length) {
    for (std::size_t i = 0; i + length <= words.size(); ++i) {
      const std::string_view part = text.substr(words[i].begin, words[i + length - 1].end - words[i].begin);
      if (part.size() < shortest_part || !is_letter(part.front())) continue;  // "7" is in many names to come
      const auto having = std::ranges::count_if(
          others, [&](const std::string& other) { return other.find(part) != std::string::npos; });
      if (having == 1) return part;  // the name itself is among them
    }
  }
  return {};
}

}  // namespace

KernelExpressions::KernelExpressions(std::span<const Record> kernels) {
  for (const Record& kernel : kernels) {
    if (const Parameter* name = find_parameter(kernel, kernel_parameter)) {
      names_.push_back(gpumem::to_string(name->value));
    }
  }
  std::ranges::sort(names_);
  const auto twice = std::ranges::unique(names_);
  names_.erase(twice.begin(), twice.end());
}

std::string KernelExpressions::of(std::string_view name) const {
  std::string_view shortest_own;  // beginning that no other name has
  for (const std::string_view beginning : beginnings(name)) {
    if (others_with(beginning, name).empty()) {
      shortest_own = beginning;
      break;
    }
  }
  if (!shortest_own.empty() && shortest_own.size() <= readable) return "^" + literally(shortest_own);
  // Kernels of libraries differ deep within the parameters of their templates.
  for (const std::string_view beginning : beginnings(name)) {
    if (beginning.size() > readable) break;
    const std::string_view part = own_part(name.substr(beginning.size()), others_with(beginning, name));
    if (!part.empty()) return "^" + literally(beginning) + ".*" + literally(part);
  }
  return shortest_own.empty() ? "^" + literally(name) + "$" : "^" + literally(shortest_own);
}

std::span<const std::string> KernelExpressions::others_with(std::string_view beginning, std::string_view name) const {
  const auto begins = [&](const std::string& other) { return other.starts_with(beginning); };
  const auto first = std::ranges::lower_bound(names_, beginning);  // they are sorted, so these stand together
  const auto last = std::find_if_not(first, names_.end(), begins);
  const bool is_alone = last - first == 1 && *first == name;
  return is_alone ? std::span<const std::string>() : std::span(first, last);
}

std::string measure_again_command(const std::string& expression, std::span<const std::string> command) {
  std::vector<std::string> words = {"gpumem", "run", "--kernel", expression, "--output", "after.json", "--"};
  words.insert(words.end(), command.begin(), command.end());
  return command_line(words);
}

}  // namespace gpumem::report
