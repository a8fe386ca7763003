#pragma once
// What tables of a fleet say, in words and cells, wherever they are drawn.

#include <string>
#include <vector>

#include "report/fleet/fleet.hpp"
#include "report/fleet/labels.hpp"
#include "report/text/names.hpp"

namespace gpumem::report {

/// A table of texts. Columns of a rank above 0 go first where there is no room, the highest rank before others.
struct FleetGrid {
  struct Column {
    Heading heading;
    bool text = false;      ///< to the left, else to the right
    bool flexible = false;  ///< may be cut
    unsigned rank = 0;
  };
  struct Row {
    std::vector<std::string> cells;
    std::vector<std::string> notes;  ///< what else there is to say
    bool slow = false;
    bool fast = false;
  };
  std::vector<Column> columns;
  std::vector<Row> rows;
};

/// What the fleet is and what differs in it, a line each.
[[nodiscard]] std::vector<std::string> fleet_preamble(const Fleet& fleet);

/// The result in a sentence, and what could not be judged.
[[nodiscard]] std::vector<std::string> fleet_summary(const Fleet& fleet);

/// A row for each of the findings, at most so many.
[[nodiscard]] FleetGrid findings_grid(const Fleet& fleet, std::size_t most_rows);

/// A row for each case of these indices.
[[nodiscard]] FleetGrid cases_grid(const Fleet& fleet, const FleetKind& kind, const std::vector<std::size_t>& indices);

}  // namespace gpumem::report
