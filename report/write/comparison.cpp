// The comparison as a table and as Markdown.

#include "report/write/comparison.hpp"

#include <ostream>
#include <stdexcept>

#include "report/write/block_writers.hpp"

namespace gpumem::report {

namespace {

void write_comparison_table(std::ostream& out, const Comparison& comparison, const TableStyle& requested,
                            bool changed_only) {
  const TableStyle style = usable(requested);
  constexpr std::size_t indent = 2;
  for (const auto& [text, tint] : comparison_preamble(comparison)) write_paragraph(out, text, style, tint, indent);
  for (const Block& block : comparison_blocks(comparison, changed_only)) {
    out << '\n';
    write_block(out, block, style);
  }
  out << '\n';
  for (const auto& [text, tint] : comparison_closing(comparison)) write_paragraph(out, text, style, tint, indent);
}

/// The counts first: who reads Markdown has it in front of him, with the rest below.
void write_comparison_markdown(std::ostream& out, const Comparison& comparison, bool changed_only) {
  out << "## Comparison\n";
  for (const Said& said : comparison_closing(comparison)) out << '\n' << markdown_escaped(said.text) << '\n';
  for (const Said& said : comparison_preamble(comparison)) out << '\n' << markdown_escaped(said.text) << '\n';
  for (const Block& block : comparison_blocks(comparison, changed_only)) write_markdown_block(out, block);
}

}  // namespace

void write_comparison(std::ostream& out, const Comparison& comparison, Format format, const TableStyle& style,
                      bool changed_only) {
  switch (format) {
    case Format::table:
      return write_comparison_table(out, comparison, style, changed_only);
    case Format::json:
      return write_comparison_json(out, comparison);
    case Format::csv:
      return write_comparison_csv(out, comparison);
    case Format::markdown:
      return write_comparison_markdown(out, comparison, changed_only);
    case Format::junit:
    case Format::openmetrics:
      break;
  }
  throw std::logic_error("unknown format of a comparison");
}

}  // namespace gpumem::report
