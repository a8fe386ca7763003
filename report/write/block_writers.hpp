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

/// Title, columns, rows and findings, no wider than the style says.
void write_block(std::ostream& out, const Block& block, const TableStyle& style);

/// A paragraph, its further lines indented.
void write_paragraph(std::ostream& out, const std::string& text, const TableStyle& style, Tint tint,
                     std::size_t indent = 0);

/// The same block in GitHub-flavoured Markdown, under a heading of the third level.
void write_markdown_block(std::ostream& out, const Block& block);

/// A line of a Markdown table, of cells that are Markdown already.
void write_markdown_row(std::ostream& out, const std::vector<std::string>& cells);

/// What would be read as markup is escaped: a pipe ends a cell, the others begin emphasis, code, links or HTML.
[[nodiscard]] std::string markdown_escaped(std::string_view text);

}  // namespace gpumem::report
