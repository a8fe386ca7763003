// Advice on changes to a program: one list for its results, with keys that stay and a command that works.

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "engine/model/stages.hpp"
#include "report/advise/advice.hpp"
#include "report/advise/describe_sites.hpp"
#include "report/advise/measure_again.hpp"
#include "report/advise/site_cures.hpp"
#include "report/explain/explain.hpp"
#include "report/read/read_report.hpp"
#include "report/record/joined.hpp"
#include "report/record/kernels.hpp"
#include "report/text/name_pattern.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/report/program_example.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::report::test_advice {

namespace {

std::string json_of(const Report& report) {
  std::ostringstream out;
  write_json(out, report);
  return out.str();
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

/// Without blanks, because phrases are wrapped.
std::string table_of(const Report& report) {
  std::ostringstream out;
  write_table(out, report, {.width = 80});
  return without_blanks(out.str());
}

/// A kernel with one site, of which nearly all could be saved.
Record kernel_of(const std::string& space, const std::string& op, const std::string& pattern,
                 const std::string& name = "mine(float*)") {
  Record record = examples::kernel_case(name, 10e-3, 9e-3);
  SiteRecord& site = record.access.front();
  site.space = space;
  site.op = op;
  site.pattern = pattern;
  if (space == "shared") site.costs = {{.unit = wavefronts, .per_request = {32.0, {}}, .least = 1}};
  return record;
}

AdviceRecord advice_on(const Record& record) {
  Report report = examples::program();
  report.results = {record};
  const std::vector<AdviceRecord> advice = program_advice(report);
  REQUIRE(advice.size() == 1);
  return advice.front();
}

std::string cause_and_cure(const Record& record) {
  const AdviceRecord advice = advice_on(record);
  return advice.cause + " " + advice.cure;
}

std::vector<Record> kernels_of(const std::vector<std::string>& names) {
  std::vector<Record> kernels;
  for (const std::string& name : names) kernels.push_back(examples::kernel_case(name, 1e-3, 1e-4));
  return kernels;
}

}  // namespace

TEST_CASE("one entry tells of all grids of a kernel that one change improves", "[advice]") {
  const Record seen = kernel_of("global", "load", "contiguous");
  Record inferred = seen;
  inferred.access.clear();
  inferred.flags.emplace_back("seen_by_another_grid");
  Report report = examples::program();
  report.results = {seen, inferred, inferred};
  const std::vector<AdviceRecord> advice = program_advice(report);
  REQUIRE(advice.size() == 1);
  const AdviceRecord alone = advice_on(seen);
  CHECK(advice.front().cause == alone.cause);
  CHECK(advice.front().result == 0);
  CHECK(advice.front().saves_s == Approx(3 * alone.saves_s));
  CHECK(table_of(report).find(without_blanks("gain by the same change as another grid of the kernel")) !=
        std::string::npos);
  // Nothing tells what to change of a grid that was not looked at and stands alone.
  report.results = {inferred};
  CHECK(program_advice(report).empty());
}

TEST_CASE("A program's advice is a list of what can be saved, most first", "[advice]") {
  const std::vector<AdviceRecord> advice = program_advice(examples::program());
  REQUIRE(advice.size() == 2);
  const AdviceRecord& first = advice.front();
  CHECK(first.result == 0);
  CHECK(first.cause == "wasteful_accesses");
  CHECK(first.cure == "contiguous_operand");
  CHECK(first.source_line == "app.cu:14");
  REQUIRE(first.site);
  CHECK(first.site->op == "store");
  CHECK(first.saves_s == Approx(9.8e-3));
  CHECK(first.saves_low_s == Approx(0.8 * 9.8e-3));
  CHECK(first.saves_share == Approx(9.8 / 31));
  CHECK(first.confidence == "high");
  CHECK(first.python_line.empty());
  CHECK(advice[1].cause == "bank_conflicts");
  CHECK(advice[1].cure == "pad_rows");
  CHECK(advice[1].command == "gpumem run --kernel '^void tile<' --output after.json -- python3 train.py");
  CHECK(advice[1].saves_s < first.saves_s);
}

TEST_CASE("A program's table shows what the advice says, whatever else the report holds", "[advice]") {
  Report report = completed(examples::program());
  REQUIRE(report.advice);
  const std::string table = table_of(report);
  for (const AdviceRecord& advice : *report.advice) CHECK(table.find(without_blanks(advice.text)) != std::string::npos);
  report.advice->erase(report.advice->begin());
  report.advice->front().text = "as it was advised then";
  const std::string shown = table_of(report);
  CHECK(shown.find("asitwasadvisedthen") != std::string::npos);
  CHECK(table.find("app.cu:14") < table.find("app.cu:22"));
  CHECK(shown.find("app.cu:22") == std::string::npos);
}

TEST_CASE("Advice names causes and cures of sites by keys", "[advice]") {
  CHECK(cause_and_cure(kernel_of("global", "load", "")) == "wasteful_accesses transpose_through_shared");
  CHECK(cause_and_cure(kernel_of("global", "load", "lanes at random")) == "wasteful_accesses sort_indices");
  CHECK(cause_and_cure(kernel_of("global", "store", "lanes at random")) ==
        "wasteful_accesses gather_instead_of_scatter");
  CHECK(cause_and_cure(kernel_of("global", "atomic", "")) == "atomics combine_in_block");
  CHECK(cause_and_cure(kernel_of("shared", "atomic", "")) == "atomics array_per_warp");
  CHECK(cause_and_cure(kernel_of("shared", "store", "")) == "bank_conflicts pad_rows");
  CHECK(cause_and_cure(kernel_of("local", "load", "")) == "local_memory table_in_shared");
  Record side_by_side = kernel_of("local", "load", "");
  side_by_side.access.front().cost(lines_unit).predicted = 1;
  CHECK(cause_and_cure(side_by_side) == "local_memory keep_in_registers");
  CHECK(cause_and_cure(kernel_of("local", "store", std::string(spilled_pattern))) ==
        "spilled_registers fewer_live_values");
  CHECK(cause_and_cure(kernel_of("global", "load", "lanes at random", "at::native::index_x")) ==
        "wasteful_accesses sort_indices");
}

TEST_CASE("Advice names what keeps a kernel waiting by the keys of its verdict", "[advice]") {
  Record record = examples::kernel_case("mine(float*)", 10e-3, 9e-3);
  const double time_s = record.time->summary.median.count();
  record.stages = {{"latency", 0.95 * time_s, {}}, {"dram", 0.05 * time_s, {}}};
  AdviceRecord advice = advice_on(record);
  CHECK(advice.cause == "too_little_in_flight");
  CHECK(advice.cure == "more_loads_in_flight");
  CHECK_FALSE(advice.site);
  CHECK(advice.source_line.empty());
  record.stages[0].stage = "uneven_work";
  CHECK(cause_and_cure(record) == "uneven_work share_out_work");
  // The caller of a library's kernel can at least change how much it does at once.
  record.parameters[0].value = "cub::DeviceScanKernel";
  advice = advice_on(record);
  CHECK(advice.cure == "more_work_at_once");
  CHECK(advice.text == "a kernel of CUB, too little work at once");
}

TEST_CASE("Kernels that save nothing give no advice", "[advice]") {
  Report report = examples::program();
  report.results = {examples::kernel_case("nothing", 10e-3, 0), examples::kernel_case("next_to_nothing", 10e-3, 1e-4),
                    examples::kernel_case("unknown", 10e-3, 1e-3), examples::kernel_case("fails", 10e-3, 1e-3)};
  report.results[2].metrics[4].predicted.reset();
  report.results[3].status = Status::failed;
  CHECK(program_advice(report).empty());
  CHECK(completed(report).advice->empty());
  report.program.reset();
  CHECK_FALSE(completed(report).advice);
}

TEST_CASE("A saving is as sure as its interval is narrow and its kernel explained", "[advice]") {
  Record record = examples::kernel_case("k", 10e-3, 9e-3);
  const auto with = [&](double low_s, double high_s, double explained) {
    record.metrics[5].predicted = low_s;
    record.metrics[6].predicted = high_s;
    record.explained_share = explained;
    return saving_confidence(record);
  };
  CHECK(with(7e-3, 11e-3, 0.9) == "high");
  CHECK(with(7e-3, 11e-3, 0.7) == "medium");
  CHECK(with(4e-3, 12e-3, 0.9) == "medium");
  CHECK(with(7e-3, 11e-3, 0.6) == "low");
  CHECK(with(0, 20e-3, 1) == "low");
  record.metrics[5].predicted.reset();
  CHECK(saving_confidence(record) == "low");
}

TEST_CASE("Advice says who launched a kernel and on what, as far as that is known", "[advice]") {
  Record record = examples::kernel_case("k", 10e-3, 9e-3);
  record.caller = "model.py:42 in forward";
  record.operator_name = "aten::copy_";
  record.access[0].array = ArrayRecord{1 << 20, "load.py:7 in load"};
  AdviceRecord advice = advice_on(record);
  CHECK(advice.python_line == "model.py:42");
  CHECK(advice.operator_name == "aten::copy_");
  CHECK(advice.array->made_at == "load.py:7 in load");
  record.caller = "main.cpp:10 in main";
  CHECK(advice_on(record).python_line.empty());
  record.called_from = {{.file = "a.cpp", .line = 3, .function = "f", .module = {}, .language = "native"},
                        {"/lib/torch/nn.py", 9, "g", "torch", "python", true},
                        {"/home/me/model.py", 42, "forward", {}, "python", false}};
  CHECK(advice_on(record).python_line == "model.py:42");
  record.access[0].site = "k+0x120";
  CHECK(advice_on(record).source_line.empty());
}

TEST_CASE("Advice comes back from JSON as it was, unless it is about other results", "[advice]") {
  Report report = completed(examples::program());
  const std::string json = json_of(report);
  const Report read = read_report(json, "r.json");
  REQUIRE(read.advice);
  CHECK(json_of(read) == json);
  std::swap(report.results[0], report.results[1]);
  CHECK_FALSE(read_report(json_of(report), "r.json").advice);
  report.results.resize(1);
  CHECK_FALSE(read_report(json_of(report), "r.json").advice);
}

TEST_CASE("Reports that are put together are advised on anew", "[advice]") {
  const Report sites = completed(examples::program());
  CHECK_FALSE(joined(sites, completed(examples::counted_program())).advice);
}

TEST_CASE("A kernel's expression matches its name and no other of the program", "[advice]") {
  const std::vector<std::string> names = {"tile(float*)",
                                          "void tile<0>(float*)",
                                          "void tile<1>(float*)",
                                          "void tile2<0>(float*)",
                                          "tile",
                                          "tile_more",
                                          "(anonymous namespace)::sum(int)",
                                          "(anonymous namespace)::sum_all(int)",
                                          "bool operator< <int>(int)",
                                          "odd{3}.*+?|^$[]\\(x)",
                                          "new\nline\x01(int)",
                                          "{lambda(int)#1}::operator()(int)"};
  const KernelExpressions expressions(kernels_of(names));
  for (const std::string& name : names) {
    const std::string expression = expressions.of(name);
    INFO(name << ": " << expression);
    const NamePattern pattern(expression);
    for (const std::string& other : names) CHECK(pattern.matches(other) == (other == name));
  }
  CHECK(expressions.of("tile(float*)") == "^tile\\(");
  CHECK(expressions.of("tile") == "^tile$");
  CHECK(expressions.of("void tile<1>(float*)") == "^void tile<1>\\(");
}

TEST_CASE("The expression of a long name is what tells it from the others", "[advice]") {
  const auto long_name = [](const std::string& type) {
    std::string name = "void elementwise_kernel<128, 4, copy(Iterator&)::{lambda()#1}";
    for (int i = 0; i < 20; ++i) name += "::operator()() const::{lambda()#1}";
    return name + "<" + type + ">(int)";
  };
  const std::vector<std::string> names = {long_name("float"), long_name("c10::Half"), long_name("double")};
  const KernelExpressions expressions(kernels_of(names));
  CHECK(expressions.of(names[1]) == "^void elementwise_kernel<.*c10");
  CHECK(NamePattern(expressions.of(names[0])).matches(names[0]));
  CHECK_FALSE(NamePattern(expressions.of(names[0])).matches(names[2]));
}

TEST_CASE("The command that measures again is one that a shell takes apart as it was", "[advice]") {
  const std::vector<std::string> words = {"./my app", "it's", "$(reboot)",      "a;b|c&d",
                                          "`x`",      "*",    "--kernel=\"q\"", "\n"};
  const std::string command = measure_again_command("^a(b'c", words);
  CHECK(command.find('\n') == std::string::npos);
  CHECK(command ==
        "gpumem run --kernel '^a(b'\\''c' --output after.json -- './my app' 'it'\\''s' '$(reboot)' 'a;b|c&d' '`x`' '*' "
        "'--kernel=\"q\"' $'\\012'");
}

TEST_CASE("The schema lists every cause and cure", "[advice]") {
  const auto schema =
      nlohmann::json::parse(test::content_of(test::source_folder() / "report/schema/report.schema.json"));
  const auto& advice = schema.at("$defs").at("advice").at("properties");
  const auto listed = [&](const char* member) {
    std::set<std::string> all;
    for (const auto& name : advice.at(member).at("enum")) {
      if (name.is_string()) all.insert(name.get<std::string>());
    }
    return all;
  };
  const std::set<std::string> causes = listed("cause");
  for (const auto& verdict : schema.at("$defs").at("result").at("properties").at("verdict").at("enum")) {
    CHECK(causes.contains(verdict.get<std::string>()));
  }
  CHECK(causes.contains(std::string(bank_conflicts_cause)));
  // Keys stand in the sources as texts of their own, one after the brace of a rule or after ".cure =". So do stages.
  std::set<std::string> cures;
  for (const char* file :
       {"report/advise/site_cures.cpp", "report/advise/kernel_verdict.cpp", "report/advise/repeated_words.cpp"}) {
    const std::string source = test::content_of(test::source_folder() / file);
    const std::regex key("\"([a-z0-9]+(?:_[a-z0-9]+)+)\"");
    for (std::sregex_iterator found(source.begin(), source.end(), key); found != std::sregex_iterator(); ++found) {
      const std::string name = (*found)[1];
      if (!causes.contains(name) && !model::is_arithmetic(name)) cures.insert(name);
    }
  }
  CHECK(cures == listed("cure"));
  const std::string page = test::content_of(test::source_folder() / "docs/run.md");
  for (const std::string& name : cures) {
    INFO(name);
    CHECK(page.find("`" + name + "`") != std::string::npos);
  }
}

}  // namespace gpumem::report::test_advice
