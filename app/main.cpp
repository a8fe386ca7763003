// gpumem: how a GPU's memory behaves, measured or predicted.
//
// arguments -> request -> command -> exit code. Errors end here, as one line on stderr.

#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/commands/calibrate.hpp"
#include "app/commands/check.hpp"
#include "app/commands/compare.hpp"
#include "app/commands/devices.hpp"
#include "app/commands/explain.hpp"
#include "app/commands/list.hpp"
#include "app/commands/probe.hpp"
#include "app/commands/show.hpp"
#include "app/run/environment.hpp"
#include "app/run/interrupt.hpp"
#include "app/run/worker.hpp"
#include "app/suite/suite.hpp"
#include "probes/error.hpp"
#include "report/text/text.hpp"

namespace {

using namespace gpumem;

int run(const std::vector<std::string>& command) {
  if (command.size() == 2 && command[1] == app::worker_argument) {
    app::catch_interrupts();
    return app::serve_parent(std::cin, std::cout, app::interrupted);
  }
  const app::Environment environment{.registry = probes(),
                                     .out = std::cout,
                                     .err = std::cerr,
                                     .out_terminal = app::inspect_terminal(1),
                                     .err_terminal = app::inspect_terminal(2),
                                     .interrupted = app::interrupted};
  const app::Request request =
      app::parse_command_line({command.begin() + 1, command.end()}, {probes(), app::suite_names()});

  if (const auto* probe = std::get_if<app::ProbeArguments>(&request)) {
    app::catch_interrupts();
    return app::run_probe_command(*probe, command, environment);
  }
  if (const auto* check = std::get_if<app::CheckArguments>(&request)) {
    app::catch_interrupts();
    return app::run_check_command(*check, command, environment);
  }
  if (const auto* list = std::get_if<app::ListArguments>(&request)) return app::run_list_command(*list, environment);
  if (const auto* devices = std::get_if<app::DevicesArguments>(&request)) {
    return app::run_devices_command(*devices, environment);
  }
  if (const auto* explain = std::get_if<app::ExplainArguments>(&request)) {
    return app::run_explain_command(*explain, environment);
  }
  if (const auto* compare = std::get_if<app::CompareArguments>(&request)) {
    return app::run_compare_command(*compare, environment);
  }
  if (const auto* show = std::get_if<app::ShowArguments>(&request)) return app::run_show_command(*show, environment);
  if (const auto* calibrate = std::get_if<app::CalibrateArguments>(&request)) {
    app::catch_interrupts();
    return app::run_calibrate_command(*calibrate, environment);
  }
  app::write_result(std::cout, std::get<app::TextRequest>(request).text);
  return 0;
}

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::no_gpu:
    case ErrorKind::missing_capability:
      return 3;
    case ErrorKind::probe_failed:
      break;
  }
  return 4;
}

int complain(int exit_code, const std::string& reason) {
  std::cerr << "gpumem: " << report::one_line(reason) << std::endl;  // whatever the arguments it quotes hold
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 0 ? std::vector<std::string>(argv, argv + argc) : std::vector<std::string>{"gpumem"});
  } catch (const Error& error) {
    return complain(exit_code_of(error.kind()), error.what());
  } catch (const Interrupted&) {
    return complain(130, "interrupted; the report holds the cases that were done");
  } catch (const std::bad_alloc&) {
    return complain(4, "out of memory on the host");
  } catch (const std::exception& error) {
    return complain(4, error.what());
  }
}
