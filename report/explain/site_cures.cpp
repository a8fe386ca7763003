#include "report/explain/site_cures.hpp"

#include <algorithm>

#include "report/explain/libraries.hpp"

namespace gpumem::report {

namespace {

constexpr double wasteful_from = 1.05;  // times what would do

bool is(const SiteRecord& site, std::string_view space) { return site.space == space; }

/// How many times what would do.
double excess(const SiteRecord& site) {
  const auto cost = cost_of(site);
  return cost && cost->least > 0 ? cost->each / cost->least : 1;
}

/// Lines of its own for nearly every lane.
bool lanes_far_apart(const SiteRecord& site) {
  const auto lines = site.per_request(lines_unit).predicted;
  return lines && site.active_lanes && *lines > 0.75 * *site.active_lanes;
}

bool is_atomic(const SiteRecord& site) { return site.op == "atomic"; }
bool is_shifted(const SiteRecord& site) {
  return site.pattern.find("shifted off") != std::string::npos && excess(site) < 2;
}
bool has_few_lanes(const SiteRecord& site) {
  return site.active_lanes && *site.active_lanes < few_lanes && excess(site) < 2;
}
bool is_random(const SiteRecord& site) { return site.pattern.find("at random") != std::string::npos; }

struct Cure {
  bool (*applies)(const SiteRecord&);
  const char* words;
  /// For who passes the operands of a library's kernel; null: nothing.
  const char* callers_words = nullptr;
  CallersChoice callers_choice = CallersChoice::layout;  ///< that it takes
};

/// The first that applies.
constexpr Cure cures[] = {
    {[](const SiteRecord& site) { return is(site, "local"); },
     "keep it in registers: indices known at compile time, fewer values alive, __launch_bounds__"},
    {[](const SiteRecord& site) { return is(site, "shared") && (is_atomic(site) || is_random(site)); },
     "let each warp have an array of its own, or combine within the warp first"},
    {[](const SiteRecord& site) { return is(site, "shared"); },
     "pad the rows of the tile by one word, or swizzle its columns"},
    {is_atomic, "combine within the warp or block first, then one atomic for all",
     "sort the indices, so that few threads update the same element", CallersChoice::indices},
    {is_shifted, "begin at a multiple of 32 bytes (pitched rows, aligned slices)",
     "pass an operand whose rows begin at a multiple of 32 bytes"},
    {has_few_lanes, "let more lanes take part in each request"},
    {[](const SiteRecord& site) { return is_random(site) && site.op == "store"; },
     "load at random and store in order, by the inverse of the indices", "sort the indices", CallersChoice::indices},
    {is_random, "sort the indices, or keep what is used together side by side",
     "sort the indices, or keep what is used together side by side", CallersChoice::indices},
    {lanes_far_apart, "let neighbouring lanes take neighbouring elements: transpose through shared memory",
     "pass contiguous operands, or keep one layout all along"},
    {[](const SiteRecord&) { return true; },
     "let neighbouring lanes take neighbouring elements: a structure of arrays, or another loop order",
     "pass contiguous operands, or keep one layout all along"},
};

}  // namespace

bool SiteCost::is_waste() const { return each > wasteful_from * least; }

std::optional<SiteCost> cost_of(const SiteRecord& site) {
  for (const char* unit : {sectors, wavefronts}) {
    const Reading reading = site.per_request(unit);
    const auto each = reading.predicted ? reading.predicted : reading.counted;
    const auto least = site.least(unit);
    if (each && least) return SiteCost{unit, *each, *least};
  }
  return std::nullopt;
}

bool is_wasteful(const SiteRecord& site) {
  if (is(site, "local")) return true;
  const auto cost = cost_of(site);
  return cost && cost->is_waste();
}

std::string site_cure(const SiteRecord& site, std::string_view kernel) {
  const Cure& cure = *std::ranges::find_if(cures, [&](const Cure& any) { return any.applies(site); });
  const auto library = library_kernel(kernel);
  if (!library) return cure.words;
  const bool can = cure.callers_words != nullptr && library->choice >= cure.callers_choice;
  return can ? cure.callers_words : "";
}

}  // namespace gpumem::report
