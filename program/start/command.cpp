#include "program/start/command.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/base/error.hpp"
#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

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

/// Returns 0, or why it could not be started.
int start(pid_t& process, const std::vector<std::string>& command, const std::vector<std::string>& environment,
          const sigset_t& blocked) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  const int failure = posix_spawnp(&process, command.front().c_str(), nullptr, &attributes, pointers_to(command).data(),
                                   pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  return failure;
}

/// A script without #! in its first line is started as shells start it: by a shell.
std::vector<std::string> by_shell(const std::vector<std::string>& command) {
  std::vector<std::string> words = {"/bin/sh", "-c", "exec \"$0\" \"$@\""};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::string cure(const std::string& name, int failure) {
  std::error_code ignored;
  if (failure == EACCES && std::filesystem::is_directory(name, ignored)) return "; it is a folder";
  if (failure == EACCES) return "; if it is a program, make it executable: chmod +x";
  if (failure != ENOENT) return "";
  if (std::filesystem::exists(name, ignored)) {
    return name.find('/') == std::string::npos ? "; the one in this folder is ./" + name
                                               : "; it is there, but what it names to run it (behind #!) is not";
  }
  return name.find('/') == std::string::npos ? "; there is none of that name on the PATH" : "";
}

}  // namespace

int run_command(const std::vector<std::string>& command,
                const std::vector<std::pair<std::string, std::string>>& variables, Signals& signals) {
  const std::vector<std::string> environment = environment_with(variables);
  pid_t process = 0;
  signals.begin([&] {
    int failure = start(process, command, environment, signals.blocked_before());
    if (failure == ENOEXEC) failure = start(process, by_shell(command), environment, signals.blocked_before());
    if (failure != 0) {
      const std::string name = report::one_line(command.front());
      throw usage_error(fmt::format("cannot run '{}': {}{}", name, std::strerror(failure), cure(name, failure)));
    }
    return process;
  });
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  int status = 0;
  signals.end([&] { waitpid(process, &status, 0); });
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace gpumem::program
