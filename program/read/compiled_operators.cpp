#include "program/read/compiled_operators.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

constexpr std::string_view generated_folder = "/torchinductor_";
constexpr std::string_view comment_begin = "Original ATen: [";
constexpr std::string_view in_source = "aten.";
constexpr std::string_view named_in_words = "aten::";
constexpr std::size_t longest_list = 200;

/// The list of operators as they are written elsewhere: "aten::add" for "aten.add".
std::string operators_of(std::string_view list) {
  std::string words;
  while (!list.empty()) {
    const bool is_name = list.starts_with(in_source);
    words += is_name ? named_in_words : list.substr(0, 1);
    list.remove_prefix(is_name ? in_source.size() : 1);
  }
  return report::one_line(report::truncated(words, longest_list));
}

}  // namespace

std::string compiled_operators(std::istream& source, std::uint64_t line) {
  std::string found;
  std::string text;
  for (std::uint64_t at = 1; at <= line && std::getline(source, text); ++at) {
    const std::string_view trimmed = std::string_view(text).substr(std::min(text.find_first_not_of(' '), text.size()));
    if (trimmed.starts_with("def ")) found.clear();
    const std::size_t begin = trimmed.find(comment_begin);
    if (begin == std::string_view::npos || !trimmed.starts_with('#')) continue;
    const std::string_view list = trimmed.substr(begin + comment_begin.size());
    const std::size_t end = list.find(']');
    if (end != std::string_view::npos) found = operators_of(list.substr(0, end));
  }
  return found;
}

std::string compiled_operators(const std::string& file, std::uint64_t line) {
  constexpr std::uint64_t longest_file = 1'000'000;
  if (file.find(generated_folder) == std::string::npos || line > longest_file) return {};
  std::ifstream source(file);
  return compiled_operators(source, line);
}

}  // namespace gpumem::program
