#pragma once
// Compares the counts of two reports: the sectors, cache lines, wavefronts and requests of each access site. They
// follow from addresses, so they have no noise: one more is a change. Plain data; the writers are in
// report/write/comparisons/counts.hpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/compare/compare.hpp"
#include "report/compare/site_pairs.hpp"

namespace gpumem::report {

/// Growth of a cost that is none where counts are not exact. Costs of kernels that two runs saw in part differed by up
/// to 12 % (docs/compare.md); a request that begins within a sector costs 25 % more.
inline constexpr double default_count_tolerance = 0.2;

/// The reason why the counts of a kernel may differ from run to run. Such counts are compared per request.
enum class Inexact : std::uint8_t {
  no,
  seen_in_part,  ///< other blocks of it were looked at in each run
  varies,        ///< a repeated run of OLD has other counts
  library        ///< of a library, and its caller can change nothing in it; some wait in loops that load
};
[[nodiscard]] std::string_view to_string(Inexact reason);

/// The reason why a kernel or case is not compared.
enum class CountGap : std::uint8_t {
  no,
  only_old,
  only_new,
  not_looked_at,  ///< in one of the two: only its time is known, or a launch of another grid stands for it
  no_counts,      ///< in one of the two: it has no access sites, or none with a reading that both have
  other_work      ///< name, grid, block or another parameter changed, and the bytes that it asks for did too
};
[[nodiscard]] std::string_view to_string(CountGap gap);

/// The amount that a count is per.
enum class CountBasis : std::uint8_t {
  launch,
  request,
  kib  ///< of the bytes that lanes ask for, where the width of words changed
};
[[nodiscard]] std::string_view to_string(CountBasis basis);

enum class CountVerdict : std::uint8_t {
  grew,
  unsure,  ///< a site came in a kernel whose counts are not exact
  moved,   ///< it grew, but sites of its kind came or went, and all of them together did not
  fell
};
[[nodiscard]] std::string_view to_string(CountVerdict verdict);

/// The name of the count of requests; those of the others are the units of CostRecord.
inline constexpr const char* requests_unit = "requests";

/// A count of a site that changed.
struct CountChange {
  std::string unit;  ///< "sectors"
  CountBasis basis = CountBasis::request;
  double old_value = 0;
  double new_value = 0;
  std::optional<double> more = {};  ///< so many more in a launch; absent unless counts of whole launches are exact
  CountVerdict verdict = CountVerdict::grew;

  /// NEW over OLD; nullopt if OLD has none.
  [[nodiscard]] std::optional<double> ratio() const;
};

/// A site with counts that changed.
struct SiteChange {
  SitePair site;
  std::vector<CountChange> counts;
};

/// Sums over the sites of a launch that was seen whole. Bytes that L2 and memory move are not among them: caches are
/// simulated in the order in which warps happened to run.
struct LaunchCounts {
  double requests = 0;
  double asked_bytes = 0;   ///< by lanes, of all sites
  double sector_bytes = 0;  ///< of the sectors that requests beyond the multiprocessor touch
  double wavefronts = 0;    ///< in shared memory
};

/// A kernel or a case of a probe, in OLD and NEW.
struct CountedCase {
  const ComparedCase* compared = nullptr;
  CountGap gap = CountGap::no;
  std::string gap_words = {};  ///< the reason in words, with the side that it is about; empty without a gap
  Inexact inexact = Inexact::no;
  std::vector<SiteChange> changes = {};
  std::size_t same_sites = 0;
  std::size_t varying_sites = 0;    ///< not compared: they differ between repeated runs of OLD
  std::size_t uncounted_sites = 0;  ///< of NEW: nothing tells of them
  std::optional<LaunchCounts> old_counts = {};
  std::optional<LaunchCounts> new_counts = {};

  [[nodiscard]] const Record& old_record() const { return *compared->readings[0]->record; }
  [[nodiscard]] const Record& new_record() const { return *compared->readings[1]->record; }
  [[nodiscard]] bool has(CountVerdict verdict) const;
};

/// A change, with its kernel.
struct CountRow {
  const CountedCase* counted = nullptr;
  const SiteChange* site = nullptr;
  const CountChange* change = nullptr;
};

struct CountComparison {
  const Comparison* comparison = nullptr;  ///< has to outlive this: OLD, NEW, and repeated runs of OLD
  double tolerance = default_count_tolerance;
  std::vector<CountedCase> cases;

  [[nodiscard]] std::size_t compared() const;                  ///< cases
  [[nodiscard]] std::size_t with(CountVerdict verdict) const;  ///< counts
  /// Returns the changes, worst first: by verdict, then by how many times as many they are.
  [[nodiscard]] std::vector<CountRow> rows() const;
};

/// Compares the first two reports. Cases that others show to vary are compared as inexact, and their sites that vary
/// are not compared. `tolerance` is the growth of a cost per request that is none in inexact cases.
///
/// Kernels are compared if the whole name, grid, block and device are the same, or if they were matched by place and
/// ask for the same bytes. Cases of probes need the same parameters. If both launches were seen whole, the counts of a
/// launch are compared, each as a whole number. If no site of a kernel's loads, stores or atomics in a space came or
/// went, any count that is larger has grown. Otherwise one has grown only if the sum over these sites has: an access
/// that was split, merged or moved is none more.
[[nodiscard]] CountComparison compare_counts(const Comparison& comparison, double tolerance = default_count_tolerance);

/// The reason why NEW does not pass, in one line with the worst change, or because nothing could be compared; nullopt
/// if it passes.
[[nodiscard]] std::optional<std::string> count_failure(const CountComparison& counts);

/// "4 -> 32 sectors/request", with as many digits as tell the two apart.
[[nodiscard]] std::string count_words(const CountChange& change);
/// The two values with as many digits as tell them apart.
[[nodiscard]] std::pair<std::string, std::string> count_texts(const CountChange& change);
/// "global load", "global load, words 16 -> 4 bytes".
[[nodiscard]] std::string access_words(const SitePair& site);
/// The site's name in NEW, or "old x.cu:4" if it has gone.
[[nodiscard]] std::string place_words(const SitePair& site);

}  // namespace gpumem::report
