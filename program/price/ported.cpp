#include "program/price/ported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string_view>

#include "engine/base/words.hpp"
#include "engine/model/find_profile.hpp"
#include "engine/model/profile_names.hpp"
#include "program/price/launch_pricing.hpp"
#include "program/price/local_traffic.hpp"
#include "report/advise/libraries.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/names.hpp"

namespace gpumem::program {

namespace {

using report::LaunchWork;
using report::PortedKernel;
using report::Record;

/// The reason for a kernel without work in a report of an older version.
constexpr const char* no_work = "its report does not hold its work: record it again with this version of gpumem";

bool has_feature(const LaunchWork& work, const char* feature) {
  return std::ranges::find(work.features, feature) != work.features.end();
}

/// Returns true if the model's cycles of tensor instructions hold for the device: they are those of compute capability
/// 8.0 and 9.0 (program/machine_code/instructions.cpp).
bool knows_tensor_cores(const Device& device) {
  return device.compute_capability == "8.0" || device.compute_capability == "9.0";
}

/// Returns what the device lacks to run the launch; empty if it lacks nothing. CUDA C++ Programming Guide, "Compute
/// Capabilities", and PTX ISA: clusters and bulk copies exist from 9.0 on, wgmma on 9.0 alone.
std::string lacking(const LaunchWork& work, const Device& device) {
  if (device.shared_bytes_per_block > 0 && work.shared_bytes_per_block > device.shared_bytes_per_block) {
    return fmt::format("its block takes {} of shared memory, and a block has {} at most there",
                       size_text(work.shared_bytes_per_block), size_text(device.shared_bytes_per_block));
  }
  const unsigned major = device.compute_capability_major();
  const auto without = [&](const char* what) {
    return fmt::format("it uses {}, which compute capability {} does not have: its code there is another", what,
                       device.compute_capability);
  };
  if (has_feature(work, report::warpgroup_products_feature) && major != 9) return without("wgmma");
  if (has_feature(work, report::clusters_feature) && major < 9) return without("thread block clusters");
  if (has_feature(work, report::bulk_copies_feature) && major < 9) return without("bulk copies");
  return "";
}

/// Returns the part of the launch's data that L2 has there, from what it had here.
InL2 in_l2_there(const Record& kernel, const Device& here, const Device& there) {
  const LaunchWork& work = *kernel.work;
  if (crosses_link(work, there)) return InL2::nothing;
  const bool all = kernel.has_flag("cache_resident");
  const bool part = kernel.has_flag("partly_cached");
  // Data that did not fit here is taken to be in L2 there if it fits, as if nothing had been measured.
  if (fits_in_l2(work, there)) return all || part || !fits_in_l2(work, here) ? InL2::all : InL2::nothing;
  return part ? InL2::part : InL2::nothing;
}

/// True if the grid has a few blocks for each multiprocessor, as many for each.
bool follows_multiprocessors(std::uint64_t blocks, const Device& here) {
  constexpr std::uint64_t few = 16;
  return here.multiprocessors > 0 && blocks % here.multiprocessors == 0 && blocks / here.multiprocessors <= few;
}

/// True if the kernel is of a library that chooses its kernels, or their parameters, by the GPU.
bool chooses_by_gpu(const std::string& kernel) {
  static constexpr std::string_view libraries[] = {"cuBLAS",   "cuDNN",    "CUTLASS", "FlashAttention", "cuFFT",
                                                   "cuSPARSE", "cuSOLVER", "CUB",     "Thrust"};
  const auto library = report::library_kernel(kernel);
  return library && std::ranges::find(libraries, library->library) != std::end(libraries);
}

/// Prices the kernels of one report for one GPU.
class Port {
 public:
  Port(const report::Report& report, const model::Profile& profile) : report_(report), there_(profile) {}

  [[nodiscard]] PortedKernel kernel(std::size_t result) const {
    const Record& record = report_.results[result];
    PortedKernel kernel{.result = result};
    if (record.time && record.time->summary.median.count() > 0) kernel.here_s = record.time->summary.median.count();
    kernel.all_here_s = report::metric_of(record, report::gpu_time_name).measured;
    if (record.bottleneck) kernel.limit_here = record.bottleneck->predicted;
    kernel.no_time = why_no_time_here(record, kernel);
    if (kernel.no_time.empty()) price(kernel, record);
    return kernel;
  }

 private:
  [[nodiscard]] static std::string why_no_time_here(const Record& record, const PortedKernel& kernel) {
    if (record.status != report::Status::ok) return "not seen here: " + record.reason.value_or("no reason is known");
    if (record.no_prediction) return *record.no_prediction;
    if (!record.predicted_s || *record.predicted_s <= 0) return "its accesses were not seen here";
    if (!record.work) return no_work;
    if (!kernel.here_s || !kernel.all_here_s) return "no launch of it was timed here";
    return "";
  }

  void price(PortedKernel& kernel, const Record& record) const {
    const Device& here = device_of(record);
    LaunchWork work = *record.work;
    kernel.no_time = lacking(work, there_.device);
    if (!kernel.no_time.empty()) return;
    set_local_traffic(work, there_);
    const Workload workload = workload_of(work, there_.device);
    const PricedLaunch launch = priced(work, workload, there_, in_l2_there(record, here, there_.device));
    if (!is_known(launch)) {
      kernel.no_time = fmt::format("profile '{}' lacks rates to predict {}", there_.name, unknown_stages(launch));
      return;
    }
    kernel.limit_there = launch.bottleneck;
    if (launch.bottleneck == "tensor" && !knows_tensor_cores(there_.device)) {
      kernel.no_time =
          fmt::format("its tensor instructions limit it, and their rate on compute capability {} is not known",
                      there_.device.compute_capability);
      return;
    }
    kernel.predicted_s = launch.seconds;
    carry_over(kernel, record, here.compute_capability == there_.device.compute_capability);
    add_notes(kernel, record, here);
  }

  /// Sets the time there from the predicted one and what was measured here.
  static void carry_over(PortedKernel& kernel, const Record& record, bool same_code) {
    const double predicted_here = *record.predicted_s;
    const bool same_limit = kernel.limit_there == kernel.limit_here;
    const double residue = std::pow(*kernel.here_s / predicted_here, same_limit ? 1 : 0.5);
    // Beyond the usual error of its limit, the interval here is that of code that nobody saw run.
    const double usual = usual_error(kernel.limit_here);
    const double less = std::min(1.0, record.predicted_low_s.value_or(predicted_here) * usual / predicted_here);
    const double more = std::max(1.0, record.predicted_high_s.value_or(predicted_here) / usual / predicted_here);
    // Among GPUs of one compute capability, the residue takes off about half of the error, as a factor (docs/port.md).
    const double error = std::pow(usual_error(kernel.limit_there) * (same_limit ? 1 : usual), same_code ? 0.5 : 1);
    const double seconds = *kernel.predicted_s * residue;
    kernel.there =
        report::PortedTime{.seconds = seconds, .low = seconds * less / error, .high = seconds * more * error};
  }

  void add_notes(PortedKernel& kernel, const Record& record, const Device& here) const {
    const Device& there = there_.device;
    const bool same = model::same_gpu(here.name, there.name);
    if (!same && chooses_by_gpu(report::text_of(record, report::kernel_parameter)))
      kernel.notes.emplace_back(report::other_algorithm_note);
    if (here.multiprocessors != there.multiprocessors && follows_multiprocessors(record.work->blocks, here))
      kernel.notes.emplace_back(report::grid_note);
    if (fits_in_l2(*record.work, here) != fits_in_l2(*record.work, there)) kernel.notes.emplace_back(report::l2_note);
    if (kernel.limit_here != kernel.limit_there) kernel.notes.emplace_back(report::limit_note);
  }

  [[nodiscard]] const Device& device_of(const Record& record) const {
    const std::uint64_t index = report::number_of(record, report::device_parameter).value_or(0);
    return report_.devices[index < report_.devices.size() ? index : 0];
  }

  static std::string unknown_stages(const PricedLaunch& launch) {
    for (const model::StageTime& stage : launch.stages) {
      if (!(std::isfinite(stage.seconds) && stage.seconds >= 0)) return report::stage_words(stage.stage);
    }
    return "its time";
  }

  const report::Report& report_;
  const model::Profile& there_;
};

/// Sets the places of the kernels with both times, by the time of all launches.
void set_places(std::vector<PortedKernel>& kernels) {
  std::vector<PortedKernel*> known;
  for (PortedKernel& kernel : kernels) {
    if (kernel.all_there()) known.push_back(&kernel);
  }
  for (std::size_t i = 0; i < known.size(); ++i) known[i]->place_here = i + 1;
  std::ranges::stable_sort(known, std::ranges::greater(),
                           [](const PortedKernel* kernel) { return kernel->all_there()->seconds; });
  for (std::size_t i = 0; i < known.size(); ++i) known[i]->place_there = i + 1;
}

void add_sums(report::PortedGpu& gpu, const report::Report& report) {
  for (const PortedKernel& kernel : gpu.kernels) {
    const auto there = kernel.all_there();
    if (!there) continue;
    gpu.here_s += *kernel.all_here_s;
    gpu.there.seconds += there->seconds;
    gpu.there.low += there->low;
    gpu.there.high += there->high;
  }
  const double all_s = report.program ? report.program->gpu_seconds.value_or(0) : 0;
  if (all_s > 0) gpu.time_share = std::min(1.0, gpu.here_s / all_s);
}

}  // namespace

report::PortedGpu ported(const report::Report& report, const model::Profile& profile) {
  model::Profile there = profile;
  report::PortedGpu gpu{.device = profile.device, .profile = profile.name};
  if (report.devices.empty()) return gpu;
  for (const Device& here : report.devices) there = model::adapted(there, here);
  gpu.device = there.device;
  gpu.other_machine_code = std::ranges::any_of(
      report.devices, [&](const Device& here) { return here.compute_capability != there.device.compute_capability; });
  const Port port(report, there);
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (report::is_kernel(report.results[i])) gpu.kernels.push_back(port.kernel(i));
  }
  std::ranges::stable_sort(gpu.kernels, std::ranges::greater(),
                           [](const PortedKernel& kernel) { return kernel.all_here_s.value_or(0); });
  set_places(gpu.kernels);
  add_sums(gpu, report);
  return gpu;
}

std::optional<std::string> why_not_portable(const report::Report& report) {
  if (!report.program) return "is a report of probes; gpumem show or gpumem expect is for it";
  if (report.results.empty()) return "holds no kernel";
  const auto seen = [](const Record& kernel) { return kernel.predicted_s.has_value(); };
  const auto has_work = [](const Record& kernel) { return kernel.work.has_value(); };
  if (std::ranges::any_of(report.results, has_work)) return std::nullopt;
  if (std::ranges::any_of(report.results, seen)) {
    return "is of a version of gpumem that did not keep the work of kernels; record it again: gpumem run --output "
           "FILE.json -- COMMAND";
  }
  return "has no kernel with a prediction; record the program without --counters: gpumem run --output FILE.json -- "
         "COMMAND";
}

}  // namespace gpumem::program
