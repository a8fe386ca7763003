// A program's kernels on other GPUs, for programs: as JSON and as CSV. Absent is null, or an empty field.

#include <ostream>

#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/write/csv_row.hpp"
#include "report/write/json_values.hpp"
#include "report/write/ported/ported.hpp"

namespace gpumem::report {

namespace {

using json_values::Json;
using json_values::known;
using json_values::number;
using json_values::optional;

Json own_parameter(const Record& record, const char* name) {
  const Parameter* parameter = find_parameter(record, name);
  return parameter == nullptr ? Json(nullptr) : json_values::parameter(parameter->value);
}

Json ported_seconds(const std::optional<PortedTime>& time) {
  if (!time) return {{"seconds", nullptr}, {"low", nullptr}, {"high", nullptr}};
  return {{"seconds", number(time->seconds)}, {"low", number(time->low)}, {"high", number(time->high)}};
}

Json launches_of(const Record& record) {
  const auto launches = finite_value(record, launches_name);
  return launches ? Json(static_cast<std::uint64_t>(*launches)) : Json(nullptr);
}

Json to_json(const PortedKernel& kernel, const Record& record) {
  return {{"result", kernel.result},
          {"kernel", own_parameter(record, kernel_parameter)},
          {"grid", own_parameter(record, grid_parameter)},
          {"block_threads", own_parameter(record, block_threads_parameter)},
          {"device", own_parameter(record, device_parameter)},
          {"launches", launches_of(record)},
          {"here", {{"seconds", number(kernel.all_here_s)}}},
          {"there", ported_seconds(kernel.all_there())},
          {"launch",
           {{"here_seconds", number(kernel.here_s)},
            {"there_seconds", number(kernel.there ? std::optional(kernel.there->seconds) : std::nullopt)},
            {"predicted_here_seconds", number(record.predicted_s)},
            {"predicted_there_seconds", number(kernel.predicted_s)}}},
          {"limit_here", known(kernel.limit_here)},
          {"limit_there", known(kernel.limit_there)},
          {"place_here", optional(kernel.place_here)},
          {"place_there", optional(kernel.place_there)},
          {"no_time", known(kernel.no_time)},
          {"notes", kernel.notes}};
}

Json gpu_json(const PortedGpu& gpu) {
  const bool any = gpu.there.seconds > 0;
  return {{"gpu", gpu.device.name},
          {"profile", gpu.profile},
          {"compute_capability", gpu.device.compute_capability},
          {"other_machine_code", gpu.other_machine_code},
          {"here", {{"seconds", number(any ? std::optional(gpu.here_s) : std::nullopt)}}},
          {"there", ported_seconds(any ? std::optional(gpu.there) : std::nullopt)},
          {"gpu_time_share", number(gpu.time_share)}};
}

}  // namespace

void write_ported_json(std::ostream& out, const Ported& ported, const Report& report) {
  Json gpus = Json::array();
  for (const PortedGpu& gpu : ported.gpus) {
    Json kernels = Json::array();
    for (const PortedKernel& kernel : gpu.kernels) kernels.push_back(to_json(kernel, report.results[kernel.result]));
    Json json = gpu_json(gpu);
    json["kernels"] = std::move(kernels);
    gpus.push_back(std::move(json));
  }
  const Json document = {
      {"schema_version", 1},
      {"report", ported.name},
      {"gpu", report.device ? Json(report.device->name) : Json(nullptr)},
      {"gpus", std::move(gpus)},
  };
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void write_ported_csv(std::ostream& out, const Ported& ported, const Report& report) {
  std::vector<CsvPath> paths;
  add_paths(paths, {}, {"gpu", "profile", "result", "kernel", "grid", "block_threads", "device", "launches"});
  add_paths(paths, {"here"}, {"seconds"});
  add_paths(paths, {"there"}, {"seconds", "low", "high"});
  add_paths(paths, {"launch"}, {"here_seconds", "there_seconds", "predicted_here_seconds", "predicted_there_seconds"});
  add_paths(paths, {}, {"limit_here", "limit_there", "place_here", "place_there", "no_time", "notes"});
  out << csv_names(paths) << '\n';
  for (const PortedGpu& gpu : ported.gpus) {
    for (const PortedKernel& kernel : gpu.kernels) {
      Json row = {{"gpu", gpu.device.name}, {"profile", gpu.profile}};
      row.update(to_json(kernel, report.results[kernel.result]));
      out << csv_fields(row, paths) << '\n';
    }
  }
}

}  // namespace gpumem::report
