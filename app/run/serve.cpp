// The copy's side of measuring for a parent process.

#include <algorithm>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/run/messages.hpp"
#include "app/run/run.hpp"
#include "app/run/worker.hpp"
#include "engine/base/error.hpp"
#include "report/read/read_report.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::app {

namespace {

using namespace messages;

MeasureOptions options_of(const Json& json) {
  MeasureOptions options;
  options.device = json.at("device");
  options.numa = measure::NumaRequest::parse(json.at("numa").get<std::string>());
  options.counting = of_name(countings, json.value("counting", ""), measure::Counting::off);
  if (json.contains("gpu")) options.predicting.named = json.at("gpu").get<std::string>();
  options.predicting.own = json.value("own_profiles", "");
  options.stopping.ci_width = json.at("ci_width");
  options.stopping.time_budget = measure::Seconds(json.at("time_budget_s").get<double>());
  return options;
}

const Probe& probe_of(const Json& json) {
  const Probe* probe = find_probe(json.at("probe").get<std::string>());
  if (probe == nullptr) throw std::runtime_error("no such probe");
  return *probe;
}

/// Returns the case of {"probe": ..., "parameters": {...}}.
Case case_of(const Json& json) {
  Case tested{.probe = &probe_of(json)};
  for (const auto& [name, value] : json.at("parameters").items()) {
    tested.parameters.push_back(
        {name, value.is_string() ? Value(value.get<std::string>()) : Value(value.get<std::uint64_t>())});
  }
  return tested;
}

/// Returns a report of what is known of the GPU by now, without results.
report::Report known_of(const Backend& backend) {
  report::Report known;
  describe_backend(known, backend);
  known.devices = {backend.device()};
  return known;
}

class Server {
 public:
  Server(Connection& parent, std::function<bool()> interrupted,
         std::function<std::unique_ptr<Backend>(const MeasureOptions&)> open)
      : parent_(parent), interrupted_(std::move(interrupted)), open_(std::move(open)) {}

  /// Answers requests until no more come in, or nothing more can be measured.
  void serve() {
    while (const auto line = parent_.receive_line()) {
      if (!answer(*line)) return;
    }
  }

 private:
  bool answer(const std::string& line) {
    Json answer;
    try {
      answer = answer_to(Json::parse(line));
    } catch (const Interrupted&) {
      answer = {{"interrupted", true}};
    } catch (const Error& error) {
      answer = {{"error", error.what()}, {"kind", name_of(error_kinds, error.kind())}};
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}, {"kind", name_of(error_kinds, ErrorKind::probe_failed)}};
    }
    const bool lost = backend_ && backend_->lost();
    answer["context_lost"] = lost;
    // An error may quote what came in, which may be no UTF-8.
    parent_.send_line(answer.dump(-1, ' ', false, Json::error_handler_t::replace));
    return !lost;
  }

  Json answer_to(const Json& request) {
    const std::string what = request.at("do");
    if (what == "wake") {
      static_cast<void>(list_gpus());
      return Json::object();
    }
    MeasureOptions options = options_of(request);
    std::vector<Case> cases;
    if (what == "count") {
      for (const Json& tested : request.at("cases")) cases.push_back(case_of(tested));
    } else if (what != "open") {
      cases.push_back(case_of(request));
    }
    together_ = request.value("together", false);
    options.interrupted = interrupted_;
    options.links = std::ranges::any_of(cases, [](const Case& tested) { return bool{tested.probe->gpus}; });
    options.before_timing = [this](const Workload& workload) { wait_for_the_others(uses_host(workload)); };
    if (!backend_) backend_ = open_(options);
    stopping_ = options.stopping;
    backend_->use_stopping_rule(stopping_);

    Json beside = Json::object();
    std::vector<report::Record> records;
    if (what == "trial") {
      beside["goodness"] = backend_->trial(cases.front());
    } else if (what == "run") {
      records.push_back(backend_->run(cases.front()));
    } else if (what == "count") {
      for (const Json& record : request.at("records")) records.push_back(report::read_record_line(record.dump()));
      if (const auto problem = backend_->count(cases, records)) beside["problem"] = *problem;
    }
    return with_what_is_known(std::move(records), beside);
  }

  [[nodiscard]] Json with_what_is_known(std::vector<report::Record> records, const Json& beside) const {
    report::Report known = known_of(*backend_);
    known.results = std::move(records);
    Json answer = report::json_values::report_json(known);
    answer.update(beside);
    if (const auto bytes = known.device->free_memory_bytes) answer["free_memory_bytes"] = *bytes;
    return answer;
  }

  void wait_for_the_others(bool uses_host) {
    if (!together_) return;
    Json ready = {{"ready", true}, {"uses_host", uses_host}};
    const auto placement = backend_->host_placement();
    if (placement && placement->numa_node) ready["numa_node"] = *placement->numa_node;
    parent_.send_line(ready.dump());
    const auto go = parent_.receive_line();
    if (!go) throw Interrupted{};
    stopping_.time_budget = measure::Seconds(Json::parse(*go).at("time_budget_s").get<double>());
    backend_->use_stopping_rule(stopping_);
  }

  Connection& parent_;
  std::function<bool()> interrupted_;
  std::function<std::unique_ptr<Backend>(const MeasureOptions&)> open_;
  std::unique_ptr<Backend> backend_;
  measure::StoppingRule stopping_;
  bool together_ = false;  ///< the case that runs waits for those on other GPUs
};

class Streams final : public Connection {
 public:
  Streams(std::istream& in, std::ostream& out) : in_(in), out_(out) {}
  void send_line(const std::string& text) override { out_ << text << std::endl; }
  [[nodiscard]] std::optional<std::string> receive_line() override {
    std::string line;
    return std::getline(in_, line) ? std::optional(std::move(line)) : std::nullopt;
  }

 private:
  std::istream& in_;
  std::ostream& out_;
};

}  // namespace

void serve(Connection& parent, const std::function<bool()>& interrupted,
           const std::function<std::unique_ptr<Backend>(const MeasureOptions&)>& open) {
  Server(parent, interrupted, open).serve();
}

void serve_parent(std::istream& in, std::ostream& out, const std::function<bool()>& interrupted,
                  const std::function<void()>& at_the_end) {
  Streams parent(in, out);
  Server server(parent, interrupted, make_cuda_backend);
  server.serve();
  at_the_end();
}

}  // namespace gpumem::app
