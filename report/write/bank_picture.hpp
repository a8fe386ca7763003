#pragma once
// A tile of shared memory on a terminal: rows of digits, one for the bank of each word, and the wavefronts of a
// request.

#include <iosfwd>
#include <span>
#include <string>

#include "probes/bank_grid.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

struct BankPicture {
  std::string title;               ///< the case in words
  const BankGrid* grid = nullptr;  ///< of a record, which has to outlive this
};

/// Writes a legend and the first few pictures, none of them wider than the style says. With colours, that of a word is
/// the wavefront that serves it. Without, a second grid has the wavefronts. Says what was cut or left out.
void write_bank_pictures(std::ostream& out, std::span<const BankPicture> pictures, const TableStyle& style);

}  // namespace gpumem::report
