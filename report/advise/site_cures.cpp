#include "report/advise/site_cures.hpp"

#include <algorithm>

#include "report/advise/libraries.hpp"

namespace gpumem::report {

namespace {

constexpr double wasteful_from = 1.05;  // times what would do

bool is(const SiteRecord& site, std::string_view space) { return site.space == space; }

/// Returns the site's cost as a multiple of the least that would do; 1 if unknown.
double excess(const SiteRecord& site) {
  const auto cost = cost_of(site);
  return cost && cost->least > 0 ? cost->each / cost->least : 1;
}

/// Returns true if nearly every lane touches a line of its own.
bool lanes_far_apart(const SiteRecord& site) {
  const auto lines = site.per_request(lines_unit).predicted;
  return lines && site.active_lanes && *lines > 0.75 * *site.active_lanes;
}

/// Returns true if the lanes of a request go to rows of their own. Lanes of local memory otherwise lie side by side.
bool lanes_go_apart(const SiteRecord& site) {
  const auto lines = site.per_request(lines_unit).predicted;
  return lines && *lines > 2 * std::max(1.0, site.word_bytes / 4.0);
}

bool is_atomic(const SiteRecord& site) { return site.op == "atomic"; }
bool is_shifted(const SiteRecord& site) {
  return site.pattern.find("shifted off") != std::string::npos && excess(site) < 2;
}
bool has_few_lanes(const SiteRecord& site) {
  return site.active_lanes && *site.active_lanes < few_lanes && excess(site) < 2;
}
bool is_random(const SiteRecord& site) { return site.pattern.find("at random") != std::string::npos; }

struct CureRule {
  bool (*applies)(const SiteRecord&);
  SiteCure cure;
  /// The cure for the caller of a library's kernel; empty if there is none.
  SiteCure callers = {};
  CallersChoice callers_choice = CallersChoice::layout;  ///< that `callers` needs
};

constexpr SiteCure contiguous_operand = {"contiguous_operand",
                                         "pass contiguous operands, or keep one layout all along"};

/// The first rule that applies counts. The keys are documented in report/schema/report.schema.json and docs/run.md, so
/// they must not change.
constexpr CureRule rules_of_sites[] = {
    {is_spill,
     {"fewer_live_values",
      "keep fewer values alive at once (smaller tiles, less unrolling), or allow more registers a thread "
      "(__launch_bounds__, -maxrregcount)"}},
    {[](const SiteRecord& site) { return is(site, "local") && lanes_go_apart(site); },
     {"table_in_shared",
      "lanes take different rows of an array of a thread: put it into shared memory, a column a thread, or into "
      "registers"}},
    {[](const SiteRecord& site) { return is(site, "local"); },
     {"keep_in_registers", "keep it in registers: indices known at compile time, loops unrolled, fewer values alive"}},
    {[](const SiteRecord& site) { return is(site, "shared") && (is_atomic(site) || is_random(site)); },
     {"array_per_warp", "let each warp have an array of its own, or combine within the warp first"}},
    {[](const SiteRecord& site) { return is(site, "shared"); },
     {"pad_rows", "pad the rows of the tile by one word, or swizzle its columns"}},
    {is_atomic,
     {"combine_in_block", "combine within the warp or block first, then one atomic for all"},
     {"sort_indices", "sort the indices, so that few threads update the same element"},
     CallersChoice::indices},
    {is_shifted,
     {"align_rows", "begin at a multiple of 32 bytes (pitched rows, aligned slices)"},
     {"aligned_operand", "pass an operand whose rows begin at a multiple of 32 bytes"}},
    {has_few_lanes, {"more_active_lanes", "let more lanes take part in each request"}},
    {[](const SiteRecord& site) { return is_random(site) && site.op == "store"; },
     {"gather_instead_of_scatter", "load at random and store in order, by the inverse of the indices"},
     {"sort_indices", "sort the indices"},
     CallersChoice::indices},
    {is_random,
     {"sort_indices", "sort the indices, or store data side by side that is used together"},
     {"sort_indices", "sort the indices, or store data side by side that is used together"},
     CallersChoice::indices},
    {lanes_far_apart,
     {"transpose_through_shared", "let neighbouring lanes take neighbouring elements: transpose through shared memory"},
     contiguous_operand},
    {[](const SiteRecord&) { return true; },
     {"structure_of_arrays",
      "let neighbouring lanes take neighbouring elements: a structure of arrays, or another loop order"},
     contiguous_operand},
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

bool is_spill(const SiteRecord& site) { return is(site, "local") && site.pattern == spilled_pattern; }

bool is_wasteful(const SiteRecord& site) {
  if (is(site, "local")) return true;
  const auto cost = cost_of(site);
  return cost && cost->is_waste();
}

SiteCure cure_of(const SiteRecord& site, std::string_view kernel) {
  const CureRule& rule = *std::ranges::find_if(rules_of_sites, [&](const CureRule& any) { return any.applies(site); });
  const auto library = library_kernel(kernel);
  if (!library) return rule.cure;
  return library->choice >= rule.callers_choice ? rule.callers : SiteCure{};
}

std::string site_cure(const SiteRecord& site, std::string_view kernel) {
  return std::string(cure_of(site, kernel).words);
}

}  // namespace gpumem::report
