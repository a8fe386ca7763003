#pragma once
// Writers of what GPUs should reach: pure functions of it.

#include <iosfwd>
#include <span>

#include "report/expected/expected.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// One GPU: a row for each quantity, with the interval of healthy GPUs and how it is known.
void write_expected(std::ostream& out, const ExpectedGpu& gpu, Format format, const TableStyle& style = {});

/// A few GPUs side by side: a row for each quantity, a column for each GPU, and a mark beside each value for the source
/// of the rate that decides it.
void write_side_by_side(std::ostream& out, std::span<const ExpectedGpu> gpus, Format format,
                        const TableStyle& style = {});

/// Many of them: a row for each GPU, a column for each quantity. In Markdown it is the page docs/expected.md.
void write_all_expected(std::ostream& out, std::span<const ExpectedGpu> gpus, Format format,
                        const TableStyle& style = {});

// For programs, with report/schema/expected.schema.json: of one GPU an object, of many a list `gpus` of such objects.
void write_expected_json(std::ostream& out, const ExpectedGpu& gpu);
void write_all_expected_json(std::ostream& out, std::span<const ExpectedGpu> gpus);
/// A row for each GPU and quantity.
void write_expected_csv(std::ostream& out, std::span<const ExpectedGpu> gpus);

}  // namespace gpumem::report
