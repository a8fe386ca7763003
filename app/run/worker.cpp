#include "app/run/worker.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "probes/error.hpp"
#include "report/read/read_report.hpp"
#include "report/write/writers.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace gpumem::app {

namespace {

using Json = nlohmann::ordered_json;

// One line each way. Requests say what to measure, and how:
//   {"do": "run" | "trial", "device": ..., "numa": ..., "ci_width": ..., "time_budget_s": ..., "probe": ...,
//    "parameters": {...}}
// Answers: a record; {"goodness": x}; {"error": text, "missing_capability": true | false}; {"interrupted": true}.

Json request_to_json(const char* what, const MeasureOptions& options, const Case& one) {
  Json parameters = Json::object();
  for (const Parameter& parameter : one.parameters) {
    std::visit([&](const auto& value) { parameters[parameter.name] = value; }, parameter.value);
  }
  return {{"do", what},
          {"device", options.device},
          {"numa", options.numa.text()},
          {"ci_width", options.stopping.ci_width},
          {"time_budget_s", options.stopping.time_budget.count()},
          {"probe", one.probe->name},
          {"parameters", std::move(parameters)}};
}

MeasureOptions options_from_json(const Json& json) {
  MeasureOptions options;
  options.device = json.at("device");
  options.numa = measure::NumaRequest::parse(json.at("numa").get<std::string>());
  options.stopping.ci_width = json.at("ci_width");
  options.stopping.time_budget = measure::Seconds(json.at("time_budget_s").get<double>());
  return options;
}

Case case_from_json(const Json& json) {
  Case one{.probe = find_probe(json.at("probe").get<std::string>())};
  if (one.probe == nullptr) throw std::runtime_error("no such probe");
  for (const auto& [name, value] : json.at("parameters").items()) {
    one.parameters.push_back(
        {name, value.is_string() ? Value(value.get<std::string>()) : Value(value.get<std::uint64_t>())});
  }
  return one;
}

[[noreturn]] void cannot(const char* what, int error) {
  throw probe_error(fmt::format("cannot {} the process that goes on after a fault: {}", what, std::strerror(error)));
}

}  // namespace

/// A running copy of this program, with a socket as its standard input and output.
struct Worker::Process {
  Process() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) cannot("talk to", errno);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string name = "gpumem";
    std::string argument = worker_argument;
    char* const arguments[] = {name.data(), argument.data(), nullptr};
    const int failure = posix_spawn(&id, "/proc/self/exe", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    socket = ends[0];
    if (failure == 0) return;
    close(socket);
    cannot("start", failure);
  }
  ~Process() {
    close(socket);  // the end of its input ends the worker
    waitpid(id, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// False when the worker is gone.
  [[nodiscard]] bool send_line(const std::string& text) const {
    const std::string line = text + '\n';
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t more = send(socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) return false;
      sent += static_cast<std::size_t>(more);
    }
    return true;
  }
  /// Empty when the worker is gone. There is never more than one answer on its way.
  [[nodiscard]] std::string receive_line() const {
    std::string line;
    char part[4096];
    while (!line.ends_with('\n')) {
      const ssize_t more = recv(socket, part, sizeof part, 0);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) return "";
      line.append(part, static_cast<std::size_t>(more));
    }
    return line;
  }

  pid_t id = 0;
  int socket = -1;
};

Worker::Worker(const MeasureOptions& options) : options_(options) {}
Worker::~Worker() = default;

std::string Worker::ask(const char* what, const Case& one) {
  if (!process_) process_ = std::make_unique<Process>();
  std::string answer;
  if (process_->send_line(request_to_json(what, options_, one).dump())) answer = process_->receive_line();
  if (answer.empty()) {
    process_.reset();
    if (options_.interrupted()) throw Interrupted{};
    throw probe_error("the process that goes on after a fault ended without an answer");
  }
  const Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object()) {
    process_.reset();
    throw probe_error("the process that goes on after a fault gave an answer that is none");
  }
  if (json.contains("interrupted")) throw Interrupted{};
  if (json.value("context_lost", false)) process_.reset();
  if (json.contains("error")) {
    const std::string reason = json.at("error");
    throw json.value("missing_capability", false) ? missing_capability_error(reason) : probe_error(reason);
  }
  return answer;
}

double Worker::trial(const Case& one) { return Json::parse(ask("trial", one)).at("goodness").get<double>(); }

report::Record Worker::run(const Case& decided) { return report::read_record_line(ask("run", decided)); }

int serve_parent(std::istream& in, std::ostream& out, const std::function<bool()>& interrupted) {
  std::unique_ptr<Backend> backend;
  for (std::string line; std::getline(in, line);) {
    Json answer;
    try {
      const Json request = Json::parse(line);
      const Case one = case_from_json(request);
      MeasureOptions options = options_from_json(request);
      options.interrupted = interrupted;
      options.links = static_cast<bool>(one.probe->gpus);
      if (!backend) backend = make_cuda_backend(options);
      backend->use_stopping_rule(options.stopping);
      if (request.at("do") == "trial") {
        answer = {{"goodness", backend->trial(one)}};
      } else {
        std::ostringstream record;
        report::write_record_line(record, backend->run(one));
        answer = Json::parse(record.str());
      }
    } catch (const Interrupted&) {
      answer = {{"interrupted", true}};
    } catch (const Error& error) {
      answer = {{"error", error.what()}, {"missing_capability", error.kind() == ErrorKind::missing_capability}};
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    answer["context_lost"] = backend && backend->lost();
    // An error may quote what came in, which may be no UTF-8.
    out << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
    if (answer["context_lost"] == true) break;
  }
  return 0;
}

}  // namespace gpumem::app
