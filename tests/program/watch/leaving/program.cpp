// Watched by the library of `gpumem run`, over a stand-in for the driver and the sanitizer's library, to see that the
// library leaves a program that launches nothing new, and what it has counted until then:
//
//     gpumem_left_program LIBRARY STAND_IN FOLDER leaves|stays|busy|refused

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "program/watch/environment.hpp"
#include "program/watch/raw_format.hpp"
#include "tests/program/watch/leaving/stand_in.hpp"

namespace {

using namespace gpumem::inject;
using Clock = std::chrono::steady_clock;  // that of LaunchTotals, as the C++ library of Linux has it

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr unsigned threads = 3;  // that launch

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::_Exit(1);
}

void require(bool holds, const std::string& what) {
  if (!holds) fail("it does not hold that " + what);
}

std::uint64_t now_ns() { return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()); }

std::string bytes_of(const std::string& folder, const char* suffix) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().string().ends_with(suffix)) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fail(folder + " has no file that ends in " + suffix);
}

/// Launches counted of a process, and the totals.
struct Counted {
  LaunchTotals totals;
  std::uint64_t launches = 0;
  std::uint64_t times = 0;
};

Counted counted_in(const std::string& folder) {
  const std::string bytes = bytes_of(folder, launches_suffix);
  Counted counted;
  std::size_t at = sizeof(FileHeader);
  std::memcpy(&counted.totals, bytes.data() + at, sizeof(LaunchTotals));
  at += sizeof(LaunchTotals);
  for (std::uint64_t i = 0; i < counted.totals.slots; ++i, at += sizeof(LaunchSlot)) {
    LaunchSlot slot;
    std::memcpy(&slot, bytes.data() + at, sizeof(slot));
    counted.launches += slot.launches;
    counted.times += slot.times;
  }
  return counted;
}

/// The number of launches that had begun, now and then.
struct Moment {
  std::uint64_t at_ns;
  std::uint64_t launches;
};

struct Run {
  std::uint64_t launches = 0;
  std::vector<Moment> moments;
};

/// Launches two kernels in turns, in several threads, for so long.
Run launch_for(std::chrono::milliseconds lasts) {
  constexpr unsigned at_once = 50;  // often enough on a busy machine, too
  std::atomic<std::uint64_t> begun = 0;
  std::atomic<bool> over = false;
  std::vector<std::thread> launching;
  for (unsigned i = 0; i < threads; ++i) {
    launching.emplace_back([&] {
      while (!over) {
        for (unsigned i = 0; i < at_once; ++i) {
          ++begun;
          if (stand_in_launch(1 + i % 2) != 0) fail("a launch failed");
        }
        std::this_thread::sleep_for(std::chrono::microseconds(10));
      }
    });
  }
  Run run;
  for (const auto end = Clock::now() + lasts; Clock::now() < end;) {
    run.moments.push_back({now_ns(), begun});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  over = true;
  for (std::thread& thread : launching) thread.join();
  run.launches = begun;
  return run;
}

/// The library's clock lags behind by a tick, and one launch of each thread may have begun and not be counted yet.
void check_counts_until_it_left(const Counted& counted, const Run& run) {
  constexpr std::uint64_t slack_ns = 50 * ns_per_ms;
  const std::uint64_t left_ns = counted.totals.left_ns;
  for (const Moment& moment : run.moments) {
    if (moment.at_ns + slack_ns < left_ns)
      require(counted.launches + threads >= moment.launches, "launches before are counted");
    if (moment.at_ns > left_ns + slack_ns) require(counted.launches <= moment.launches, "launches after are not");
  }
}

void check(const std::string& mode, const Counted& counted, const Run& run, const std::string& events) {
  const StandInCounts seen = stand_in_counts();
  require(counted.times > 0, "launches were timed");
  require(counted.launches <= seen.called_back, "each counted launch had a callback");
  if (mode == "stays" || mode == "busy") {
    require(counted.totals.left_ns == 0 && seen.unsubscribed == 0, "it has stayed");
    require(counted.launches == run.launches, "all launches are counted");
    return;
  }
  const std::uint64_t watched_ns = counted.totals.left_ns - counted.totals.began_ns;
  require(counted.totals.left_ns > counted.totals.began_ns, "it has left");
  require(watched_ns > 950 * ns_per_ms, "it has waited for a second");
  require(seen.unsubscribed == 1 && seen.from_callbacks == 0, "it has unsubscribed once, outside of callbacks");
  require(counted.launches < run.launches, "launches came after that");
  check_counts_until_it_left(counted, run);
  const bool is_said = events.find("does not let its subscriber go") != std::string::npos;
  require(is_said == (mode == "refused") && seen.disabled == (mode == "refused" ? 1U : 0U), "a refusal is said");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) fail("usage: gpumem_left_program LIBRARY STAND_IN FOLDER leaves|stays|busy|refused");
  const std::string folder = argv[3];
  const std::string mode = argv[4];
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  setenv(folder_variable, folder.c_str(), 1);
  setenv(sanitizer_variable, argv[2], 1);
  setenv(stay_variable, mode == "stays" ? "1" : "", 1);
  if (mode == "busy") stand_in_set_kernel_time(10'000'000);
  if (mode == "refused") stand_in_refuse_to_unsubscribe();
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(dlerror());
  const auto begin = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
  if (begin == nullptr) fail(dlerror());
  begin();

  constexpr std::chrono::milliseconds lasts{2000};
  const Run run = launch_for(lasts);
  const Counted counted = counted_in(folder);
  check(mode, counted, run, bytes_of(folder, events_suffix));
  const std::uint64_t called_back = stand_in_counts().called_back;
  if (counted.totals.left_ns == 0) return 0;
  stand_in_launch(1);
  require(stand_in_counts().called_back == called_back, "nothing is called back after that");
  stand_in_end_context();  // nothing that is done at the end may use it
  return 0;
}
