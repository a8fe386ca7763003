#pragma once
// The pieces that tables and Markdown are put together from, of a report or of anything else that has rows.

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

#include "report/write/blocks.hpp"
#include "report/write/tint.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// A table of at least 20 columns.
[[nodiscard]] TableStyle usable(TableStyle style);

/// Its paragraphs and tables, no wider than the style says.
void write_page(std::ostream& out, const Page& page, const TableStyle& style);

/// The same in GitHub-flavoured Markdown, with the first paragraph as a heading of the second level and a block under
/// one of the third.
void write_markdown_page(std::ostream& out, const Page& page);

/// A paragraph, its further lines indented.
void write_paragraph(std::ostream& out, const std::string& text, const TableStyle& style, Tint tint,
                     std::size_t indent = 0);

/// A line of a Markdown table, of cells that are Markdown already.
void write_markdown_row(std::ostream& out, const std::vector<std::string>& cells);

/// What would be read as markup is escaped: a pipe ends a cell, the others begin emphasis, code, links or HTML.
[[nodiscard]] std::string markdown_escaped(std::string_view text);

}  // namespace gpumem::report
