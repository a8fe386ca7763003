// Every probe's kernels, as compiled: they hold the loads and stores that their access sites declare.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "app/command_line/values.hpp"
#include "engine/base/demangle.hpp"
#include "engine/base/error.hpp"
#include "engine/model/occupancy.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/machine_code/disassembler.hpp"
#include "tests/machine_code/instructions.hpp"

namespace gpumem::machine_code {

namespace {

Device some_device() {
  Device device;
  device.name = "some device";
  device.compute_capability = "9.0";
  device.multiprocessors = 132;
  device.l2_bytes = 50ULL << 20U;
  device.memory_bytes = 80ULL << 30U;
  device.memory_bus_bits = 5120;
  device.memory_clock_hz = 2'619'000'000;
  device.sm_clock_hz = 1'980'000'000;
  device.shared_bytes_per_block = 232'448;
  device.shared_bytes_per_multiprocessor = 233'472;
  device.threads_per_multiprocessor = 2048;
  device.copy_engines = 2;
  device.links.resize(8);  // as one of eight GPUs
  return device;
}

/// Notation has indices of 4 bytes: files may have others.
const std::string& wide_indices() {
  static const gpumem::test::TemporaryDirectory directory;
  static const std::string path = (directory / "a.u64").string();
  if (!std::filesystem::exists(path)) gpumem::test::put(path, std::string(std::size_t{2} << 20U, '\0'));
  return path;
}

/// Enough values of an axis to reach every kernel of a probe: all that it lists, and a few where any number goes.
std::vector<Value> values(const Axis& axis) {
  if (axis.flag == "indices") return {"0,1", wide_indices()};
  if (axis.flag == "from") return {"none", "0"};
  if (axis.flag == "index-format") return {axis.defaults};
  std::vector<Value> values(axis.names.begin(), axis.names.end());
  values.insert(values.end(), axis.numbers.begin(), axis.numbers.end());
  if (!values.empty()) return values;
  if (axis.texts) return app::parse_axis_values(axis, std::vector{axis.defaults});
  if (axis.parameter == "block_threads") return {std::uint64_t{256}};
  if (axis.unit == "bytes") return {std::uint64_t{1} << 20U};
  for (const std::uint64_t number : {0U, 1U, 2U, 7U, 32U}) {
    if (number >= axis.minimum && number <= axis.maximum) values.emplace_back(number);
  }
  return values;
}

std::vector<Case> cases(const Probe& probe) {
  std::vector<Case> all{Case{&probe, {}}};
  for (const auto& axis : probe.axes) {
    std::vector<Case> longer;
    for (const auto& tested : all) {
      for (const auto& value : values(axis)) {
        longer.push_back(tested);
        longer.back().parameters.push_back({axis.parameter, value});
      }
    }
    all = std::move(longer);
  }
  std::erase_if(all, [&](const Case& tested) {
    try {
      if (probe.validate) probe.validate(tested);
      static_cast<void>(probe.describe(tested, some_device()));
      return false;
    } catch (const Error&) {
      return true;  // values that do not go together, on this GPU or any
    }
  });
  return all;
}

/// True if the workload runs a library's kernel, which is not compiled here. Nothing is known of its launch then,
/// blocks and threads included.
bool runs_in_library(const Workload& workload) { return workload.blocks == 0 && workload.useful_flops.has_value(); }

/// Returns the problems of the kernel of a workload, a line each. Transfers alone have no kernel and no problems.
std::string problems(const Workload& workload, const Kernels& kernels) {
  const auto is_launch = [](const Operation& operation) { return operation.work == Operation::Work::launch; };
  const bool launches = (workload.operations.empty() && !workload.about<PeerTraffic>()) ||
                        std::ranges::any_of(workload.operations, is_launch);
  if (workload.kernel.empty()) {
    if (launches && !runs_in_library(workload)) return "\n  it has no name";
    return workload.sites.empty() ? "" : "\n  there is none for its access sites";
  }
  const auto found = kernels.find(workload.kernel);
  if (found == kernels.end()) return "\n  it is not in the compiled code";
  std::string lines;
  for (const auto& compiled : found->second) {
    if (compiled.traps && compiled.accesses.empty()) continue;
    for (const auto& line : differences(compiled.accesses, workload.sites)) lines += "\n  it holds " + line;
  }
  return lines;
}

/// Checks that the accesses of every opcode are known, in kernels of no probe too.
void check_opcodes_are_known(const Kernels& kernels) {
  std::map<std::string, std::string> where;
  for (const auto& [name, versions] : kernels) {
    for (const auto& version : versions) {
      for (const auto& opcode : version.unknown) where.emplace(opcode, name);
    }
  }
  for (const auto& [opcode, kernel] : where) {
    FAIL_CHECK("instruction " << opcode << " of kernel " << kernel
                              << " is not known: tests/machine_code/opcodes.cpp says what each accesses");
  }
}

void check_all_kernels(const Kernels& kernels) {
  REQUIRE_FALSE(kernels.empty());
  REQUIRE_FALSE(probes().empty());
  check_opcodes_are_known(kernels);
  std::set<std::string> failed;  // each kernel once, although many cases share it
  for (const auto& probe : probes()) {
    if (probe.name == "pattern") continue;  // compiled when it runs: probes/global/test_pattern_kernel.cpp
    const auto all = cases(probe);
    CHECK_FALSE(all.empty());
    for (const auto& tested : all) {
      const Workload workload = probe.describe(tested, some_device());
      const std::string lines = problems(workload, kernels);
      if (lines.empty() || !failed.insert(workload.kernel).second) continue;
      FAIL_CHECK("kernel " << workload.kernel << "\n  runs for " << gpumem::to_string(tested) << lines);
    }
  }
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the registers per thread of the program's kernels as compiled, by demangled name: an entry per architecture.
std::map<std::string, std::vector<unsigned>> compiled_registers(const std::string& resource_usage) {
  std::map<std::string, std::vector<unsigned>> registers;
  std::istringstream words(resource_usage);  // "Function _Z4copyPKjPj: REG:16 STACK:0 ..."
  std::string kernel;
  for (std::string word; words >> word;) {
    if (word == "Function") {
      words >> kernel;
      kernel = demangled(kernel.substr(0, kernel.find(':')));
    } else if (word.starts_with("REG:")) {
      registers[kernel].push_back(static_cast<unsigned>(std::stoul(word.substr(4))));
    }
  }
  return registers;
}

}  // namespace

TEST_CASE("Zero-copy runs one kernel per word, op and placement", "[machine_code]") {
  const Probe* const probe = find_probe("zero-copy");
  REQUIRE(probe != nullptr);
  std::set<std::string> names;
  for (const auto& tested : cases(*probe)) names.insert(probe->describe(tested, some_device()).kernel);
  CHECK(names.size() == 5U * 3U * 2U);  // this GPU has no words of 32 bytes
}

TEST_CASE("In PTX every kernel holds the accesses its sites declare", "[machine_code]") {
  Kernels kernels;
  std::istringstream files(read_file(GPUMEM_PTX_LIST));
  for (std::string path; std::getline(files, path);) {
    if (!path.empty()) kernels.merge(parse_ptx(read_file(path)));
  }
  check_all_kernels(kernels);
}

TEST_CASE("In machine code every kernel holds the accesses its sites declare", "[machine_code][sass]") {
  if (!has_disassembler()) return;
  check_all_kernels(parse_sass(disassembler_output("--dump-sass", GPUMEM_PROGRAM)));
}

TEST_CASE("As many blocks are resident by the compiled registers as by those that are declared",
          "[machine_code][sass]") {
  if (!has_disassembler()) return;
  const auto compiled = compiled_registers(disassembler_output("--dump-resource-usage", GPUMEM_PROGRAM));
  const auto blocks = [](const Workload& workload) { return model::occupancy_of(workload, some_device()).blocks; };
  std::set<std::string> seen;
  for (const auto& probe : probes()) {
    for (const auto& tested : cases(probe)) {
      Workload workload = probe.describe(tested, some_device());
      if (!workload.registers_per_thread) continue;
      CAPTURE(gpumem::to_string(tested), workload.kernel);
      const unsigned declared = blocks(workload);
      REQUIRE(compiled.contains(workload.kernel));
      for (const unsigned registers : compiled.at(workload.kernel)) {
        CAPTURE(registers);
        workload.registers_per_thread = registers;
        CHECK(blocks(workload) == declared);
      }
      seen.insert(probe.name);
    }
  }
  CHECK(seen.contains("occupancy"));
}

}  // namespace gpumem::machine_code
