#pragma once
// Reads the raw files of a run, a RawProcess for each process. The files are complete at every moment, but are not
// trusted: damaged parts are left out and reported.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/measure/counters.hpp"
#include "program/read/raw_callers.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

struct RawKernel {
  inject::KernelEvent event;
  std::string name;                    ///< as the linker knows it
  std::string code;                    ///< its instructions; may be empty
  std::uint32_t parameter_offset = 0;  ///< in constant bank 0; 0: not known
};

struct RawSample {
  inject::SampleEvent event;
  std::vector<inject::Site> sites;
  std::string parameters;  ///< their bytes, as the kernel reads them; empty: not known
};

/// Hardware counts of a slot's launches.
struct RawCounts {
  inject::CountsEvent event;
  measure::Counts counts;  ///< of one launch
};

/// A CUDA graph, as it was instantiated.
struct RawGraph {
  inject::GraphEvent event;
  std::vector<inject::GraphKernel> kernels;
};

struct RawProblem {
  bool fatal = false;
  std::string line;
};

/// The contents of one process's files.
struct RawProcess {
  std::uint32_t process = 0;
  std::uint32_t parent = 0;
  std::uint64_t started_ns = 0;
  inject::EngineKind engine{};
  std::vector<std::string> command;
  std::vector<inject::DeviceEvent> devices;
  std::map<std::uint32_t, RawKernel> kernels;  ///< by number
  std::map<std::uint32_t, std::string> images;
  std::map<std::uint32_t, std::string> ranges;
  std::vector<RawSample> samples;
  std::vector<RawCounts> counted;
  std::vector<RawGraph> graphs;
  std::vector<inject::Span> spans;
  std::vector<RawCaller> callers;
  std::vector<RawArray> arrays;
  std::vector<RawProblem> problems;
  inject::LaunchTotals totals;
  std::map<std::uint32_t, inject::LaunchSlot> slots;  ///< slots in use, by index
  std::vector<std::string> damage;                    ///< a line each: what could not be read, and where
};

/// All processes of a run in the order in which they began. Throws a usage error when the folder cannot be read.
[[nodiscard]] std::vector<RawProcess> read_raw_data(const std::filesystem::path& folder);

}  // namespace gpumem::program
