#include "app/run/counting.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "app/run/case_records.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/model/counted.hpp"
#include "report/record/counted.hpp"

namespace gpumem::app {

namespace {

/// Host memory that the experiments of one batch may hold at once: they are all readied before the first is counted.
constexpr std::uint64_t most_host_bytes = std::uint64_t{4} << 30U;

/// A case to be counted. Cases that are counted at once access the same spaces.
struct CountedCase {
  const Case* tested;
  report::Record* record;
  Workload workload;
  std::set<access::Space> spaces = {};  ///< that it accesses
  std::unique_ptr<measure::Experiment> experiment = nullptr;
};

/// Readies all experiments. One that makes the session's shared buffers grow takes them away from those before it, so
/// if any did, all are made again: the buffers are then large enough.
void prepare(std::span<CountedCase> batch, measure::Session& session) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::uint64_t before = session.generation();
    for (CountedCase& entry : batch) {
      entry.experiment.reset();  // first, for two might not fit
      entry.experiment = entry.tested->probe->prepare(*entry.tested, session);
    }
    if (session.generation() == before) return;
  }
}

void count_batch(std::span<CountedCase> batch, measure::Counters& counters, measure::Session& session,
                 const model::Profile& profile) {
  prepare(batch, session);
  std::vector<std::function<void()>> launches;
  for (const CountedCase& entry : batch) {
    launches.emplace_back([&] {
      entry.experiment->launch_kernel(session.stream().get());
      session.stream().synchronize();
    });
  }
  const std::vector<measure::Counts> counts = counters.count(launches, batch.front().spaces);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    add_counts(*batch[i].record, batch[i].workload, counts[i], profile);
    batch[i].experiment.reset();
  }
}

/// Launches of the kernel in one timed run of the workload, and whether there is nothing beside them.
struct Launches {
  double count = 1;
  bool alone = true;
};

Launches launches_of(const Workload& workload) {
  if (const auto* peer = workload.about<PeerTraffic>()) return {static_cast<double>(peer->copies), true};
  if (workload.operations.empty()) return {};
  Launches launches{0, true};
  for (const gpumem::Operation& operation : workload.operations) {
    if (operation.work == gpumem::Operation::Work::launch) {
      launches.count += static_cast<double>(operation.count);
    } else {
      launches.alone = false;
    }
  }
  return launches;
}

/// Returns the bytes that all loads from global memory ask for, by their sites. A word that several lanes of a request
/// ask for counts once.
double bytes_asked_for(const Workload& workload) {
  double bytes = 0;
  for (const access::Site& site : workload.sites) {
    if (access::row_of(site.space).instructions_name != access::Space::global || site.op != access::Op::load) continue;
    const access::SiteCost cost = access::summarise(site).cost;
    bytes += static_cast<double>(site.requests) * cost.sectors_per_request * access::sector_bytes * cost.efficiency;
  }
  return bytes;
}

}  // namespace

void count_cases(std::span<const Case> cases, std::span<report::Record> records, measure::Counters& counters,
                 measure::Session& session, const Device& gpu, const model::Profile& profile) {
  std::vector<CountedCase> entries;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (records[i].status != report::Status::ok || !records[i].time) continue;
    Workload workload = describe(cases[i], gpu);
    if (workload.kernel.empty()) continue;
    CountedCase& entry = entries.emplace_back(CountedCase{&cases[i], &records[i], std::move(workload)});
    for (const access::Site& site : entry.workload.sites) entry.spaces.insert(site.space);
  }
  // Each choice of counters is a session of its own.
  std::ranges::stable_sort(entries, {}, &CountedCase::spaces);
  // Device memory that the experiments of one batch may hold at once. Cases that share the session's buffers take less
  // than their sum, but not all share them.
  const std::uint64_t most_device_bytes = session.device().memory_bytes / 4 * 3;
  for (auto first = entries.begin(); first != entries.end();) {
    auto last = first;
    std::uint64_t host_bytes = 0;
    std::uint64_t device_bytes = 0;
    do {
      host_bytes += last->workload.host_bytes;
      device_bytes += last++->workload.allocated_bytes;
    } while (last != entries.end() && last->spaces == first->spaces &&
             last - first < static_cast<std::ptrdiff_t>(measure::Counters::most_at_once) &&
             host_bytes + last->workload.host_bytes <= most_host_bytes &&
             device_bytes + last->workload.allocated_bytes <= most_device_bytes);
    count_batch({first, last}, counters, session, profile);
    first = last;
  }
}

void add_counts(report::Record& record, const Workload& workload, measure::Counts counts,
                const model::Profile& profile) {
  std::vector<std::uint64_t> requests;
  for (const access::Site& site : workload.sites) requests.push_back(site.requests);
  if (report::add_counted_costs(record, counts, requests) > 0) record.flags.emplace_back("counts_differ");

  const Launches launches = launches_of(workload);
  if (counts.global_load_sectors && *counts.global_load_sectors > 0 && launches.count > 0) {
    const double bytes = *counts.global_load_sectors * access::sector_bytes;
    counts.load_efficiency = bytes_asked_for(workload) / bytes;
    if (record.time && launches.alone) {
      counts.load_throughput_gb_per_s = bytes * launches.count / record.time->summary.median.count() * per_giga;
    }
  }
  report::add_counted_stages(record, model::counted_stages(counts, workload, profile), launches.count);
  record.counters = measure::times(counts, launches.count);
}

}  // namespace gpumem::app
