// A program that gpumem run has injected its library into, on a machine without a GPU: it leaves what the library would
// have left, and nothing else.
//   gpumem_watched kernels|ranges|graphs|once|fatal|cut [EXIT-CODE]
// Asked for counters, it leaves counts of the first kernel instead of accesses.

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "program/watch/environment.hpp"
#include "program/watch/time_line.hpp"
#include "tests/counts.hpp"
#include "tests/program/raw_writer.hpp"

using namespace gpumem;

namespace {

/// One kernel that wastes most of what it moves, and one that does not.
test::RawWriter two_kernels() {
  test::RawWriter raw(static_cast<std::uint32_t>(getpid()));
  raw.device(test::h200()).kernel(1, "_Z9transposePfPKf").kernel(2, "_Z4copyPfPKf");
  raw.totals.began_ns = 1;
  inject::add_ran(raw.slot(1, 10, 1e6).ran, 0, 10'000'000, 10'000'000);
  inject::add_ran(raw.slot(2, 20, 1e5).ran, 30'000'000, 40'000'000, 2'000'000);
  const char* engine = std::getenv(inject::engine_variable);
  if (engine != nullptr && std::string(engine) == inject::counters_engine_name) {
    raw.header.engine = inject::EngineKind::counters;
    raw.slots[1].unseen[static_cast<std::size_t>(inject::Unseen::few_launches)] = 20;
    return raw.counts(0, test::counts_of({{&measure::Counts::global_load_requests, 1 << 20},
                                          {&measure::Counts::global_load_sectors, 32 << 20},
                                          {&measure::Counts::achieved_occupancy, 0.5}}));
  }
  raw.sample(0, {test::streaming(inject::RawOp::load, 1 << 20, 1024)});
  return raw.sample(1, {test::streaming(inject::RawOp::load, 3 << 20)});
}

}  // namespace

int main(int argc, char** argv) {
  const char* folder = std::getenv(inject::folder_variable);
  const std::string what = argc > 1 ? argv[1] : "";
  if (folder == nullptr) return 99;
  if (what == "fatal") {
    test::RawWriter(static_cast<std::uint32_t>(getpid()))
        .device(test::h200())
        .problem("another tool has it", true)
        .write(folder);
  } else {
    test::RawWriter raw = two_kernels();
    if (what == "ranges") {
      raw.range(1, "step").slots[0].ranges[0] = {.range = 1, .launches = 9};
      raw.slots[0].in_other_ranges = 1;
    }
    if (what == "graphs") {
      raw.totals.graph_launches = 12;
    }
    if (what == "once") {
      // The first kernel was launched once and repeated. The second one was repeated too, but then timed.
      inject::LaunchSlot& alone = raw.slots[0];
      alone.launches = 1;
      alone.times = 0;
      alone.timed = alone.timed_ns = 0;
      alone.repeat_ns = 900'000;
      raw.slots[1].repeat_ns = 50'000;
    }
    if (what == "cut") raw.events.resize(raw.events.size() - 100);
    raw.write(folder);
  }
  return argc > 2 ? std::atoi(argv[2]) : 0;
}
