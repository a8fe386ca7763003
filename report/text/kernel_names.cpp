#include "report/text/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::string_view anonymous = "(anonymous namespace)";
/// A graph that is a result as a whole has a name in words (program/watch/sites/graphs.cpp).
constexpr std::string_view graph_prefix = "CUDA graph";

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

/// True if the character is this closing bracket, and not the end of "->".
bool closes(std::string_view text, std::size_t i, char bracket) {
  return text[i] == bracket && (bracket != '>' || i == 0 || text[i - 1] != '-');
}

/// The text without the brackets that it ends with, and without their contents; the whole text if it ends with none.
std::string_view without_brackets(std::string_view text, char open, char close) {
  if (text.empty() || !closes(text, text.size() - 1, close)) return text;
  std::size_t depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (closes(text, i, close)) ++depth;
    if (text[i] == open && --depth == 0) return i == 0 ? text : text.substr(0, i);
  }
  return text;
}

/// The text after the last blank outside of all brackets. The type that the function returns stands before it.
std::string_view without_result(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    for (const char close : {')', '>', '}', ']'}) depth += closes(text, i, close) ? 1 : 0;
    if (std::string_view("(<{[").find(text[i]) != std::string_view::npos && depth > 0) --depth;
    if (text[i] == ' ' && depth == 0) return i + 1 < text.size() ? text.substr(i + 1) : text;
  }
  return text;
}

std::string_view without_suffix(std::string_view text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return text;
}

/// "at::native::fill<4, float>".
std::string without_arguments(const std::string& demangled) {
  if (demangled.starts_with(graph_prefix)) return demangled;
  std::string_view name = demangled;
  name = without_suffix(name.substr(0, name.find(" [clone")), " const");
  if (!name.ends_with(anonymous)) name = without_brackets(name, '(', ')');
  std::string text(without_result(name));
  for (std::size_t at = text.find("> >"); at != std::string::npos; at = text.find("> >")) text.erase(at + 1, 1);
  return text;
}

/// "fill<4, float>"; what stands in a function or in a class of a template keeps its place.
std::string without_namespaces(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i, 2) != "::") {
      text += name[i];
      continue;
    }
    std::size_t begin = text.size();
    while (begin > 0 && is_of_name(text[begin - 1])) --begin;
    if (text.ends_with(anonymous)) begin = text.size() - anonymous.size();
    if (begin < text.size()) {
      text.erase(begin);
    } else if (begin > 0 && std::string_view(")>}]").find(text.back()) != std::string_view::npos) {
      text += "::";
    }
    ++i;
  }
  return text;
}

/// Types that any kernel may be about, and what a compiler calls things without a name.
bool says_little(const std::string& word) {
  static const std::set<std::string> common = {
      "void",   "bool",    "char",  "signed", "unsigned", "short",    "int",       "long",      "float",
      "double", "const",   "array", "lambda", "auto",     "operator", "true",      "false",     "struct",
      "class",  "unnamed", "type",  "tuple",  "pair",     "std",      "anonymous", "namespace", "nullptr_t"};
  return common.contains(word);
}

/// Names in the parameters of its template.
std::vector<std::string> words_of(std::string_view parameters) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    const bool is_name = !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0;
    if (is_name && !says_little(word) && std::ranges::find(words, word) == words.end()) words.push_back(word);
    word.clear();
  };
  for (const char c : parameters) {
    if (is_of_name(c)) {
      word += c;
    } else {
      end_word();
    }
  }
  end_word();
  return words;
}

struct Forms {
  std::string demangled;
  std::string qualified;
  std::string unqualified;
  std::string base;
  std::vector<std::string> words;
};

Forms forms_of(const std::string& demangled) {
  Forms forms{.demangled = demangled, .qualified = {}, .unqualified = {}, .base = {}, .words = {}};
  forms.qualified = without_arguments(demangled);
  forms.unqualified = without_namespaces(forms.qualified);
  forms.base = without_brackets(forms.unqualified, '<', '>');
  forms.words = words_of(std::string_view(forms.unqualified).substr(forms.base.size()));
  return forms;
}

/// Chooses among the forms of names that are all different.
class ShortNames {
 public:
  ShortNames(const std::set<std::string>& names, std::size_t width) : width_(width) {
    for (const std::string& name : names) all_.push_back(forms_of(name));
    for (const Forms& forms : all_) {
      for (const std::string& word : forms.words) ++having_[word];
      std::set<std::string> own = {forms.qualified, forms.unqualified, forms.base, with_word(forms), word_alone(forms)};
      for (const std::string& form : own) ++called_[form];
    }
    for (const Forms& forms : all_) chosen_[forms.demangled] = choose(forms);
  }

  [[nodiscard]] const std::string& of(const std::string& demangled) const { return chosen_.at(demangled); }

 private:
  /// The one that fewest kernels have.
  [[nodiscard]] std::string rarest(const Forms& forms) const {
    const auto least =
        std::ranges::min_element(forms.words, {}, [&](const std::string& word) { return having_.find(word)->second; });
    return least == forms.words.end() ? "" : *least;
  }

  [[nodiscard]] std::string with_word(const Forms& forms) const {
    const std::string word = rarest(forms);
    return word.empty() ? forms.base : fmt::format("{}<…{}…>", forms.base, word);
  }

  [[nodiscard]] std::string word_alone(const Forms& forms) const {
    const std::string word = rarest(forms);
    return word.empty() ? forms.base : fmt::format("…{}…", word);
  }

  std::string choose(const Forms& forms) {
    for (const std::string& form :
         {forms.qualified, forms.unqualified, with_word(forms), forms.base, word_alone(forms)}) {
      if (!form.empty() && display_width(form) <= width_ && called_[form] <= 1 && taken_.insert(form).second) {
        return form;
      }
    }
    // The arguments tell overloads apart.
    const std::string whole = one_line(forms.demangled);
    if (display_width(whole) <= width_ && taken_.insert(whole).second) return whole;
    const std::string& base = forms.base.empty() ? whole : forms.base;
    std::string form = truncated(base, width_);
    unsigned& number = numbers_.try_emplace(base, 2).first->second;
    for (; !taken_.insert(form).second; ++number) {
      const std::string suffix = fmt::format(" #{}", number);
      form = truncated(base, width_ - std::min(width_, suffix.size())) + suffix;
    }
    return form;
  }

  std::size_t width_;
  std::vector<Forms> all_;
  std::map<std::string, unsigned> having_;  ///< kernels that have a word
  std::map<std::string, unsigned> called_;  ///< kernels that a form could be of
  std::set<std::string> taken_;
  std::map<std::string, unsigned> numbers_;  ///< by base: the next one that may be free
  std::map<std::string, std::string> chosen_;
};

}  // namespace

std::vector<std::string> short_kernel_names(std::span<const std::string> demangled, std::size_t width) {
  const ShortNames names({demangled.begin(), demangled.end()}, width);
  std::vector<std::string> all;
  for (const std::string& name : demangled) all.push_back(names.of(name));
  return all;
}

}  // namespace gpumem::report
