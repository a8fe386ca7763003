#pragma once
// Writers of a comparison: pure functions of it.

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "report/compare/compare.hpp"
#include "report/write/tint.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// `changed_only` leaves the cases that are the same out of the rows of tables and Markdown; they are counted all the
/// same. JSON and CSV hold every case.
void write_comparison(std::ostream& out, const Comparison& comparison, Format format, const TableStyle& style = {},
                      bool changed_only = false);

void write_comparison_json(std::ostream& out, const Comparison& comparison);
/// One row per case and NEW.
void write_comparison_csv(std::ostream& out, const Comparison& comparison);

// Sentences of the table and of Markdown.

/// "new: after.json: ./app: NVIDIA H100 in node5, 2026-11-20T10:00:00Z".
[[nodiscard]] std::string report_line(const std::string& label, const NamedReport& named);
/// Names the differences, minor ones in a paragraph of their own. `of` says between which runs, as " in new 2".
[[nodiscard]] std::vector<Note> difference_lines(std::span<const Difference> differences, const std::string& of);

/// Names the reports and the differences between the runs: one paragraph each.
[[nodiscard]] std::vector<Note> comparison_preamble(const Comparison& comparison);
/// Cases on one side only, and the counts of each NEW.
[[nodiscard]] std::vector<Note> comparison_closing(const Comparison& comparison);

}  // namespace gpumem::report
