#pragma once
// What the commands use of the world around them. Tests put their own in its place.

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/output/terminal.hpp"
#include "app/run/backend.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

struct Environment {
  const std::vector<Probe>& registry;
  std::ostream& out;  ///< results only
  std::ostream& err;  ///< everything else
  Terminal out_terminal = {};
  Terminal err_terminal = {};
  std::function<std::unique_ptr<Backend>(const MeasureOptions&)> measure = make_cuda_backend;
  std::function<std::unique_ptr<Backend>(const std::string& gpu)> predict = make_model_backend;
  std::function<std::vector<Device>()> gpus = list_gpus;
  std::function<bool()> interrupted = [] { return false; };
  std::istream& in = std::cin;  ///< a report, where a command is given "-" for its file
};

/// Writes text that is a result. Throws a usage error with the reason when it does not arrive (a full disk).
void write_result(std::ostream& out, const std::string& text);

}  // namespace gpumem::app
