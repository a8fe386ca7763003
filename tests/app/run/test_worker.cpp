// The side of the worker that a process's parent talks to: an answer a line, whatever comes in.

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "app/run/worker.hpp"
#include "engine/base/error.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_worker {

namespace {

using Json = nlohmann::ordered_json;

/// A small case, with other settings where a test says so.
std::string request(const std::string& what, const Json& settings = Json::object()) {
  Json json = {{"do", what},
               {"device", "0"},
               {"numa", "off"},
               {"ci_width", 0.05},
               {"time_budget_s", 0.05},
               {"probe", "offset"},
               {"parameters",
                {{"offset_elements", 0},
                 {"op", "read"},
                 {"word_bytes", 4},
                 {"elements_per_thread", 1},
                 {"block_threads", 256},
                 {"buffer_bytes", 1 << 20}}}};
  json.update(settings);
  return json.dump();
}

/// Returns the worker's answers, which are one JSON object a line.
std::vector<Json> answers_to(const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  serve_parent(in, out, [] { return false; });
  CHECK((out.str().empty() || out.str().ends_with('\n')));
  std::vector<Json> answers;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) {
    answers.push_back(Json::parse(line));
    CHECK(answers.back().is_object());
  }
  return answers;
}

bool is_error(const Json& answer) {
  return answer.contains("error") && answer.at("error").is_string() && !answer.at("error").get<std::string>().empty();
}

bool gpu_here() {
  try {
    return !list_gpus().empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("a worker without input ends at once", "[worker]") { CHECK(answers_to("").empty()); }

TEST_CASE("every request without a GPU is answered by the error that says so", "[worker]") {
  if (gpu_here()) return;
  const auto answers = answers_to(request("run") + "\n" + request("trial") + "\n");
  REQUIRE(answers.size() == 2);
  for (const Json& answer : answers) {
    CHECK(is_error(answer));
    CHECK(answer.at("error") == answers[0].at("error"));
    CHECK(answer.at("context_lost") == false);  // there was none
    CHECK(answer.at("kind") == "no_gpu");
  }
}

TEST_CASE("a request that is none is an error, and the next is still answered", "[worker]") {
  const std::vector<std::string> garbage = {request("run", {{"device", 0}}),
                                            request("run", {{"device", nullptr}}),
                                            request("run", {{"numa", "far"}}),
                                            request("run", {{"numa", nullptr}}),
                                            request("run", {{"ci_width", "x"}}),
                                            "",
                                            "hello",
                                            "{",
                                            "[]",
                                            "null",
                                            "{}",
                                            R"({"do": "run"})",
                                            R"({"do": "run", "probe": "offset"})",
                                            R"({"do": "run", "probe": "no such", "parameters": {}})",
                                            R"({"do": "run", "probe": 7, "parameters": {}})",
                                            R"({"do": "run", "probe": "offset", "parameters": {}})",
                                            R"({"do": "run", "ci_width": "x", "probe": "offset", "parameters": {}})",
                                            R"({"do": "run", "probe": "offset", "parameters": {"op": [1]}})",
                                            R"({"do": "run", "probe": "offset", "parameters": {"op": null}})",
                                            "\xff\xfe\xfd",
                                            std::string("a\0b", 3),
                                            std::string(100'000, '[')};
  std::string input;
  for (const std::string& line : garbage) input += line + "\n";
  const auto answers = answers_to(input);
  REQUIRE(answers.size() == garbage.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    INFO(garbage[i].substr(0, 80));
    CHECK(is_error(answers[i]));
    CHECK(answers[i].at("context_lost") == false);
  }
}

TEST_CASE("a device that is not there is an error", "[worker]") {
  const auto answers = answers_to(request("run", {{"device", "GPU-none"}}) + "\n");
  REQUIRE(answers.size() == 1);
  CHECK(is_error(answers[0]));
}

}  // namespace gpumem::app::test_worker
