// Reports through JSON and back, reports of earlier versions, and what is no report at all.

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "engine/base/error.hpp"
#include "engine/model/profile.hpp"
#include "report/read/read_report.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/report/examples.hpp"
#include "tests/report/golden.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::report::test_read_report {

namespace {

using Pointer = nlohmann::ordered_json::json_pointer;
using AnyJson = nlohmann::ordered_json;

std::string json_of(const Report& report) {
  std::ostringstream out;
  write_json(out, report);
  return out.str();
}

class Refusals : public Sentences {
 public:
  Refusals() : Sentences("refused_reports.txt") {}
};

/// The complaint about a text, empty if it is a report. Anything but a usage error of one line fails the test.
std::string complaint(const std::string& text) {
  try {
    static_cast<void>(read_report(text, "r.json"));
  } catch (const Error& error) {
    const std::string line = error.what();
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(line.starts_with("r.json: "));
    CHECK(line.find('\n') == std::string::npos);
    return line;
  }
  return {};
}

/// Returns the words that a complaint about text that is no JSON begins with, up to the line.
std::string no_json() {
  const std::string said = complaint("{");
  REQUIRE(said.find('1') != std::string::npos);
  return said.substr(0, said.find('1'));
}

AnyJson small_report() {
  Report report = examples::overlap();
  report.results.resize(2);
  report.results[0].stages = {{"kernel", 6e-3, {}}, {"pcie", 5e-3, 5.1e-3}};
  report.results[0].time->samples.resize(2);
  report.results[0].timeline.resize(1);
  report.results[0].counters.emplace();
  report.results[0].access.push_back(examples::global_site("source", "load", 4));
  report.findings = {"short"};
  report.results.resize(1);
  report.conclusions = {{.probe = "overlap", .cases = {0}, .advice = "Use it.", .quantities = {{"speedup", 1.5, {}}}}};
  report.suite = "mine";
  report.watched = {"throttled"};
  CheckRecord& check = report.checks.emplace_back();
  check.name = "it ran";
  check.quantity = "time_seconds";
  check.measured = 1;
  check.cases = {0};
  return AnyJson::parse(json_of(report));
}

std::string changed(const char* pointer, const AnyJson& value) {
  AnyJson json = small_report();
  json[Pointer(pointer)] = value;
  return complaint(json.dump());
}

std::string without(const char* parent, const char* member) {
  AnyJson json = small_report();
  REQUIRE(json.at(Pointer(parent)).erase(member) == 1);
  return complaint(json.dump());
}

}  // namespace

TEST_CASE("links between GPUs survive the way through JSON", "[read_report]") {
  Report report = examples::model();
  report.devices = model::load_profile("h200x8").gpus;
  PeerLink& worst = report.devices[2].links[5];
  worst = {.path = PeerLink::Path::system, .nvlinks_down = 18, .access = false, .no_access = "disabled"};
  report.devices[2].links[6] = {};
  const std::string json = json_of(report);
  const Report back = read_report(json, "r.json");
  CHECK(json_of(back) == json);
  REQUIRE(back.devices.size() == 8);
  CHECK(back.devices[2].links[2].path == PeerLink::Path::itself);
  const PeerLink& good = back.devices[7].links[0];
  CHECK(good.nvlinks == 18);
  CHECK(good.nvswitch);
  CHECK(good.theoretical_bytes_per_s() == 450e9);
  CHECK(good.access == true);
  const PeerLink& bad = back.devices[2].links[5];
  CHECK(bad.path == PeerLink::Path::system);
  CHECK(bad.nvlinks_down == 18);
  CHECK(bad.access == false);
  CHECK(bad.no_access == "disabled");

  const AnyJson links = AnyJson::parse(json)["devices"][2]["links"];
  CHECK(links.size() == 7);
  AnyJson expected = AnyJson::parse(R"({"gpu": 0, "path": "nvlink", "nvlinks": 18, "nvlinks_down": 0,
      "nvlink_version": 4, "nvswitch": true, "bytes_per_nvlink_s": 25e9, "pcie_bytes_per_s": null,
      "theoretical_gb_per_s": 450.0, "peer_access": true, "no_access": null})");
  expected["pcie_bytes_per_s"] = report.devices[2].link_bytes_per_s().value();
  CHECK(links[0] == expected);
  // An unknown value is null, never 0.
  CHECK(links[5] == AnyJson::parse(R"({"gpu": 6, "path": "unknown", "nvlinks": null, "nvlinks_down": null,
      "nvlink_version": null, "nvswitch": false, "bytes_per_nvlink_s": null, "pcie_bytes_per_s": null,
      "theoretical_gb_per_s": null, "peer_access": null, "no_access": null})"));
  CHECK_FALSE(AnyJson::parse(json)["device"].contains("links"));
}

TEST_CASE_METHOD(Refusals, "links that lead nowhere, twice somewhere or by an unknown path", "[read_report]") {
  const auto with = [](const std::function<void(AnyJson&)>& change) {
    Report report = examples::model();
    report.devices = model::load_profile("h200x8").gpus;
    AnyJson json = AnyJson::parse(json_of(report));
    change(json["devices"][0]["links"]);
    return json.dump();
  };
  const std::string refused = "r.json: /devices/0/links: expected one link to each other GPU";
  CHECK(complaint(with([](AnyJson& links) { links[0]["gpu"] = 8; })) == refused);
  CHECK(complaint(with([](AnyJson& links) { links[0]["gpu"] = 2; })) == refused);
  CHECK(place(complaint(with([](AnyJson& links) { links[0].erase("path"); }))) == "/devices/0/links/0/path");
  for (const char* path : {"photons", "itself"}) {
    const Report report = read_report(with([&](AnyJson& links) { links[0]["path"] = path; }), "r.json");
    CHECK(report.devices[0].links[1].path == PeerLink::Path::unknown);
  }
}

TEST_CASE("every example survives the way through JSON", "[read_report]") {
  Report empty;
  empty.backend = "cuda";
  for (const Report& report : {examples::measured_copy(), examples::model(), examples::banks(), examples::dry_run(),
                               examples::single_cases(), examples::transfers(), examples::overlap(),
                               examples::predicted_overlap(), examples::node(), examples::all_gpus(), empty}) {
    const std::string json = json_of(report);
    CHECK(json_of(read_report(json, "r.json")) == json);
  }
}

TEST_CASE("columns are in the order of the records", "[read_report]") {
  Report report = examples::model();
  report.results.front().parameters.push_back({"zeta", std::uint64_t{1}});
  const Report read = read_report(json_of(report), "r.json");
  CHECK(read.parameter_columns == std::vector<std::string>{"stride_elements", "op", "word_bytes", "elements_per_thread",
                                                           "block_threads", "buffer_bytes", "zeta"});
  CHECK(read_report(json_of(examples::banks()), "r.json").metric_columns ==
        std::vector<std::string>{"gb_per_s_per_multiprocessor"});
}

TEST_CASE("a link that is not PCIe stays one", "[read_report]") {
  Report report = examples::transfers();
  CHECK(read_report(json_of(report), "r.json").device->link_is_pcie);
  report.device->link_is_pcie = false;
  const Report read = read_report(json_of(report), "r.json");
  CHECK_FALSE(read.device->link_is_pcie);
  CHECK_FALSE(read.device->link_bytes_per_s());
}

TEST_CASE("the reference reports of every version are read", "[read_report]") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_folder() / "configs/reference")) {
    // Larger ones have more cases, not other members, and take seven eighths of the time.
    if (entry.path().extension() != ".json" || entry.file_size() > 200'000) continue;
    INFO(entry.path());
    const std::string text = test::content_of(entry.path());
    const Report report = read_report(text, entry.path());
    CHECK(report.results.size() == AnyJson::parse(text).at("results").size());
    // Reports of the corpus's programs are committed without samples, and contributions have none.
    const bool contributed = entry.path().filename().string().starts_with("calibration");
    if (!report.program && !contributed) CHECK(report.results.front().time->samples.size() > 5);
    ++count;
  }
  CHECK(count > 40);
}

TEST_CASE("members that came later may be missing", "[read_report]") {
  AnyJson json = small_report();
  for (const char* member : {"compared", "baseline", "stages", "why", "timeline"}) json["results"][0].erase(member);
  for (const char* member : {"profile", "host_placement", "findings", "suite", "watched_flags", "checks"}) {
    json.erase(member);
  }
  for (const char* member : {"copy_engines", "integrated", "maps_host_memory", "numa_node"}) {
    json["device"].erase(member);
  }
  json["device"]["pcie"].erase("theoretical_gb_per_s");
  json["results"][0]["counters"] = {{"dram_read_bytes", 5}};
  const Report report = read_report(json.dump(), "r.json");
  CHECK(report.results[0].timeline.empty());
  CHECK(report.results[0].counters->dram_read_bytes == 5);
  CHECK_FALSE(report.results[0].counters->l2_read_sectors);
  CHECK(report.device->maps_host_memory);
  CHECK(report.device->link_is_pcie);
  CHECK_FALSE(report.suite);
  CHECK_FALSE(report.watched);  // which is not the same as nothing
  CHECK(report.checks.empty());
  json["new"] = {{"in", "a later version"}};
  CHECK(complaint(json.dump()).empty());
}

TEST_CASE("a report needs nothing but what the schema requires", "[read_report]") {
  AnyJson json = small_report();
  const AnyJson schema = AnyJson::parse(test::content_of(test::source_folder() / "report/schema/report.schema.json"));
  const auto keep_required = [](AnyJson& object, const AnyJson& required) {
    AnyJson kept = AnyJson::object();
    for (const AnyJson& name : required) kept[name.get<std::string>()] = object.at(name.get<std::string>());
    object = kept;
  };
  keep_required(json, schema.at("required"));
  keep_required(json["results"][0], schema.at("$defs").at("result").at("required"));
  keep_required(json["device"], schema.at("$defs").at("device").at("required"));
  REQUIRE_FALSE(json["results"][0].contains("swept"));
  CHECK(complaint(json.dump()).empty());
  const Record record = read_report(json.dump(), "r.json").results.at(0);
  CHECK(record.swept == record.parameters.front().name);
  CHECK(record.chosen.empty());
  CHECK_FALSE(record.headline.peak);
}

TEST_CASE("a report cut short anywhere is refused", "[read_report]") {
  const std::string text = small_report().dump(1);
  REQUIRE(complaint(text).empty());
  const std::string cut_short = no_json();
  for (std::size_t length = 0; length < text.size(); length += length < text.size() - 100 ? 7 : 1) {
    CHECK(complaint(text.substr(0, length)).starts_with(cut_short));
  }
}

TEST_CASE_METHOD(Refusals, "what is no report says where", "[read_report]") {
  tell(complaint("{"));
  CHECK(complaint("").starts_with(no_json() + "1, column 1"));
  CHECK(complaint("hello").starts_with(no_json() + "1"));
  CHECK(place(complaint("[]")) == "/");
  CHECK(place(complaint("3")) == "/");
  CHECK(place(complaint("null")) == "/");
  CHECK(place(complaint("{}")) == "/schema_version");
  CHECK(complaint("{}{}").starts_with(no_json()));
  CHECK(complaint("{\"schema_version\": NaN}").starts_with(no_json() + "1, column 20"));
  CHECK(complaint("\xff").starts_with(no_json()));
  CHECK(complaint("\xff\xfe{").find("is in UTF-16") != std::string::npos);
  CHECK(place(complaint(R"({"a": {"b": [1, {"c": 1e999}]}})")) == "/a/b/1/c");
  CHECK(complaint(std::string(100'000, '[')).find(": expected at most 16 levels") != std::string::npos);
  std::string deep = "{\"schema_version\": ";
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  CHECK(complaint(deep).starts_with("r.json: /schema_version/a/a/"));
}

TEST_CASE_METHOD(Refusals, "wrong members are refused by pointer and expectation", "[read_report]") {
  CHECK(place(changed("/schema_version", 2)) == "/schema_version");
  CHECK(place(changed("/schema_version", "1")) == "/schema_version");
  CHECK(place(changed("/tool/name", "other")) == "/tool/name");
  CHECK(place(changed("/results", nullptr)) == "/results");
  CHECK(place(changed("/results/0", 7)) == "/results/0");
  CHECK(place(changed("/results/0/time_seconds/median", "1")) == "/results/0/time_seconds/median");
  CHECK(place(changed("/results/0/time_seconds/samples/1", nullptr)) == "/results/0/time_seconds/samples/1");
  CHECK(place(changed("/results/0/verified", 1)) == "/results/0/verified");
  CHECK(place(changed("/results/0/reason", 1)) == "/results/0/reason");
  CHECK(place(changed("/results/0/status", "fine")) == "/results/0/status");
  CHECK(place(changed("/results/0/useful_bytes/read", -1)) == "/results/0/useful_bytes/read");
  CHECK(place(changed("/results/0/useful_bytes/read", 2e19)) == "/results/0/useful_bytes/read");
  CHECK(place(changed("/results/0/access/0/word_bytes", 4294967296)) == "/results/0/access/0/word_bytes");
  CHECK(place(changed("/results/0/stages/1/counted_s", "x")) == "/results/0/stages/1/counted_s");
  CHECK(place(changed("/results/0/counters/dram_read_bytes", "x")) == "/results/0/counters/dram_read_bytes");
  CHECK(changed("/device/multiprocessors", "132").starts_with("r.json: /device/multiprocessors: expected a whole"));
  CHECK(place(changed("/backend", "Model")) == "/backend");
  CHECK(place(changed("/device/ecc", "on")) == "/device/ecc");
  CHECK(place(changed("/host_placement", 3)) == "/host_placement");
  CHECK(place(changed("/checks/0/verdict", "maybe")) == "/checks/0/verdict");
  CHECK(place(changed("/checks/0/measured", "1")) == "/checks/0/measured");
  CHECK(place(changed("/checks/0/cases/0", 1)) == "/checks/0/cases/0");
  CHECK(place(changed("/checks/0/attempts", 0)) == "/checks/0/attempts");
  CHECK(place(changed("/watched_flags", "throttled")) == "/watched_flags");
  CHECK(place(without("/results/0", "parameters")) == "/results/0/parameters");
  CHECK(changed("/results/0/parameters/a~1b\n", -1).starts_with("r.json: /results/0/parameters/a~1b\\n: expected"));
}

TEST_CASE("what reports of before have of CUDA's runtime asked for nothing", "[read_report]") {
  Report report = examples::overlap();
  report.results.resize(1);
  Record& record = report.results.front();
  const auto native = [](const std::string& function) {
    return FrameRecord{.file = "./app", .line = {}, .function = function, .module = {}, .language = "native"};
  };
  record.called_from = {native("libcudart_static_4d8b33a106dceb3c"), native("cudaLaunchKernel"),
                        native("__device_stub__Z4copyPfPKf"), native("main"), native("_start")};
  record.caller = "app in libcudart_static_4d8b33a106dceb3c";
  record.access = {examples::global_site("app.cu:1", "load", 4)};
  record.access.front().array = ArrayRecord{.bytes = 4, .made_at = "app in libcudart_static_5382377d5c772c9d"};
  const Record read = read_report(json_of(report), "r.json").results.front();
  CHECK(read.caller == "app in main");
  CHECK(read.called_from->size() == 1);
  REQUIRE(read.access.front().array);
  CHECK_FALSE(read.access.front().array->made_at);
  record.called_from->erase(record.called_from->begin() + 3);
  CHECK_FALSE(read_report(json_of(report), "r.json").results.front().caller);
  CHECK_FALSE(read_report(json_of(report), "r.json").results.front().called_from);
}

TEST_CASE("any value in place of any other of a report is read or refused", "[read_report]") {
  const AnyJson whole = small_report();
  std::set<Pointer> pointers;
  const AnyJson flat = whole.flatten();
  for (const auto& [path, old] : flat.items()) {
    for (Pointer pointer(path); !pointer.empty(); pointer = pointer.parent_pointer()) pointers.insert(pointer);
  }
  const std::vector<AnyJson> values = {nullptr,          true, -1, 1.5, "x", AnyJson::array(), AnyJson::array({1}),
                                       AnyJson::object()};
  std::size_t next = 0;  // each place has three values in turn: fuzz_report tries all
  for (const Pointer& pointer : pointers) {
    for (int i = 0; i < 3; ++i) {
      AnyJson json = whole;
      json[pointer] = values[next++ % values.size()];
      static_cast<void>(complaint(json.dump()));
    }
  }
}

}  // namespace gpumem::report::test_read_report
