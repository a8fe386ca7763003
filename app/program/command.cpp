#include "app/program/command.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include "probes/error.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

constexpr std::array passed_on = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
volatile pid_t child = 0;

extern "C" void gpumem_pass_on(int signal, siginfo_t* from, void*) {
  // What the terminal sends goes to the whole group, the command included.
  const bool sent_to_us = from->si_code <= 0;
  if (sent_to_us && child > 0) kill(child, signal);
}

/// While it lives, signals are passed on. What is ignored (by nohup, say) stays ignored, for the command too.
class PassedOn {
 public:
  PassedOn() {
    struct sigaction action {};
    action.sa_sigaction = gpumem_pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    for (std::size_t i = 0; i < passed_on.size(); ++i) {
      sigaction(passed_on[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(passed_on[i], &action, nullptr);
    }
  }
  ~PassedOn() {
    child = 0;
    for (std::size_t i = 0; i < passed_on.size(); ++i) sigaction(passed_on[i], &before_[i], nullptr);
  }
  PassedOn(const PassedOn&) = delete;
  PassedOn& operator=(const PassedOn&) = delete;

 private:
  std::array<struct sigaction, passed_on.size()> before_{};
};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto is_ours = [&](const auto& variable) { return text.starts_with(variable.first + "="); };
    if (std::ranges::none_of(variables, is_ours)) all.push_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

int run_command(const std::vector<std::string>& command,
                const std::vector<std::pair<std::string, std::string>>& variables) {
  const std::vector<std::string> environment = environment_with(variables);
  const PassedOn signals;
  pid_t process = 0;
  const int failed = posix_spawnp(&process, command.front().c_str(), nullptr, nullptr, pointers_to(command).data(),
                                  pointers_to(environment).data());
  if (failed != 0) {
    throw usage_error(fmt::format("cannot run '{}': {}{}", report::one_line(command.front()), std::strerror(failed),
                                  failed == ENOENT ? "; is it on the PATH, or is it ./ something?" : ""));
  }
  child = process;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace gpumem::app
