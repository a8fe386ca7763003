// gpumem: how a GPU's memory behaves, measured or predicted.
//
// arguments -> request -> command -> exit code. Errors end here, as one line on stderr.

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/run/environment.hpp"
#include "app/run/interrupts.hpp"
#include "app/run/worker.hpp"
#include "app/suite/suite.hpp"
#include "engine/base/available_memory.hpp"
#include "engine/base/error.hpp"
#include "engine/base/interruption.hpp"
#include "engine/base/unfinished_file.hpp"
#include "engine/model/find_profile.hpp"

namespace {

using namespace gpumem;

extern "C" void gpumem_on_file_limit(int) {}

/// From now on a file that may not grow (ulimit -f) is an error of writing it. Commands that we start know nothing of
/// that, as they would of a signal that is ignored.
void fail_at_file_limit() {
  if (std::signal(SIGXFSZ, gpumem_on_file_limit) == SIG_IGN) std::signal(SIGXFSZ, SIG_IGN);
}

int run(const std::vector<std::string>& command) {
  if (command.size() == 2 && command[1] == app::worker_argument) {
    app::catch_interrupts();
    const app::KeepWhatIsMeasured keep;  // its parent decides what becomes of it
    // The driver takes back at once what would be freed piece by piece.
    app::serve_parent(std::cin, std::cout, stop_requested, [] { std::_Exit(0); });
    return 0;
  }
  const app::Environment environment{.registry = probes(),
                                     .out = std::cout,
                                     .err = std::cerr,
                                     .out_terminal = app::inspect_terminal(1),
                                     .err_terminal = app::inspect_terminal(2),
                                     .interrupted = stop_requested,
                                     .command = command,
                                     .own_profiles = model::own_profiles_folder(),
                                     .settings = app::own_settings};
  const app::KnownNames known{.probes = probes(),
                              .suites = app::suite_names(),
                              .help_width = environment.out_terminal.text_width,
                              .settings = app::own_settings};
  const app::Request request = app::parse_command_line({command.begin() + 1, command.end()}, known);
  if (request.takes_long) app::catch_interrupts();
  return request.run(environment);
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
  app::say(std::cerr, reason);
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  fail_at_file_limit();
  remove_unfinished_file_at_signals();
  try {
    return run(argc > 0 ? std::vector<std::string>(argv, argv + argc) : std::vector<std::string>{"gpumem"});
  } catch (const Error& error) {
    return complain(exit_code_of(error.kind()), error.what());
  } catch (const app::InterruptedAfterWriting&) {
    return complain(130, "interrupted; what was done until then is written");
  } catch (const Interrupted&) {
    return complain(130, "interrupted");
  } catch (const std::bad_alloc&) {
    return complain(4, "out of memory on the host" + process_limit_words());
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().empty() ? "the current folder" : "'" + error.path1().string() + "'";
    return complain(exit_code_of(ErrorKind::usage), "cannot use " + path + ": " + error.code().message());
  } catch (const std::exception& error) {
    return complain(4, error.what());
  }
}
