#include "app/run/open_backend.hpp"

#include <ostream>

#include "app/run/plan.hpp"
#include "probes/error.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

constexpr const char* default_gpu = "h200";

void notice(const RunOptions& options, const Environment& environment, const std::string& text) {
  if (!options.quiet) environment.err << "gpumem: note: " << report::one_line(text) << std::endl;
}

/// `why` is what comes before the choice of the GPU, if there is more to say.
std::unique_ptr<Backend> open_model(const RunOptions& options, const Environment& environment,
                                    const std::string& why = "") {
  if (options.counting == measure::Counting::required) {
    throw missing_capability_error(
        "--counters=require: a prediction has no counters; measure on a GPU, or leave it out");
  }
  const std::string gpu = options.gpu.value_or(default_gpu);
  auto backend = environment.predict(gpu);
  if (!options.gpu) {
    notice(options, environment, why + "predicting for " + gpu + "; choose another GPU with --gpu");
  } else if (!why.empty()) {
    notice(options, environment, why + "predicting for " + gpu);
  }
  if (options.counting == measure::Counting::if_possible)
    notice(options, environment, "not counting: nothing is measured");
  return backend;
}

std::unique_ptr<Backend> open_cuda(const RunOptions& options, const Environment& environment) {
  MeasureOptions measuring;
  measuring.stopping = stopping_rule(options.effort);
  if (options.device) measuring.device = *options.device;
  measuring.numa = options.numa.value_or(measuring.numa);
  measuring.counting = options.counting.value_or(measuring.counting);
  measuring.interrupted = environment.interrupted;
  return environment.measure(measuring);
}

/// Whether the machine has no GPU to measure on, rather than not the one asked for.
bool without_gpu(const RunOptions& options, const Environment& environment) {
  if (!options.device) return true;
  try {
    return environment.gpus().empty();
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::unique_ptr<Backend> open_backend(const RunOptions& options, const std::vector<std::string>& command,
                                      const Environment& environment) {
  if (options.backend == BackendChoice::model) return open_model(options, environment);
  try {
    return open_cuda(options, environment);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_gpu || !without_gpu(options, environment)) throw;
    if (options.backend == BackendChoice::cuda) {
      throw no_gpu_error(std::string(error.what()) + "; to predict instead run: " + predicting_command(command));
    }
    return open_model(options, environment, std::string(error.what()) + "; not measuring but ");
  }
}

std::string predicting_command(const std::vector<std::string>& command) {
  std::string line = command.empty() ? "gpumem" : report::shell_quoted(command.front());
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& argument = command[i];
    if (argument == "--backend" || argument == "--device") {
      ++i;  // and its value
    } else if (!argument.starts_with("--backend=") && !argument.starts_with("--device=") &&
               !argument.starts_with("--counters")) {
      line.append(" ").append(report::shell_quoted(argument));
    }
  }
  return line + " --backend model --gpu " + default_gpu;
}

}  // namespace gpumem::app
