// Golden files: what every writer makes of every example, compared with tests/report/golden. After a wanted change, run
// with GPUMEM_UPDATE_GOLDEN=1 in the environment to rewrite them, and read the difference before committing it.

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>

#include "report/explain/explain.hpp"
#include "report/record/cases.hpp"
#include "report/text/text.hpp"
#include "tests/catch.hpp"
#include "tests/report/golden.hpp"
#include "tests/report/write/written_reports.hpp"

namespace gpumem::report::test_writers {

using namespace written_reports;

namespace {

/// JSON and CSV say alike of all cases and samples: three of a kind are enough.
Report a_few_alike(Report report) {
  std::vector<Record> kept;
  for (Record& record : report.results) {
    const auto alike = [&](const Record& other) {
      return other.status == record.status && other.flags == record.flags &&
             !varies({&other, &record}, record.compared);
    };
    if (std::ranges::count_if(kept, alike) == 3) continue;
    constexpr std::size_t few = 3;
    if (record.time) record.time->samples.resize(std::min(few, record.time->samples.size()));
    record.headline.samples.resize(std::min(few, record.headline.samples.size()));
    kept.push_back(record);
  }
  report.results = std::move(kept);
  report.conclusions = conclusions(report.results, examples::find_example_probe);
  report.findings = findings(report.results, report.conclusions);
  return report;
}

}  // namespace

TEST_CASE("Writers make what the golden files show") {
  for (const auto& [name, report] : all_examples()) {
    compare_with_golden(name + ".csv", text_of(a_few_alike(report), in_csv));
    compare_with_golden(name + ".md", text_of(report, in_markdown));
    compare_with_golden(name + ".80.txt", text_of(report, table({80, false, true})));
    compare_with_golden(name + ".200.txt", text_of(report, table({200, false, true})));
  }
  // These two and program_in_time.json hold the format. The other examples come back from JSON as they were, and the
  // schema takes what the program writes.
  compare_with_golden("measured_copy.json", text_of(a_few_alike(examples::measured_copy()), write_json));
  compare_with_golden("overlap.json", text_of(a_few_alike(examples::overlap()), write_json));
  compare_with_golden("measured_copy.color.txt", text_of(examples::measured_copy(), table({80, true, true})));
  compare_with_golden("node.color.txt", text_of(examples::node(), table({80, true, true})));
  compare_with_golden("islands.80.txt", text_of(examples::islands(), table({80})));
  compare_with_golden("even_node.80.txt", text_of(examples::even_node(16), table({80})));
  compare_with_golden("even_node.200.txt", text_of(examples::even_node(16), table({200})));
  compare_with_golden("two_gpus.80.txt", text_of(examples::even_node(2), table({80})));
  compare_with_golden("overlap.pipe.txt", text_of(examples::overlap(), table({80, false, false})));
}

TEST_CASE("A table never exceeds its width and has no trailing blanks") {
  for (const auto& [name, report] : all_examples()) {
    bool bars = false;
    for (unsigned width = 20; width <= 210; width += 5, bars = !bars) {
      INFO(name << " at " << width);
      for (const std::string& line : lines_of(text_of(report, table({width, false, bars})))) {
        INFO(line);
        CHECK(display_width(line) <= width);
        CHECK((line.empty() || line.back() != ' '));
      }
    }
  }
}

TEST_CASE("What a probe reports beside its headline stays where space is short") {
  Report report;
  for (const double seconds : {2e-6, 1e-6}) {
    Record record;
    record.probe = "matmul";
    record.parameters = {{"product_n", std::uint64_t{128}}, {"matmul", std::string("row")}};
    record.headline = {.quantity = "gflop_per_s", .better = Better::more, .measured = 1e-9 / seconds};
    record.relative_measured = 1;
    record.time = examples::time_record(seconds, 15);
    record.counters = measure::Counts{};
    record.counters->achieved_occupancy = 0.125;
    record.counters->load_throughput_gb_per_s = 1133;
    record.counters->load_efficiency = 1.6;
    record.counters->dram_read_bytes = 4711;
    report.results.push_back(record);
  }
  const std::string text = text_of(report, table({80}));
  for (const char* said :
       {"achieved", "occupancy %", "12.5", "load throughput", "1133", "efficiency %", "160", "time"}) {
    INFO(said << " in\n" << text);
    CHECK(text.find(said) != std::string::npos);
  }
  CHECK(text.find("4711") == std::string::npos);
  for (Record& record : report.results) record.probe = "transpose";
  CHECK(text_of(report, table({200})).find("efficiency") == std::string::npos);
}

TEST_CASE("A model table says that it is predicted and has no column for measurements") {
  const auto lines = lines_of(text_of(examples::model(), table({80})));
  CHECK(lines.at(1) == "PREDICTED by the model from profile 'h200'. Nothing was measured.");
  for (const std::string& line : lines) {
    CHECK(line.find("Measured") == std::string::npos);
    CHECK(line.find("±") == std::string::npos);
  }
}

TEST_CASE("Colour marks failures and flags, and only when asked for") {
  const std::string plain = text_of(examples::measured_copy(), table({80}));
  CHECK(plain.find('\x1b') == std::string::npos);
  const std::string colored = text_of(examples::measured_copy(), table({80, true}));
  CHECK(colored.find("\x1b[31mfailed: wrong data") != std::string::npos);
  CHECK(colored.find("\x1b[33mwide_interval\x1b[0m") != std::string::npos);
}

TEST_CASE("A matrix with more columns than fit has them in several turns") {
  const auto lines = lines_of(text_of(examples::even_node(16), table({40})));
  const auto headers = [&](const std::string& line) { return line.starts_with("source  "); };
  CHECK(std::ranges::count_if(lines, headers) == 3);
  CHECK(std::ranges::count_if(lines, [](const std::string& line) { return line.starts_with("    15  "); }) == 3);
}

TEST_CASE("Where rows read better than a matrix, they are in the order of what would be its rows") {
  Report report = examples::node();
  std::erase_if(report.results, [](const Record& record) {
    return std::get<std::uint64_t>(find_parameter(record, "target")->value) > 1;
  });
  std::ranges::reverse(report.results);
  std::vector<std::string> pairs;
  for (const std::string& line : lines_of(text_of(report, table({60})))) {
    if (line.starts_with("kernel-read  ")) pairs.push_back(line.substr(13, 14));
  }
  CHECK(pairs == std::vector<std::string>{"     0       1", "     1       0", "     2       0", "     2       1",
                                          "     3       0", "     3       1", "     4       0", "     4       1",
                                          "     5       0", "     5       1", "     6       0", "     6       1",
                                          "     7       0", "     7       1"});
}

TEST_CASE("What limits the cases of a matrix is said below it, the most of them first") {
  Report report = examples::even_node(4);
  for (Record& record : report.results) record.why_brief = "NVLink moves all it can";
  report.results[3].why_brief = "something else";
  const std::string text = text_of(report, table({.why = true}));
  CHECK(text.find("11 cases: NVLink moves all it can\n1 case: something else\n") != std::string::npos);
  CHECK(text_of(report, table({80})).find("something else") == std::string::npos);
}

TEST_CASE("A flag of all cases is said once") {
  Report report = examples::model();
  for (Record& record : report.results) record.flags = {"cache_resident"};
  report.results[2].flags.emplace_back("throttled");
  const std::string text = text_of(report, table({80}));
  CHECK(text.find("all cases: cache_resident\n") != std::string::npos);
  CHECK(text.find("dram       throttled\n") != std::string::npos);
}

TEST_CASE("Every writer copes with a record that says nothing") {
  Report report;
  report.results.resize(2);
  report.results[1].headline.measured = std::numeric_limits<double>::quiet_NaN();
  report.findings = findings(report.results, {});
  for (const Format format : {Format::table, Format::json, Format::csv, Format::markdown}) {
    const std::string text = text_of(report, [&](std::ostream& out, const Report& r) { write(out, r, format); });
    CHECK_FALSE(text.empty());
    CHECK(text.find("nan") == std::string::npos);
  }
}

TEST_CASE("A table of nothing is empty") { CHECK(text_of(Report{}, table({80})).empty()); }

TEST_CASE("The preamble describes the host link where a case is about it") {
  const auto link_line = [](const Report& report) {
    for (const std::string& line : lines_of(text_of(report, in_markdown))) {
      if (line.starts_with("Host link: ")) return line;
    }
    return std::string();
  };
  CHECK(link_line(examples::measured_copy()).empty());
  Report report = examples::transfers();
  CHECK(link_line(report) ==
        "Host link: PCIe gen5 x16, 63.0 GB/s theoretical each way; host memory on NUMA node 0 "
        "(bound to the GPU's node).");
  report.host_placement = HostPlacement{1, "bound to the node asked for"};
  CHECK(link_line(report) ==
        "Host link: PCIe gen5 x16, 63.0 GB/s theoretical each way; host memory on NUMA node 1 "
        "(bound to the node asked for; the GPU's is 0).");
  report.host_placement = HostPlacement{std::nullopt, "not bound: set_mempolicy is not permitted"};
  report.device->pcie_width = std::nullopt;
  CHECK(link_line(report) ==
        "Host link: PCIe gen5, theoretical bandwidth not known; host memory not bound: "
        "set_mempolicy is not permitted.");
  report.device->integrated = true;
  report.host_placement = HostPlacement{std::nullopt, "off"};
  CHECK(link_line(report) ==
        "Host link: none, the GPU shares the host's memory; host memory not bound to a NUMA node "
        "(off).");
  report = examples::transfers();
  report.host_placement.reset();  // the peak of the cases is the link's
  CHECK(link_line(report) == "Host link: PCIe gen5 x16, 63.0 GB/s theoretical each way.");
  report.device->pcie_generation = 7;  // copies are about the link whatever is known of it
  CHECK(link_line(report) == "Host link: PCIe gen7 x16, theoretical bandwidth not known.");
  report = examples::measured_copy();
  report.results[3].access[0].space = "host";
  CHECK(link_line(report) == "Host link: PCIe gen5 x16, 63.0 GB/s theoretical each way.");
}

TEST_CASE("The preamble says what joins the GPUs of the report, and not what joins others") {
  const auto line = [](const Report& report) {
    for (const std::string& candidate : lines_of(text_of(report, in_markdown))) {
      if (candidate.starts_with("Between ")) return candidate;
    }
    return std::string();
  };
  Report report = examples::node();
  CHECK(line(report).empty());
  std::vector<Device>& gpus = report.devices;
  const PeerLink nvlinks{.path = PeerLink::Path::nvlink, .nvlinks = 18, .bytes_per_nvlink_s = 25e9};
  for (unsigned gpu = 0; gpu < gpus.size(); ++gpu) {
    gpus[gpu].index = gpu;
    gpus[gpu].links.assign(gpus.size(), nvlinks);
    gpus[gpu].links[gpu].path = PeerLink::Path::itself;
  }
  const std::string joined = ": 18 NVLinks, 450 GB/s theoretical each way.";
  CHECK(line(report) == "Between 8 GPUs" + joined);
  gpus[2].links[7] = {.path = PeerLink::Path::system};
  CHECK(line(report).starts_with("Between 8 GPUs" + joined.substr(0, joined.size() - 1) + "; GPU 2 to 7: "));
  gpus = {gpus[2], gpus[5]};
  CHECK(line(report) == "Between 2 GPUs" + joined);
  gpus.pop_back();
  CHECK(line(report).empty());
}

TEST_CASE("A table of alternatives says what it relates to, keeps them apart, and repeats no fit in every row") {
  for (const unsigned width : {80U, 200U}) {
    const std::string text = text_of(examples::transfers(), table({width}));
    CHECK(text.find("  vs pageable  ") != std::string::npos);
    CHECK(text.find("fixed cost") == std::string::npos);
    CHECK(text.find("setup") != std::string::npos);  // as a column, or named as one that is not shown
    CHECK((text.find("Not shown in 80 columns: ") != std::string::npos) == (width == 80));
    const auto lines = lines_of(text);
    const auto first = std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("pinned"); });
    REQUIRE(first != lines.end());
    CHECK(std::prev(first)->empty());
    CHECK(std::next(first)->starts_with("pinned"));
  }
}

TEST_CASE("A peak that the preamble does not name stands in the title") {
  Report report = examples::transfers();
  CHECK(text_of(report, table({80})).find("transfer: direction to-device, peak 63.0 GB/s\n") != std::string::npos);
  std::erase_if(report.results, [](const Record& record) {
    return record.parameters[0].value != Value(65536UL) || record.parameters[1].value != Value("pinned");
  });
  for (Record& record : report.results) {
    if (record.parameters[2].value == Value("to-host")) *record.headline.peak *= 2;
  }
  CHECK(text_of(report, table({80})).find(", peak 63.0 and 126 GB/s\n") != std::string::npos);
}

TEST_CASE("A title leaves out a 0 that stands for what another parameter says") {
  Report report = examples::transfers();
  report.results.resize(1);
  Record& record = report.results.front();
  record.probe = "transpose";
  record.swept = "matrix_columns";
  record.compared = "transpose";
  record.parameters = {{"matrix_columns", std::uint64_t{1024}},
                       {"transpose", "tile"},
                       {"type", "float"},
                       {"matrix_rows", std::uint64_t{0}}};
  CHECK(text_of(report, table({80})).find("rows") == std::string::npos);
  std::ostringstream explained;
  write_explained(explained, report, std::vector<std::size_t>{0}, 80);
  CHECK(explained.str().find("type float\n") != std::string::npos);
  record.parameters.back().value = std::uint64_t{512};
  CHECK(text_of(report, table({80})).find("type float, matrix 512 rows") != std::string::npos);
}

TEST_CASE("Numbers that span many powers of ten have their own decimals") {
  const std::string text = text_of(examples::transfers(), table({200}));
  CHECK(text.find(" 7.26  host_copy") != std::string::npos);
  CHECK(text.find(" 34680  host_copy") != std::string::npos);
}

TEST_CASE("A number that is not 0 does not read as 0") {
  Report report = examples::transfers();
  report.results[0].headline.measured = 0.00154;
  CHECK(text_of(report, table({200})).find("  0.0015  ") != std::string::npos);
}

TEST_CASE("What all cases failed for is said once") {
  Report report = examples::transfers();
  for (Record& record : report.results) {
    record.status = Status::failed;
    record.reason = "no memory left";
  }
  report.findings = findings(report.results, {});
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].find("no memory left") != std::string::npos);  // JSON has them all
  const auto times = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("no memory left", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  CHECK(times(text_of(report, table({80}))) == 2);  // one per table
  CHECK(times(text_of(report, in_markdown)) == 2);
  report.results[0].reason = "no luck";  // so that there is no common reason any more, and rows have their own
  report.findings = findings(report.results, {});
  CHECK(text_of(report, table({200})).find("Nothing ran: ") != std::string::npos);
  for (Record& record : report.results) record.reason = "no memory left, " + std::string(80, '.');
  report.results[0].reason = "no luck";
  const std::string narrow = text_of(report, table({80}));
  CHECK(narrow.find("cases failed: no memory left") != std::string::npos);
}

}  // namespace gpumem::report::test_writers
