#include "app/commands/glossary.hpp"

#include <cctype>
#include <sstream>

namespace gpumem::app {

namespace {

/// "Bank_Conflicts" as "bank-conflict".
std::string as_anchor(std::string_view term) {
  std::string anchor;
  for (const char c : term) {
    anchor += c == ' ' || c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return anchor;
}

/// Without the marks of code, and with the names of links alone.
std::string plain(std::string_view markdown) {
  std::string text;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    if (markdown.substr(i).starts_with("](")) {
      i = markdown.find(')', i);
    } else if (markdown[i] != '`' && markdown[i] != '[') {
      text += markdown[i];
    }
  }
  return text;
}

/// A row of the table.
struct Row {
  std::string anchor;
  std::string term;
  std::string meaning;
};

std::optional<Row> row_of(std::string_view line) {
  constexpr std::string_view before_anchor = "| <a id=\"";
  constexpr std::string_view behind_anchor = "\"></a>";
  constexpr std::string_view between = " | ";
  const std::size_t anchor_end = line.find(behind_anchor);
  if (!line.starts_with(before_anchor) || anchor_end == std::string_view::npos) return std::nullopt;
  const std::size_t term = anchor_end + behind_anchor.size();
  const std::size_t term_end = line.find(between, term);
  if (term_end == std::string_view::npos) return std::nullopt;
  const std::size_t meaning = term_end + between.size();
  return Row{.anchor = std::string(line.substr(before_anchor.size(), anchor_end - before_anchor.size())),
             .term = std::string(line.substr(term, term_end - term)),
             .meaning = plain(line.substr(meaning, line.rfind(" |") - meaning))};
}

}  // namespace

std::optional<std::string> glossary_line(std::string_view term) {
  const std::string asked = as_anchor(term);
  std::istringstream lines{std::string(embedded_pages().front().markdown)};
  for (std::string line; std::getline(lines, line);) {
    const auto row = row_of(line);
    if (!row) continue;
    const bool same = asked == row->anchor || asked == as_anchor(row->term);
    if (same || asked == row->anchor + "s") return row->term + ": " + row->meaning;
  }
  return std::nullopt;
}

}  // namespace gpumem::app
