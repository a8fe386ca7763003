// The parent's side of a copy that measures.

#include "app/run/worker.hpp"

#include <utility>

#include "app/run/messages.hpp"
#include "report/read/read_report.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::app {

namespace {

using namespace messages;

Json request(const char* what, const MeasureOptions& options) {
  Json json = {{"do", what},
               {"device", options.device},
               {"numa", options.numa.text()},
               {"counting", name_of(countings, options.counting)},
               {"own_profiles", options.predicting.own.string()},
               {"ci_width", options.stopping.ci_width},
               {"time_budget_s", options.stopping.time_budget.count()}};
  if (options.predicting.named) json["gpu"] = *options.predicting.named;
  return json;
}

Json json_of(const Case& tested) {
  return {{"probe", tested.probe->name}, {"parameters", report::json_values::parameters(tested.parameters)}};
}

Json request(const char* what, const MeasureOptions& options, const Case& tested) {
  Json json = request(what, options);
  json.update(json_of(tested));
  return json;
}

/// Names may be no UTF-8, and then mean nothing to the copy either.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Worker::Worker(const MeasureOptions& options, Connect connect) : options_(options), connect_(std::move(connect)) {}

void Worker::send(const std::string& request) {
  early_.reset();
  failure_.reset();
  try {
    if (!connection_) connection_ = connect_();
    // Whatever it was: if CUDA cannot be started, the answer to this request says so.
    if (std::exchange(waking_, false)) static_cast<void>(connection_->receive_line());
    connection_->send_line(request);
  } catch (const Error& error) {
    failure_ = error;
  }
}

void Worker::begin_open() { send(line_of(request("open", options_))); }

void Worker::wake() {
  const Json json = {{"do", "wake"}};
  send(line_of(json));
  waking_ = connection_ != nullptr;
}

void Worker::begin_run(const Case& decided, bool together) {
  Json json = request("run", options_, decided);
  json["together"] = together;
  send(line_of(json));
}

void Worker::begin_count(std::span<const Case> cases, std::span<const report::Record> records) {
  Json json = request("count", options_);
  json["cases"] = Json::array();
  json["records"] = Json::array();
  for (const Case& tested : cases) json["cases"].push_back(json_of(tested));
  for (const report::Record& record : records) json["records"].push_back(report::json_values::record_json(record));
  send(line_of(json));
}

std::optional<Worker::Ready> Worker::ready() {
  if (failure_) return std::nullopt;
  early_ = connection_->receive_line();
  if (!early_) return std::nullopt;  // as finish() will find
  const Json json = Json::parse(*early_, nullptr, false);
  if (!json.is_object() || !json.contains("ready")) return std::nullopt;
  early_.reset();
  Ready ready{.uses_host = json.value("uses_host", false)};
  if (json.contains("numa_node")) ready.numa_node = json.at("numa_node").get<unsigned>();
  return ready;
}

void Worker::go(measure::Seconds time_budget) {
  connection_->send_line(line_of({{"time_budget_s", time_budget.count()}}));
}

Worker::Answer Worker::finish() {
  if (failure_) throw Error(*failure_);
  const std::optional<std::string> line = early_ ? std::exchange(early_, {}) : connection_->receive_line();
  if (!line) {
    const std::string how = connection_->end_in_words();
    connection_.reset();
    if (options_.interrupted()) throw Interrupted{};
    throw probe_error("the process that measures ended without an answer" + (how.empty() ? "" : ": " + how));
  }
  try {
    return answer_of(*line);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    connection_.reset();
    throw probe_error(std::string("the process that measures gave an answer that is none: ") + error.what());
  }
}

Worker::Answer Worker::answer_of(const std::string& line) {
  const Json json = Json::parse(line);
  if (json.contains("interrupted")) {
    if (options_.interrupted()) throw Interrupted{};
    connection_.reset();  // whoever ended it meant this one alone
    throw probe_error("the process that measures was told to end");
  }
  if (json.value("context_lost", false)) connection_.reset();
  if (json.contains("error")) {
    throw Error(of_name(error_kinds, json.value("kind", ""), ErrorKind::probe_failed), json.at("error"));
  }
  Answer answer{.known = report::read_report_line(line), .goodness = json.value("goodness", 0.0), .problem = {}};
  if (json.contains("problem")) answer.problem = json.at("problem");
  if (answer.known.device && json.contains("free_memory_bytes")) {
    answer.known.device->free_memory_bytes = json.at("free_memory_bytes").get<std::uint64_t>();
  }
  return answer;
}

double Worker::trial(const Case& tested) {
  send(line_of(request("trial", options_, tested)));
  return finish().goodness;
}

report::Record Worker::run(const Case& decided) {
  begin_run(decided);
  return finish().known.results.at(0);
}

void Worker::end() {
  if (connection_) connection_->end();
}

}  // namespace gpumem::app
