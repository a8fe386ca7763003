#pragma once
// Builds the columns of a block left to right. A column without any value is left out.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/record/cases.hpp"
#include "report/record/readings.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

using Reader = std::function<std::optional<double>(const Record&)>;

class ColumnBuilder {
 public:
  /// Refers to both; the block has a row for each case.
  ColumnBuilder(const Cases& cases, Block& block) : cases_(cases), block_(block) {}

  void add_text(Heading heading, unsigned rank, std::vector<std::string> cells);

  /// Phrases, always shown.
  void add_prose(Heading heading, std::vector<std::string> cells);

  /// Numbers with the same decimals in all rows: as many as give the smallest of them `digits` significant ones, up to
  /// `most_decimals`. Where they span many powers of ten, those would be noise behind the large ones, and every row has
  /// its own. What would read as 0 without being it has two digits all the same.
  void add(Heading heading, unsigned rank, int digits, int most_decimals, const Reader& read_any);

  /// Loads' and stores' readings of a unit, in one number where they agree.
  void add_per_request(Heading heading, unsigned rank, std::string_view unit, Source source);

 private:
  const Cases& cases_;
  Block& block_;
};

}  // namespace gpumem::report
