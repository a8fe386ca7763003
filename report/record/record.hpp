#pragma once
// A report as plain data: every reading of every case side by side. A value that is not known is absent, never zero.
// Field names follow the JSON report (report/write/reports/json.cpp), whose names are a contract.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/access/units.hpp"
#include "engine/machine/device.hpp"
#include "engine/measure/counters.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/statistics/statistics.hpp"
#include "probes/probe.hpp"
#include "report/record/advice.hpp"
#include "report/record/callers.hpp"
#include "report/record/launch_work.hpp"
#include "report/record/program_timeline.hpp"
#include "report/record/repeated_traffic.hpp"

namespace gpumem::report {

enum class Status { ok, skipped, failed };

/// One quantity in up to two readings beside the clock's.
struct Reading {
  std::optional<double> predicted;  ///< by the model
  std::optional<double> counted;    ///< by hardware counters
};

/// The cost of a site's requests, in one of its units.
struct CostRecord {
  std::string unit;  ///< "sectors", "wavefronts", "addresses": so many per request
  Reading per_request;
  std::optional<double> least = {};  ///< that the lanes' bytes need; absent if not known
};

inline constexpr const char* sectors = access::sectors.name;
inline constexpr const char* wavefronts = access::wavefronts.name;
inline constexpr const char* addresses = access::addresses.name;
inline constexpr const char* lines_unit = "lines";

struct SiteRecord {
  std::string site;
  std::string space;  ///< "global", "shared", ...
  std::string op;     ///< "load", "store" or "atomic"
  unsigned word_bytes = 0;
  std::vector<CostRecord> costs;               ///< those with a reading
  std::string pattern = {};                    ///< of its addresses: "lanes 8 elements apart"; empty if not known
  std::optional<std::uint64_t> requests = {};  ///< of a launch; of kernels of a user's program
  std::optional<double> active_lanes = {};     ///< of those, in the mean
  std::optional<ArrayRecord> array = {};       ///< that it accesses; absent where nobody looked

  /// The cost in this unit; without readings if the site has no such cost.
  [[nodiscard]] Reading per_request(std::string_view unit) const;
  /// The least cost in this unit that would do; absent if not known.
  [[nodiscard]] std::optional<double> least(std::string_view unit) const;
  [[nodiscard]] bool in_host_memory() const;
  /// Returns the cost in this unit, and adds it if there is none.
  [[nodiscard]] Reading& cost(std::string_view unit);
};

/// The number that the case's probe is about.
struct HeadlineRecord {
  std::string quantity = std::string(bandwidth_name);
  Better better = Better::more;
  std::optional<double> measured = {};  ///< median
  std::optional<double> ci95_low = {};  ///< of it; absent with too few samples
  std::optional<double> ci95_high = {};
  std::optional<double> predicted = {};
  std::optional<double> peak = {};   ///< the best that the hardware could do, a floor where less is better
  std::vector<double> samples = {};  ///< of the headline; empty if it follows from the time's samples

  /// The measured value, else the predicted one.
  [[nodiscard]] std::optional<double> value() const { return measured ? measured : predicted; }
  /// The value, or its inverse if less is better: more is always better.
  [[nodiscard]] double goodness(double value) const { return better == Better::less ? 1 / value : value; }
};

struct TimeRecord {
  measure::Summary summary;
  std::vector<measure::Seconds> samples;  ///< in the order taken, none dropped
};

struct Bottleneck {
  std::string predicted;  ///< empty where only counters tell
  std::optional<std::string> counted;
};

/// The theoretical occupancy of a kernel: warps that can be resident, as a share of those that a multiprocessor can
/// hold.
struct OccupancyRecord {
  double possible = 0;     ///< from 0 to 1
  std::string limited_by;  ///< "threads", "blocks", "registers" or "shared memory"
};

/// The time of one stage of the model in a case: by the predicted demand, and by the counted one.
struct StageRecord {
  std::string stage;
  std::optional<double> predicted_s;
  std::optional<double> counted_s;
};

struct MetricRecord {
  std::string name;
  std::optional<double> measured;
  std::optional<double> predicted;

  [[nodiscard]] std::optional<double> value() const { return measured ? measured : predicted; }
};

struct Record {
  std::string probe;
  std::vector<Parameter> parameters;       ///< in the order of the probe's axes
  std::string range = {};                  ///< of a user's kernel, ranges that the program marks and launches it in
  std::optional<std::string> caller = {};  ///< of a user's kernel, the nearest line of the program: "a.py:4 in f"
  std::optional<std::string> operator_name = {};             ///< the operator behind a user's kernel: "aten::copy_"
  std::optional<std::vector<FrameRecord>> called_from = {};  ///< of a user's kernel, innermost first
  std::string swept;                                         ///< the parameter that a sweep of this probe varies
  std::string compared;     ///< the parameter whose values are alternatives for the same job; may be empty
  std::string across = {};  ///< the parameter whose values stand side by side in a matrix; may be empty
  /// The number of GPUs side by side, this one included, that used the host at the same time: its memory, processors
  /// and links. Absent if the case uses none of it, in older reports, and if there is one GPU.
  std::optional<std::uint64_t> host_shared_by = {};
  std::string drawn_over = {};      ///< the metric along the x axis of a plot, instead of `swept`; may be empty
  Value baseline;                   ///< value of the compared, else of the swept parameter, in the case that
                                    ///< `relative` refers to
  std::vector<std::string> chosen;  ///< parameters that `auto` decided
  /// The place of a user's kernel in the order of first launches; absent for other cases.
  std::optional<std::uint64_t> first_launch = {};
  /// The seconds that a user's kernel ran in each bin of the run (ProgramRecord::bin_s); empty if that is not known.
  std::vector<double> ran_s = {};
  Status status = Status::ok;
  std::optional<std::string> reason;  ///< why it was skipped or failed
  std::optional<bool> verified;
  std::uint64_t useful_bytes_read = 0;
  std::uint64_t useful_bytes_written = 0;
  std::optional<std::uint64_t> useful_flops;
  std::optional<TimeRecord> time;
  std::optional<double> predicted_s;
  std::optional<double> predicted_low_s = {};  ///< of a user's kernel: nine of ten take no less
  std::optional<double> predicted_high_s = {};
  std::optional<double> explained_share = {};  ///< of its measured time, explained by the known stages
  std::optional<std::string> no_prediction;    ///< why the model predicts no time
  std::optional<LaunchWork> work = {};         ///< of a user's kernel with a prediction: prices it on other GPUs
  HeadlineRecord headline;
  std::optional<double> fraction_of_peak;   ///< of the headline: 1 is the best, whichever way is better
  std::optional<double> relative_measured;  ///< to the headline of the sweep's baseline case; above 1 is better
  std::optional<double> relative_predicted;
  std::vector<SiteRecord> access;
  std::optional<BankGrid> bank_grid = {};  ///< of a pattern of a tile in shared memory
  std::optional<Bottleneck> bottleneck;
  std::optional<OccupancyRecord>
      occupancy;                    ///< of kernels of a user's program; what was achieved is among the counters
  std::vector<StageRecord> stages;  ///< those that the case uses; empty where nothing was predicted
  std::string verdict = {};         ///< the limit of a user's kernel: "uneven_work"; empty if not known
  std::optional<RepeatedTraffic> repeated_traffic = {};  ///< of a user's kernel, if that is what it could save most of
  std::string why;        ///< in sentences, what limits the case and what would change it; empty where nothing says so
  std::string why_brief;  ///< the same for a table's cell; not in JSON
  std::optional<measure::Counts> counters;  ///< of all launches in what was timed
  std::vector<MetricRecord> metrics;
  std::vector<measure::StageSpan> timeline;  ///< measured, else predicted; empty where it is not the point
  std::vector<std::string> flags;            ///< "cache_resident", "wide_interval", "throttled", ...

  [[nodiscard]] double useful_bytes() const {
    return static_cast<double>(useful_bytes_read) + static_cast<double>(useful_bytes_written);
  }
  /// Returns true if other GPUs used the host meanwhile: its results cannot be held against this GPU.
  [[nodiscard]] bool shared_host() const { return host_shared_by.value_or(1) > 1; }
  [[nodiscard]] bool has_flag(std::string_view flag) const;
  /// True if `auto` decided the parameter.
  [[nodiscard]] bool is_chosen(std::string_view parameter) const;
  /// Returns true if the case moves bytes over the link to the host. A case with useful bytes and no access sites is a
  /// transfer, unless it computes: then it is a library's.
  [[nodiscard]] bool uses_host() const;
  /// True if the case ran, and did not move wrong data as far as that was checked.
  [[nodiscard]] bool ran() const { return status == Status::ok && verified != false; }
};

struct Tool {
  std::string version;
  std::string git_commit;
  std::string compiler;
  std::string cuda_compiler;
  std::string build_type;
};

struct Host {
  std::string name;
  std::string os;
  std::string cpu;
  std::uint64_t memory_bytes = 0;
  std::optional<std::uint64_t> l3_bytes = {};  ///< the last cache of the first CPU, which others may share
};

enum class Verdict { pass, fail, skip };

/// The result of one expectation of a suite (report/check/expectation.hpp).
struct CheckRecord {
  /// The subject of the check, from what is asked of any report to what only this suite asks.
  enum class About {
    soundness,  ///< that cases ran, and moved the right data
    report,     ///< of any cases, or of the GPU
    cases       ///< of cases that the suite names
  };
  std::string name;
  About about = About::soundness;            ///< known while checking; not in JSON
  std::optional<std::uint64_t> device = {};  ///< of several GPUs side by side, the one that it is about
  std::optional<std::uint64_t> source = {};  ///< of pairs of GPUs, the one that decided
  std::optional<std::uint64_t> target = {};
  Verdict verdict = Verdict::skip;
  std::string reason;              ///< in words: the case that decided it, and what was wrong or missing
  std::string quantity;            ///< "bandwidth_gb_per_s", "fraction_of_peak", ...; empty where it is none
  std::optional<double> measured;  ///< value of the quantity, or its ratio to the reference case's
  std::optional<double> at_least;  ///< bounds, both inclusive
  std::optional<double> at_most;
  bool required = false;           ///< a skip is as bad as a failure
  bool for_other_gpu = false;      ///< holds on GPUs of another name; known while checking; not in JSON
  unsigned attempts = 1;           ///< until it passed, or in all
  std::vector<std::size_t> cases;  ///< indices into the results that it was held against, references included
  /// The latest values of earlier runs and this one's, the oldest first, if the GPU was faster (--against).
  std::vector<double> earlier = {};
};

/// A fact that a probe concluded (probes/fact.hpp), in words.
struct FactRecord {
  std::string kind;                ///< a name of FactKind, or one that a later version knows
  std::vector<std::size_t> cases;  ///< indices into the results: those that show it
  std::string text;                ///< a sentence or two
  std::vector<FactValue> values;   ///< the numbers in the text; predictions if nothing was measured
};

/// The conclusion from several cases of a probe (Probe::conclude).
struct ConclusionRecord {
  std::string probe;
  std::vector<std::size_t> cases;  ///< indices into the results
  std::string advice;              ///< the facts in words; empty if another conclusion of the same table has it
  std::vector<MetricRecord> quantities;
  std::vector<FactRecord> facts = {};  ///< the most important first
};

/// The NUMA placement of the run's host memory.
struct HostPlacement {
  std::optional<unsigned> numa_node;  ///< the node it was bound to; absent when it was left alone
  std::string how;                    ///< in words: "bound to the GPU's node", "one node only", "off", ...
};

/// CUDA graphs of a watched program that launch the same kernels.
struct GraphRecord {
  std::string name;              ///< "CUDA graph of 12 kernels: gemm, add"
  std::uint64_t kernels = 0;     ///< launches of kernels in a replay
  std::uint64_t launches = 0;    ///< replays
  bool by_node = true;           ///< its kernels are results; else it is one itself, as a whole
  std::optional<double> time_s;  ///< of a replay, gaps between its nodes included: the median
  std::optional<double> gpu_s;   ///< of all replays
};

/// The program that was run under `gpumem run`, and how much of it was seen. Its kernels are the report's results.
struct ProgramRecord {
  std::vector<std::string> command;
  std::optional<int> exit_code;                                ///< 128 + n where signal n ended it
  unsigned processes = 0;                                      ///< that used CUDA
  std::uint64_t kernels_seen = 0;                              ///< different ones that were launched
  std::uint64_t launches_seen = 0;                             ///< all launches
  std::uint64_t launches_counted = 0;                          ///< of those, looked at closely, as `engines` say
  std::vector<std::pair<std::string, std::uint64_t>> skipped;  ///< reason in words, launches not seen for it
  std::optional<double> gpu_seconds;       ///< that all launches took, those not timed as long as those that were
  std::optional<double> sampling_seconds;  ///< that seeing launches access by access cost the program
  /// From the first launch on, until launches were not counted any more. Absent: all were.
  std::optional<double> watched_s = {};
  std::optional<double> bin_s = {};              ///< bins of the time since the first launch (Record::ran_s)
  std::optional<ProgramTimeline> timeline = {};  ///< when it launched what
  std::vector<std::string> engines;              ///< "sites" (access by access), "counters" (by the hardware's)
  std::vector<std::string> notes;                ///< a line each: what could not be seen, why, and what to do
  std::vector<GraphRecord> graphs = {};
};

struct Report {
  Tool tool;
  std::vector<std::string> command;    ///< argv
  std::string started_at;              ///< RFC 3339, UTC
  std::string backend;                 ///< "cuda" or "model"
  std::optional<std::string> profile;  ///< name of the GPU profile behind the predictions; absent: device attributes
  std::optional<std::string> profile_source = {};  ///< "shipped", "own", "file", "attributes"; absent: not known
  Host host;
  std::optional<Device> device;                 ///< absent in a dry run
  std::vector<Device> devices;                  ///< every one that the run used
  std::optional<HostPlacement> host_placement;  ///< absent when no case used host memory
  /// The flags that this run could have raised, because it watched for them; absent in older reports.
  std::optional<std::vector<std::string>> watched;
  std::optional<std::string> suite;           ///< name of the suite that the cases come from
  std::optional<ProgramRecord> program = {};  ///< of `gpumem run`
  std::vector<Record> results;
  /// The advice on the program of `gpumem run`, most saved first; absent if it was not worked out.
  std::optional<std::vector<AdviceRecord>> advice = {};
  std::vector<ConclusionRecord> conclusions;
  std::optional<bool> passed = {};    ///< `gpumem check` passed; absent if it did not make the report
  std::vector<CheckRecord> checks;    ///< in the suite's order; empty where nothing was to be checked
  std::vector<std::string> findings;  ///< per table (report/record/sweep.hpp): what it shows, a fact a line
  /// The union of all registered probes' parameters and metrics, in registry order: the fixed columns of CSV.
  std::vector<std::string> parameter_columns;
  std::vector<std::string> metric_columns;

  /// True if nothing was measured.
  [[nodiscard]] bool is_prediction() const { return backend == "model"; }
};

/// A report and the name that people know it by: its file.
struct NamedReport {
  std::string name;
  Report report;
};

}  // namespace gpumem::report
