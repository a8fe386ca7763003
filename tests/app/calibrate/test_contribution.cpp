// A contribution keeps what its reports say of a GPU, and leaves out whose GPU it is.

#include <sstream>

#include "app/calibrate/contribution.hpp"
#include "report/record/fill.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_contribution {

namespace {

report::Record measured(const char* probe, std::vector<Parameter> parameters) {
  report::Record record = report::record_of(Case{find_probe(probe), std::move(parameters)});
  record.time = report::TimeRecord{};
  record.time->samples = {measure::Seconds(1)};
  record.headline.samples = {1};
  return record;
}

/// A report of a user who calls everything "secret".
report::Report secret() {
  report::Report report;
  report.tool.version = "0.1.0";
  report.command = {"/home/secret/gpumem", "probe", "--indices", "/home/secret/graph.npy"};
  report.started_at = "2026-01-31T12:00:00Z";
  report.backend = "cuda";
  report.profile = "secret's H200";
  report.profile_source = "own";
  report.host = {.name = "secret", .os = "Linux", .cpu = "a processor", .memory_bytes = 1};
  report.device = Device{};
  report.device->name = "NVIDIA H200";
  report.device->uuid = "GPU-secret";
  report.devices = {*report.device, *report.device};
  report.suite = "secret";
  report.program = report::ProgramRecord{};
  report.program->command = {"secret"};
  report.findings = {"secret"};
  report.results = {measured("offset", {{"offset_elements", std::uint64_t{1}}, {"op", "read"}}),
                    measured("pattern", {{"pattern", "i/4096"}}), measured("indices", {{"indices", "secret.npy"}}),
                    measured("indices", {{"indices", "UNIFORM:8:4"}}), measured("offset", {})};
  report.results.back().status = report::Status::failed;
  report.results.back().reason = "secret";
  report.results.push_back(report.results.front());
  report.results.back().probe = "kernel";
  report.results.back().parameters = {{"kernel", "secret"}};
  return report;
}

std::string text_of(const report::Report& report) {
  std::ostringstream text;
  report::write_json(text, report);
  return text.str();
}

}  // namespace

TEST_CASE("a contributed report says nothing of whose GPU it was", "[contribution]") {
  CHECK(text_of(secret()).find("secret") != std::string::npos);
  const report::Report shared = without_origin(secret(), probes());
  CHECK(text_of(shared).find("secret") == std::string::npos);
  CHECK(shared.command == std::vector<std::string>{"gpumem", "probe"});
  CHECK(shared.tool.version == "0.1.0");
  CHECK(shared.started_at == "2026-01-31T12:00:00Z");
  CHECK(shared.host.cpu == "a processor");
  CHECK(shared.device->name == "NVIDIA H200");
  REQUIRE(shared.results.size() == 3);
  CHECK(shared.results[0].parameters == secret().results[0].parameters);
  CHECK(shared.results[1].parameters == secret().results[1].parameters);
  CHECK(shared.results[2].parameters == secret().results[3].parameters);
  CHECK(shared.results[0].time->samples.empty());
  CHECK(shared.results[0].headline.samples.empty());
}

TEST_CASE("a contribution is read again", "[contribution]") {
  const report::Report report = without_origin(secret(), probes());
  const ProfileCheck check{.name = "ranges", .passed = false, .said = "too \"fast\""};
  const std::string text = contribution_json("{\"name\": \"mine\"}", report, report, {&check, 1});
  const JsonText json(text, "contribution.json");
  CHECK(is_contribution(json.root()));
  CHECK(json.root().member("profile").member("name").text() == "mine");
  const JsonReader checked = json.root().member("checks").items().at(0);
  CHECK(checked.member("name").text() == "ranges");
  CHECK_FALSE(checked.member("passed").boolean());
  CHECK(checked.member("said").text() == "too \"fast\"");
  CHECK(text_of(read_contribution(json.root()).held_out) == text_of(report));
  const JsonText plain(text_of(report), "report.json");
  CHECK_FALSE(is_contribution(plain.root()));
}

}  // namespace gpumem::app::test_contribution
