#pragma once
// A report as blocks of rows and columns of text, which the table and Markdown writers share and only lay out.

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/record/cases.hpp"
#include "report/text/names.hpp"
#include "report/write/bank_picture.hpp"
#include "report/write/matrix.hpp"
#include "report/write/timeline.hpp"
#include "report/write/tint.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

struct Column {
  Heading heading;
  unsigned rank = 0;   ///< 0 is always shown; of the others, the highest gives way first where space is short
  bool names = false;  ///< holds names, which are aligned left, not numbers
  bool prose = false;  ///< holds phrases, which may be cut where space is short
  bool code = false;   ///< holds names of code, which Markdown sets as such
  bool wraps = false;  ///< holds phrases that are never cut: they take several lines, and those below the row where
                       ///< there is little room beside it
};

struct Row {
  std::vector<std::string> cells;      ///< one per column; empty where absent
  std::vector<Tint> tints;             ///< of the cells, as far as they have one
  std::string flags;                   ///< joined; empty if there are none
  std::string failure;                 ///< "failed: why" or "skipped: why"; empty if the case ran
  std::string position;                ///< the case in words: "offset 7"
  std::optional<double> bar_fraction;  ///< of the longest bar of the block
  bool begins_alternative = false;     ///< the rows before are another alternative's
};

/// A table of anything; of a report, one of its tables (report/record/sweep.hpp), or several cases of a probe that have
/// nothing to be compared with.
struct Block {
  std::string title;                   ///< of cases: their probe
  std::vector<std::string> constants;  ///< the parameters that all its cases share, in words
  std::size_t parameter_columns = 0;   ///< so many of the columns, from the left, say which case a row is
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::string common_failure;    ///< when no case ran, all for the same reason: said once instead of in every row
  std::string common_flags;      ///< flags that every case that ran has: said once as well
  std::vector<Matrix> matrices;  ///< shown instead of columns and rows; may be empty
  std::vector<Timeline> timelines;
  std::vector<BankPicture> pictures;  ///< shown where the style asks for them
  std::vector<std::string> findings;

  /// The title with the constants.
  [[nodiscard]] std::string full_title() const;
};

/// Everything that a table or a Markdown page shows.
struct Page {
  std::vector<Note> before;
  std::vector<Block> blocks;
  std::vector<Note> after;
};

/// `why` adds a last column that says what limits each case.
[[nodiscard]] Page page(const Report& report, bool why);

/// At most 40 lines of a report of many probes: the levels of memory, and a line for each probe with its best and its
/// worst case and what they teach.
[[nodiscard]] Page page_in_brief(const Report& report);

/// All cases as one list, with these columns (TableStyle::columns), whatever their probes. Throws a usage error for a
/// name that is no column's.
[[nodiscard]] Page case_list(const Report& report, std::span<const std::string> columns);

/// The page of `gpumem run`: the waste of a user's kernels, worst first, with names for a page of that width.
[[nodiscard]] Page program_page(const Report& report, std::size_t width);

/// A program's report in Markdown has at most so many tokens, by estimated_tokens() (report/text/tokens.hpp).
inline constexpr std::size_t most_markdown_tokens = 1500;

/// The same for an agent, or as a comment on GitHub: the advice with commands that measure again, the kernels that take
/// most time, and what was not seen. At most 60 lines and most_markdown_tokens; says what it left out for that.
void write_program_markdown(std::ostream& out, const Report& report);

/// The block of one or more cases of the same probe, without findings.
[[nodiscard]] Block make_block(const Cases& cases, const std::optional<Device>& device, bool why);

/// Several GPUs side by side: how fast each is against the median of all, its worst case, and which is the odd one out.
/// Absent for any other report.
[[nodiscard]] std::optional<Block> side_by_side_block(const Report& report);

/// A case and its cell in a matrix.
using CaseCell = std::pair<const Record*, Matrix::Cell>;

/// A block of matrices, one for each alternative, and no rows. It has no matrix if the cases do not form one
/// (report/record/matrix.hpp). `what` names the contents of the cells. Each note explains the mark that it begins with,
/// and stands below the matrices that have this mark.
[[nodiscard]] Block matrix_block(const std::vector<CaseCell>& cells, const std::string& what,
                                 std::initializer_list<Note> marks);

/// Gives each row its flags, or other notes that explain its numbers. If at least two rows did not fail, the flags that
/// all of these share are said once for the block, and not in the rows.
void set_flags(Block& block, std::vector<std::vector<std::string>> flags);

/// True if the report is a plan: it has cases, and none of them was meant to run.
[[nodiscard]] bool is_plan(const Report& report);

/// Describes the GPU, its links, and what was measured or predicted and how: one paragraph each.
[[nodiscard]] std::vector<std::string> preamble(const Report& report);

/// Adds the preamble to the notes before a page of 40 lines, which has no room for how readings were taken.
void add_short_preamble(std::vector<Note>& notes, const Report& report);

/// The GPU of the report, or those that its cases ran on side by side: "8 x NVIDIA H200".
[[nodiscard]] std::string gpus_in_words(const Report& report);

/// The source of the predictions: "from profile 'h200'".
[[nodiscard]] std::string prediction_source(const Report& report);

/// Paragraphs and tables, no wider than the style says.
void write_page(std::ostream& out, const Page& page, const TableStyle& style);

/// The same in GitHub-flavoured Markdown, with the first paragraph as a heading of the second level and a block under
/// one of the third.
void write_markdown_page(std::ostream& out, const Page& page);

/// Escapes what Markdown would read as markup: a pipe ends a cell, other characters begin emphasis, code, links or
/// HTML.
[[nodiscard]] std::string markdown_escaped(std::string_view text);
/// The text as code on one line, between more backticks than follow one another in it.
[[nodiscard]] std::string markdown_code(std::string_view text);

}  // namespace gpumem::report
