#pragma once
// Headlines in sentences: where cases are best, what it costs elsewhere and why, and how far predictions hold.

#include <string>

#include "report/explain/story.hpp"

namespace gpumem::report {

/// A story of at least one point: "Copies reach 4227 GB/s (88 % of peak) at offset 0. Offsets that are ...". `subject`
/// is who does it.
[[nodiscard]] std::string headline_story(const Story& story, const std::string& subject);

/// How far the predictions of all cases that were measured are from it: "predicted within 8 %". Empty where nothing was
/// measured, or not everything predicted.
[[nodiscard]] std::string agreement(const Cases& cases);

}  // namespace gpumem::report
