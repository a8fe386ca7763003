// A running copy of this program, with a socket as its standard input and output.

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/run/connection.hpp"
#include "engine/base/error.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace gpumem::app {

namespace {

/// The time that a copy has to end by itself: to finish a launch, and to give back what it holds.
constexpr std::chrono::seconds patience{5};
constexpr int look_around_ms = 100;

[[noreturn]] void cannot(const char* what, int error) {
  throw probe_error(fmt::format("cannot {} a process to measure in: {}", what, std::strerror(error)));
}

/// This process's environment, in which CUDA shows no GPU but one, if there is one to name.
std::vector<std::string> environment_of(const std::string& only_gpu) {
  constexpr std::string_view shown = "CUDA_VISIBLE_DEVICES=";
  std::vector<std::string> settings;
  for (char** setting = environ; *setting != nullptr; ++setting) {
    if (only_gpu.empty() || !std::string_view(*setting).starts_with(shown)) settings.emplace_back(*setting);
  }
  if (!only_gpu.empty()) settings.push_back(std::string(shown) + only_gpu);
  return settings;
}

class ProgramCopy final : public Connection {
 public:
  ProgramCopy(std::function<bool()> interrupted, const std::string& program, const std::string& only_gpu)
      : interrupted_(std::move(interrupted)) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) cannot("talk to", errno);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string name = "gpumem";
    std::string argument = worker_argument;
    char* const arguments[] = {name.data(), argument.data(), nullptr};
    std::vector<std::string> settings = environment_of(only_gpu);
    std::vector<char*> environment;
    for (std::string& setting : settings) environment.push_back(setting.data());
    environment.push_back(nullptr);
    const int failure = posix_spawn(&id_, program.c_str(), &actions, nullptr, arguments, environment.data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    socket_ = ends[0];
    if (failure == 0) return;
    close(socket_);
    cannot("start", failure);
  }
  ~ProgramCopy() override {
    end();
    static_cast<void>(wait());
  }
  ProgramCopy(const ProgramCopy&) = delete;
  ProgramCopy& operator=(const ProgramCopy&) = delete;

  void send_line(const std::string& text) override {
    const std::string line = text + '\n';
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t more = send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) return;
      sent += static_cast<std::size_t>(more);
    }
  }

  /// There is never more than one line on its way.
  [[nodiscard]] std::optional<std::string> receive_line() override {
    std::string line;
    char part[4096];
    while (!line.ends_with('\n')) {
      wait_for_more();
      const ssize_t more = recv(socket_, part, sizeof part, 0);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) return std::nullopt;
      line.append(part, static_cast<std::size_t>(more));
    }
    line.pop_back();
    return line;
  }

  void end() override {
    if (socket_ < 0) return;
    close(socket_);  // the end of its input, if it waits for some
    socket_ = -1;
    if (!status_) kill(id_, SIGTERM);
  }

  [[nodiscard]] std::string end_in_words() override {
    end();
    const int status = wait();
    if (WIFSIGNALED(status)) {
      return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    return fmt::format("exit code {}", WEXITSTATUS(status));
  }

 private:
  /// An interrupt from the terminal reaches the copy as well; one that was sent to this process does not.
  void wait_for_more() {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    while (poll(&waiting, 1, look_around_ms) <= 0) {
      if (!told_ && interrupted_()) {
        kill(id_, SIGTERM);
        told_ = true;
      }
    }
  }

  /// Waits for the copy's end and returns its status. A copy that does not end in time is killed, as it would hold the
  /// GPU.
  int wait() {
    if (status_) return *status_;
    int status = 0;
    const auto start = std::chrono::steady_clock::now();
    while (waitpid(id_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() - start > patience) {
        kill(id_, SIGKILL);
        waitpid(id_, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    status_ = status;
    return status;
  }

  std::function<bool()> interrupted_;
  bool told_ = false;
  pid_t id_ = 0;
  int socket_ = -1;
  std::optional<int> status_;  ///< once it has ended
};

}  // namespace

std::unique_ptr<Connection> start_copy(std::function<bool()> interrupted, const std::string& program,
                                       const std::string& only_gpu) {
  return std::make_unique<ProgramCopy>(std::move(interrupted), program, only_gpu);
}

}  // namespace gpumem::app
