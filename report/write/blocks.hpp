#pragma once
// A report as blocks of rows and columns of text: what the table and Markdown writers share, which only lay it out.

#include <optional>
#include <string>
#include <vector>

#include "report/record/record.hpp"
#include "report/text/names.hpp"
#include "report/write/timeline.hpp"
#include "report/write/tint.hpp"

namespace gpumem::report {

struct Column {
  Heading heading;
  unsigned rank = 0;   ///< 0 is always shown; of the others, the highest gives way first where space is short
  bool names = false;  ///< holds names, which are aligned left, not numbers
  bool prose = false;  ///< holds phrases, which may be cut where space is short
};

struct Row {
  std::vector<std::string> cells;      ///< one per column; empty where absent
  std::vector<Tint> tints;             ///< of the cells, as far as they have one
  std::string flags;                   ///< joined; empty if there are none
  std::string failure;                 ///< "failed: why" or "skipped: why"; empty if the case ran
  std::string position;                ///< which case it is, in words: "offset 7"
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
  std::string common_failure;  ///< when no case ran, all for the same reason: said once instead of in every row
  std::string common_flags;    ///< flags that every case that ran has: said once as well
  std::vector<Timeline> timelines;
  std::vector<std::string> findings;
};

/// A paragraph.
struct Said {
  std::string text;
  Tint tint = Tint::none;
};

/// All that tables and Markdown hold of something.
struct Page {
  std::vector<Said> before;
  std::vector<Block> blocks;
  std::vector<Said> after;
};

/// `why` adds a last column that says what limits each case.
[[nodiscard]] Page page(const Report& report, bool why = false);
[[nodiscard]] std::vector<Block> blocks(const Report& report, bool why = false);

/// Whether the report is a plan: cases of which none was meant to run.
[[nodiscard]] bool is_plan(const Report& report);

/// Which GPU, and what was measured or predicted how: one paragraph each.
[[nodiscard]] std::vector<std::string> preamble(const Report& report);

/// Said last, after all blocks: findings that belong to no block, and the count of a plan's cases.
[[nodiscard]] std::vector<std::string> closing(const Report& report);

inline constexpr unsigned bar_rank = 60;  ///< where bars stand among the columns

}  // namespace gpumem::report
