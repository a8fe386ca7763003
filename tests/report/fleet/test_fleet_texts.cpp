// Texts of a fleet: what differs between machines, matrices of pairs, and every reading.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/text/text.hpp"
#include "tests/catch.hpp"
#include "tests/report/fleet/fleets.hpp"

namespace gpumem::report::test_fleet_texts {

using namespace fleets;

TEST_CASE("fleet: what differs between machines is said with who has it", "[fleet]") {
  std::vector<Report> reports = healthy(10);
  reports[3].device->driver_version = "570.9";
  reports[3].results[0].headline.measured = 900;
  const std::string text = text_of(judged(reports), Format::table);
  CHECK(text.find("driver: 580.1 on 9, 570.9 on 1 (node3).") != std::string::npos);
  CHECK(text.find("driver 570.9, most have 580.1") != std::string::npos);
}

TEST_CASE("fleet: what only some machines tell is not said of all", "[fleet]") {
  std::vector<Report> reports = healthy(10);
  for (std::size_t i = 1; i < 10; ++i) reports[i].device->driver_version.reset();
  const std::string text = text_of(judged(reports), Format::table);
  CHECK(text.find("driver: 580.1 on 1, not known of 9.") != std::string::npos);
  CHECK(text.find("driver 580.1") == std::string::npos);
}

TEST_CASE("fleet: every format survives hostile names, in lines and fields that stay whole", "[fleet]") {
  std::vector<Report> reports = healthy(6, 2);
  const std::string hostile = "a\nb,\"c\"|d\x1b[31m\xff";
  for (Report& report : reports) {
    report.device->name = hostile;
    report.device->pci_bus_id = hostile;
    report.device->driver_version = hostile;
    for (Record& record : report.results) {
      record.probe = hostile;
      record.parameters.push_back({hostile, hostile});
    }
    report.results[1].parameters.back().value = "x";
  }
  reports[1].host.name = hostile;
  reports[1].results[0].headline.measured = 1;
  reports[1].results[0].flags = {"throttled", hostile};
  reports[1].results[1].status = Status::failed;
  reports[1].results[1].reason = hostile;
  const Fleet fleet = judged(reports);
  CHECK(found(fleet) == Machines{1});
  for (const Format format : {Format::table, Format::markdown}) {
    const std::string text = text_of(fleet, format);
    CHECK(text.find('\x1b') == std::string::npos);
    if (format == Format::markdown) CHECK(text.find("\nb,") == std::string::npos);  // a table breaks lines at blanks
  }
  CHECK(text_of(fleet, Format::markdown).find("|d") == text_of(fleet, Format::markdown).find("\\|d") + 1);
  CHECK(json_of(fleet)["machines"][1]["cases"][0]["verdict"] == "slow");
}

TEST_CASE("fleet: no line of a table is wider than its terminal", "[fleet]") {
  std::vector<Report> reports = healthy(30, 50);
  for (std::size_t i = 0; i < 25; i += 3) {
    reports[i].results[i].headline.measured = 1;
    reports[i].results[30].flags = {"throttled"};
    reports[i].host.name = "a-very-long-host-name-of-a-rack-in-some-data-centre-" + std::to_string(i);
  }
  const Fleet fleet = judged(reports);
  for (const unsigned width : {40U, 80U, 200U}) {
    std::istringstream text(text_of(fleet, Format::table, width));
    std::size_t widest = 0;
    for (std::string line; std::getline(text, line);) widest = std::max(widest, display_width(line));
    CHECK(widest <= width);
  }
}

TEST_CASE("fleet: the pairs of a node are cases of the node, and its matrix shows which are off", "[fleet]") {
  std::vector<Report> reports = nodes(6);
  *reports[3].results[4].headline.measured *= 0.7;  // from 1 to 2
  reports[3].results[9].status = Status::failed;
  const Fleet fleet = judged(reports);
  CHECK(found(fleet) == Machines{3});
  CHECK(fleet.kinds.size() == 1);
  CHECK(fleet.machines.size() == 6);
  const std::string text = text_of(fleet, Format::table);
  CHECK(text.starts_with("Fleet: 6 reports from 6 hosts, 6 x node with 4 NVIDIA H200.\n"));
  CHECK(text.find("1 of 6 nodes stands out") != std::string::npos);
  CHECK(text.find("node3, peer: via copy-engine, direction one-way, size 256 MiB\n"
                  "off the median of all nodes in % by source (rows) and target (columns)\n"
                  "source    0    1      2    3\n"
                  "     0    -  0.0    0.0  0.0\n"
                  "     1  0.0    -  -30.0  0.0\n"
                  "     2  0.0  0.0      -  0.0\n"
                  "     3    !  0.0    0.0    -\n"
                  "!: failed or moved wrong data\n") != std::string::npos);
  CHECK(json_of(fleet)["machines"][3]["gpus"] == 4);
}

TEST_CASE("fleet: JSON and CSV hold every reading", "[fleet]") {
  std::vector<Report> reports = healthy(6);
  reports[1].results[0].headline.measured = 900;
  reports[2].results.pop_back();
  const Fleet fleet = judged(reports);
  const nlohmann::json json = json_of(fleet);
  CHECK(json["schema_version"] == 1);
  CHECK(json["fleet"]["machines"] == 6);
  CHECK(json["fleet"]["stand_out"] == 2);
  CHECK(json["kinds"][0]["cases"][0]["parameters"]["block_threads"] == "auto");
  CHECK(json["machines"][1]["cases"][0]["verdict"] == "slow");
  CHECK(json["machines"][1]["cases"][0]["value"] == 900);
  CHECK(json["machines"][2]["missing_cases"] == nlohmann::json{2});
  const std::string csv = text_of(fleet, Format::csv);
  CHECK(std::ranges::count(csv, '\n') == 1 + 6 * 3 - 1);
  CHECK(csv.find("node1.json,node1,Example GPU,GPU-1,00000000:41:00.0,cuda,offset,0,write,auto,0,bandwidth_gb_per_s,"
                 "slow,900.0,-0.") != std::string::npos);
}

}  // namespace gpumem::report::test_fleet_texts
