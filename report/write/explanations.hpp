#pragma once
// Cases explained one by one: which one it is, its readings in one line, what limits it and what would change that, and
// the figures that this rests on. Pure functions of a report, as the writers are.

#include <iosfwd>
#include <span>

#include "report/record/record.hpp"

namespace gpumem::report {

/// `cases` are indices into the results. Paragraphs are wrapped at `width` columns, tables are not.
void write_explained(std::ostream& out, const Report& report, std::span<const std::size_t> cases, unsigned width);

/// The same as GitHub-flavoured Markdown.
void write_explained_markdown(std::ostream& out, const Report& report, std::span<const std::size_t> cases);

}  // namespace gpumem::report
