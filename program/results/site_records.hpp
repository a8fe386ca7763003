#pragma once
// The records of a kernel's accesses: of the instructions of one source line, and of accesses that nobody counted.

#include <string>
#include <vector>

#include "program/machine_code/instructions.hpp"
#include "program/watch/raw_format.hpp"
#include "report/record/record.hpp"

namespace gpumem::program {

/// Returns the bytes that the site moves in excess: in sectors, or in wavefronts of shared memory.
[[nodiscard]] double wasted_bytes(const inject::Site& site);

/// The record of sites with one name, at least one, that access one space with words of one size.
[[nodiscard]] report::SiteRecord site_record(const std::string& name, const std::vector<const inject::Site*>& sites);

/// The record of an access that no callback reported: its name, without counts.
[[nodiscard]] report::SiteRecord uncounted_record(const std::string& name, Hidden hidden);

}  // namespace gpumem::program
