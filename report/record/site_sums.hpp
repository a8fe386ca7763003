#pragma once
// The sums of a site's row in reports. Apart from launch_work.hpp, because nvcc writes pointers to members in a way
// that the host's compiler warns of.

#include <string_view>

#include "report/record/launch_work.hpp"

namespace gpumem::report {

/// The names of the sums of a site's row, in its order. Sums that are 0 up to its end are left out of a row.
struct SiteSum {
  std::string_view name;
  double SiteWork::*value;
};
inline constexpr SiteSum site_sums[] = {
    {"requests", &SiteWork::requests},
    {"useful_bytes", &SiteWork::useful_bytes},
    {"sectors", &SiteWork::sectors},
    {"lines", &SiteWork::lines},
    {"memory_sectors", &SiteWork::memory_sectors},
    {"atoms", &SiteWork::atoms},
    {"memory_lines", &SiteWork::memory_lines},
    {"memory_line_pairs", &SiteWork::memory_line_pairs},
    {"l1_wavefronts", &SiteWork::l1_wavefronts},
    {"l2_sectors", &SiteWork::l2_sectors},
    {"l2_requests", &SiteWork::l2_requests},
    {"written_sectors", &SiteWork::written_sectors},
    {"partial_sectors", &SiteWork::partial_sectors},
};

}  // namespace gpumem::report
