// The reports of a fleet, of which only a part is kept while they are read.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>

#include "app/commands/fleet_files.hpp"
#include "engine/base/error.hpp"
#include "report/read/read_report.hpp"
#include "report/write/fleets/fleet.hpp"
#include "tests/catch.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::app::test_fleet_files {

namespace {

std::vector<std::string> reference_reports() {
  std::vector<std::string> files;
  for (const char* gpu : {"h100", "h200"}) {
    for (const auto& file :
         std::filesystem::directory_iterator(gpumem::test::source_folder() / "configs/reference" / gpu)) {
      if (file.is_regular_file()) files.push_back(file.path().string());
    }
  }
  return files;
}

std::string fleet_text(std::vector<report::FleetMachine> machines, std::shared_ptr<const report::FleetNames> names) {
  std::ostringstream out;
  report::write_fleet(out, report::judge_fleet(std::move(machines), std::move(names)), report::Format::json, {});
  return out.str();
}

}  // namespace

TEST_CASE("a fleet is the same from reports of which a part is kept as from whole ones", "[fleet]") {
  const std::vector<std::string> files = reference_reports();
  const auto names = std::make_shared<report::FleetNames>();
  std::istringstream nothing;
  FleetFiles kept = read_fleet(files, nothing, *names);
  std::vector<report::FleetMachine> whole;
  std::vector<std::string> reasons;
  for (const std::string& file : files) {
    try {
      std::ranges::move(report::fleet_machines(report::read_report_file(file, nothing), file, *names),
                        std::back_inserter(whole));
    } catch (const Error& error) {
      reasons.emplace_back(error.what());
    }
  }
  REQUIRE(whole.size() > 50);
  REQUIRE(kept.unreadable.size() == reasons.size());
  for (std::size_t i = 0; i < reasons.size(); ++i) CHECK(kept.unreadable[i].reason == reasons[i]);
  CHECK(fleet_text(std::move(kept.machines), names) == fleet_text(std::move(whole), names));
}

}  // namespace gpumem::app::test_fleet_files
