#include "app/open_backend.hpp"

#include <ostream>

#include "app/text.hpp"
#include "probes/error.hpp"
#include "report/text.hpp"

namespace gpumem::app {

namespace {

constexpr const char* default_gpu = "h200";

void notice(const ProbeArguments& arguments, const Environment& environment, const std::string& text) {
  if (!arguments.quiet) environment.err << "gpumem: note: " << report::one_line(text) << std::endl;
}

/// `why` is what comes before the choice of the GPU, if there is more to say.
std::unique_ptr<Backend> open_model(const ProbeArguments& arguments, const Environment& environment,
                                    const std::string& why = "") {
  if (arguments.counting == measure::Counting::required) {
    throw missing_capability_error(
        "--counters=require: a prediction has no counters; measure on a GPU, or leave it out");
  }
  const std::string gpu = arguments.gpu.value_or(default_gpu);
  auto backend = environment.predict(gpu);
  if (!arguments.gpu) {
    notice(arguments, environment, why + "predicting for " + gpu + "; choose another GPU with --gpu");
  } else if (!why.empty()) {
    notice(arguments, environment, why + "predicting for " + gpu);
  }
  if (arguments.counting == measure::Counting::if_possible)
    notice(arguments, environment, "not counting: nothing is measured");
  return backend;
}

std::unique_ptr<Backend> open_cuda(const ProbeArguments& arguments, const Environment& environment) {
  MeasureOptions options;
  options.stopping.ci_width = arguments.ci_width;
  options.stopping.time_budget = arguments.time_budget;
  if (arguments.device) options.device = *arguments.device;
  options.numa = arguments.numa;
  options.counting = arguments.counting;
  options.interrupted = environment.interrupted;
  return environment.measure(options);
}

/// Whether the machine has no GPU to measure on, rather than not the one asked for.
bool without_gpu(const ProbeArguments& arguments, const Environment& environment) {
  if (!arguments.device) return true;
  try {
    return environment.gpus().empty();
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::unique_ptr<Backend> open_backend(const ProbeArguments& arguments, const std::vector<std::string>& command,
                                      const Environment& environment) {
  if (arguments.backend == BackendChoice::model) return open_model(arguments, environment);
  try {
    return open_cuda(arguments, environment);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_gpu || !without_gpu(arguments, environment)) throw;
    if (arguments.backend == BackendChoice::cuda) {
      throw no_gpu_error(std::string(error.what()) + "; to predict instead run: " + predicting_command(command));
    }
    return open_model(arguments, environment, std::string(error.what()) + "; not measuring but ");
  }
}

std::string predicting_command(const std::vector<std::string>& command) {
  std::string line = command.empty() ? "gpumem" : shell_quoted(command.front());
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& argument = command[i];
    if (argument == "--backend" || argument == "--device") {
      ++i;  // and its value
    } else if (!argument.starts_with("--backend=") && !argument.starts_with("--device=") &&
               !argument.starts_with("--counters")) {
      line.append(" ").append(shell_quoted(argument));
    }
  }
  return line + " --backend model --gpu " + default_gpu;
}

}  // namespace gpumem::app
