#pragma once
// Checks as JUnit XML, which CI systems show as tests.

#include <iosfwd>
#include <span>

#include "report/record/record.hpp"

namespace gpumem::report {

/// A test suite per report, a test case per check. A test's time is that of the launches measured for it, in seconds,
/// which checks of the same cases share. Valid XML whatever the texts hold: what XML cannot is replaced by U+FFFD.
void write_junit(std::ostream& out, std::span<const Report> reports);

}  // namespace gpumem::report
