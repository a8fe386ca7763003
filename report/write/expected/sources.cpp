#include "report/write/expected/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "engine/base/words.hpp"
#include "report/text/text.hpp"
#include "report/write/expected/pages.hpp"

namespace gpumem::report {

namespace {

/// The letter for a kind of source; empty where no mark is needed.
std::string_view letter_of(const ExpectedValue& value) {
  if (value.source == "published") return "p";
  if (value.source == "scaled" || value.source == "attributes") return "s";
  return value.source == "assumed" ? "a" : "";
}

}  // namespace

SourceMarks::SourceMarks(std::span<const ExpectedGpu> gpus) {
  std::map<std::string_view, unsigned> marks_of_letter;
  for (const ExpectedGpu& gpu : gpus) {
    for (const ExpectedValue& value : gpu.values) {
      auto found = std::ranges::find(sources_, value.source_words, &Source::words);
      if (found == sources_.end()) {
        const std::string_view letter = letter_of(value);
        std::string mark = letter.empty() ? "" : fmt::format("{}{}", letter, ++marks_of_letter[letter]);
        sources_.push_back({.words = value.source_words, .mark = std::move(mark), .rates = {}});
        found = sources_.end() - 1;
      }
      if (std::ranges::find(found->rates, value.rate) == found->rates.end()) found->rates.push_back(value.rate);
    }
  }
  // By letter, each letter's marks in their order.
  std::ranges::stable_sort(sources_, {}, [](const Source& source) { return source.mark.substr(0, 1); });
}

std::string SourceMarks::mark_of(const ExpectedValue& value) const {
  const auto found = std::ranges::find(sources_, value.source_words, &Source::words);
  return found == sources_.end() ? "" : found->mark;
}

std::string SourceMarks::cell(const ExpectedValue* value, std::size_t mark_width) const {
  constexpr int digits = 3;
  const std::string number = value == nullptr ? "-" : significant(value->value, digits);
  const std::string mark = value == nullptr ? "" : mark_of(*value);
  if (mark.empty() && mark_width == 0) return number;
  return number + " " + padded(mark, mark_width);
}

std::size_t SourceMarks::widest(std::span<const ExpectedGpu> gpus, const std::string& quantity) const {
  std::size_t width = 0;
  for (const ExpectedGpu& gpu : gpus) {
    const ExpectedValue* value = value_of(gpu, quantity);
    if (value != nullptr) width = std::max(width, mark_of(*value).size());
  }
  return width;
}

SourceMarks::Source SourceMarks::unmarked_sources() const {
  Source all;
  for (const Source& source : sources_) {
    if (!source.mark.empty()) continue;
    all.words += (all.words.empty() ? "" : ", or ") + source.words;
    for (const std::string& rate : source.rates) {
      if (std::ranges::find(all.rates, rate) == all.rates.end()) all.rates.push_back(rate);
    }
  }
  return all;
}

Block SourceMarks::block(bool with_rates) const {
  Block block;
  block.title = "sources";
  block.parameter_columns = 1;
  block.columns = {{.heading = {"mark", ""}, .names = true},
                   {.heading = {"source of the rate that decides a value", ""}, .names = true, .prose = true}};
  if (with_rates) block.columns.push_back({.heading = {"rates", ""}, .names = true});
  const auto add_row = [&](const std::string& mark, const std::string& words, const std::vector<std::string>& rates) {
    Row row;
    row.cells = {mark, one_line(words)};
    if (with_rates) row.cells.push_back(join(rates, ", "));
    row.position = mark;
    block.rows.push_back(std::move(row));
  };
  const Source unmarked = unmarked_sources();
  if (!unmarked.words.empty()) add_row("none", unmarked.words, unmarked.rates);
  for (const Source& source : sources_) {
    if (!source.mark.empty()) add_row(source.mark, source.words, source.rates);
  }
  return block;
}

}  // namespace gpumem::report
