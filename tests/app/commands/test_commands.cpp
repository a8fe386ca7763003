#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_commands {

using namespace gpumem::app::test;

namespace {

using Arguments = std::vector<std::string>;

const std::vector<Probe> registry = fake_probes_and_alternatives();

ProbeArguments probe(Arguments arguments) {
  arguments.insert(arguments.begin(), "probe");
  return std::any_cast<ProbeArguments>(parse_command_line(arguments, {registry}).arguments);
}

std::string refusal(const Arguments& arguments) {
  return error_of([&] { static_cast<void>(parse_command_line(arguments, {registry})); });
}

std::string help(const Arguments& arguments) {
  return std::any_cast<std::string>(parse_command_line(arguments, {registry}).arguments);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("command line: defaults") {
  const ProbeArguments arguments = probe({});
  CHECK(arguments.names.empty());
  CHECK(arguments.axes.empty());
  CHECK(arguments.backend == BackendChoice::cuda);
  CHECK_FALSE(arguments.gpu);
  CHECK_FALSE(arguments.device);
  CHECK_FALSE(arguments.format);
  CHECK(arguments.outputs.empty());
  CHECK_FALSE(arguments.dry_run);
  CHECK_FALSE(arguments.config);
  CHECK_FALSE(arguments.effort.ci_width);
  CHECK_FALSE(arguments.effort.time_budget);
  CHECK_FALSE(arguments.numa);
  CHECK_FALSE(arguments.counting);
}

TEST_CASE("command line: names and options in any order") {
  const ProbeArguments arguments =
      probe({"shift", "--format", "csv", "skip", "--output", "a.json", "--quiet", "--output", "-", "--device", "GPU-12",
             "--ci-width", "1%", "--time-budget=500ms", "--dry-run", "--no-color"});
  CHECK(arguments.names == Arguments{"shift", "skip"});
  CHECK(arguments.format == report::Format::csv);
  CHECK(arguments.outputs == Arguments{"a.json", "-"});
  CHECK(arguments.device == "GPU-12");
  CHECK(arguments.effort.ci_width.value() == Approx(0.01));
  CHECK(arguments.effort.time_budget.value().count() == Approx(0.5));
  CHECK(arguments.quiet);
  CHECK(arguments.dry_run);
  CHECK((arguments.color == Color::never));
}

TEST_CASE("command line: every axis of the registry is an option, and its uses are merged") {
  const ProbeArguments arguments = probe({"--shift", "0..4", "shift", "--op=read,write", "--shift=8", "--width", "-1"});
  CHECK(arguments.names == Arguments{"shift"});
  REQUIRE(arguments.axes.size() == 3);
  CHECK(arguments.axes[0].flag == "shift");
  CHECK(arguments.axes[0].texts == Arguments{"0..4", "8"});
  CHECK(arguments.axes[1].flag == "op");
  CHECK(arguments.axes[1].texts == Arguments{"read,write"});
  CHECK(arguments.axes[2].texts == Arguments{"-1"});
}

TEST_CASE("command line: a flag whose value is optional may stand alone, whatever follows") {
  const std::pair<Arguments, Arguments> cases[] = {
      {{"--carry"}, {""}},
      {{"--carry", "--quiet"}, {""}},
      {{"--carry", "--op", "read"}, {""}},
      {{"--format", "json", "--carry"}, {""}},
      {{"--carry", "--format", "json"}, {""}},
      {{"--carry", "cart"}, {"cart"}},
      {{"--carry=cart"}, {"cart"}},
      {{"--carry", "cart,lorry", "--op", "read"}, {"cart,lorry"}},
      {{"--carry", "cart", "--carry", "lorry"}, {"cart", "lorry"}},
      {{"--carry", "cart", "--carry", "--carry=lorry"}, {"cart", "", "lorry"}},
      {{"--carry", "skip"}, {"skip"}},  // the plan says what is wrong with it
      {{"--carry", "list"}, {"list"}},
  };
  for (const auto& [arguments, texts] : cases) {
    CAPTURE(arguments);
    const ProbeArguments parsed = probe(arguments);
    CHECK(parsed.names.empty());
    REQUIRE_FALSE(parsed.axes.empty());
    const auto carry = std::ranges::find(parsed.axes, "carry", &GivenAxis::flag);
    REQUIRE(carry != parsed.axes.end());
    CHECK(carry->texts == texts);
  }
  CHECK(probe({"--carry", "cart", "skip"}).names == Arguments{"skip"});
  CHECK(probe({"skip", "--carry"}).names == Arguments{"skip"});
  CHECK(probe({"--carry", "--", "skip"}).names == Arguments{"skip"});
  CHECK(probe({"--carry", "--op", "read"}).axes.size() == 2);
}

TEST_CASE("command line: where host memory lies") {
  CHECK((probe({"--numa", "off"}).numa->kind == measure::NumaRequest::Kind::off));
  CHECK((probe({"--numa=gpu"}).numa->kind == measure::NumaRequest::Kind::gpu));
  const measure::NumaRequest numa = probe({"--numa", "1", "--backend", "model"}).numa.value();
  CHECK((numa.kind == measure::NumaRequest::Kind::node));
  CHECK(numa.node == 1);
  for (const char* bad : {"far", "-1", "1.5", "0,1"}) {
    CAPTURE(bad);
    for (const char* backend : {"cuda", "model"}) {
      const std::string line = refusal({"probe", "--numa", bad, "--backend", backend});
      CHECK(line.find("--numa: ") == 0);
      CHECK(contains(line, bad));
    }
  }
}

TEST_CASE("command line: of several uses of an option the last counts") {
  CHECK(probe({"--format", "csv", "--format", "json"}).format == report::Format::json);
}

TEST_CASE("command line: a short name takes its value as a long one does") {
  for (const Arguments& words : {Arguments{"-o=x.csv"}, Arguments{"-o", "x.csv"}, Arguments{"-ox.csv"}}) {
    CHECK(probe(words).outputs == Arguments{"x.csv"});
  }
  CHECK(probe({"-o", "=x.csv"}).outputs == Arguments{"=x.csv"});  // by who means it
  CHECK(refusal({"probe", "-o="}) == "-o needs a value after the '='");
}

TEST_CASE("command line: where readings come from") {
  CHECK(probe({"--backend", "model"}).backend == BackendChoice::model);
  CHECK(probe({"--backend", "auto", "--gpu", "h200", "--device", "1"}).backend == BackendChoice::automatic);
  CHECK(probe({"--gpu", "h200"}).backend == BackendChoice::cuda);  // measured, and held against that profile
  CHECK(contains(refusal({"probe", "--backend", "model", "--device", "0"}), "the model takes --gpu"));
}

TEST_CASE("command line: list and devices") {
  const auto list = std::any_cast<ListArguments>(parse_command_line({"list", "shift", "--json"}, {registry}).arguments);
  CHECK(list.name == "shift");
  CHECK(list.json);
  CHECK_FALSE(std::any_cast<ListArguments>(parse_command_line({"list"}, {registry}).arguments).name);
  CHECK(std::any_cast<DevicesArguments>(parse_command_line({"devices", "--json"}, {registry}).arguments).json);
}

TEST_CASE("command line: columns of all") {
  CHECK(probe({"--columns", "all"}).columns == Arguments{"all"});
  CHECK(probe({"--columns=all"}).columns == Arguments{"all"});
  CHECK(probe({"--all-columns"}).columns == Arguments{"all"});
  CHECK(probe({}).columns.empty());
}

TEST_CASE("command line: explanations") {
  CHECK(probe({"--why"}).why);
  CHECK_FALSE(probe({}).why);
  const auto explain = [](Arguments arguments) {
    arguments.insert(arguments.begin(), "explain");
    return std::any_cast<ExplainArguments>(parse_command_line(arguments, {registry}).arguments);
  };
  CHECK(explain({"r.json"}).report == "r.json");
  CHECK(explain({"r.json"}).cases.empty());
  CHECK_FALSE(explain({"r.json"}).format);
  CHECK(explain({"-", "offset=1", "--format", "markdown", "op=write"}).report == "-");
  CHECK(explain({"-", "offset=1", "--format", "markdown", "op=write"}).cases == Arguments{"offset=1", "op=write"});
  CHECK(explain({"-", "--format", "markdown"}).format == report::Format::markdown);
  CHECK(explain({"r.json", "-o", "why.md"}).outputs == Arguments{"why.md"});
  CHECK(contains(refusal({"explain"}), "explain needs a report"));
  CHECK(contains(refusal({"explain", "r.json", "--format", "csv"}), "'csv' is not one of text, json, markdown"));
}

TEST_CASE("command line: values of an axis may stand apart, as long as none could be a probe") {
  const auto texts = [](const Arguments& arguments, std::size_t names = 0) {
    const ProbeArguments parsed = probe(arguments);
    CHECK(parsed.names.size() == names);
    REQUIRE(parsed.axes.size() == 1);
    return parsed.axes.front().texts;
  };
  CHECK(texts({"--op", "read", "write"}) == Arguments{"read,write"});
  CHECK(texts({"--op=read", "write,copy", "--quiet"}) == Arguments{"read,write,copy"});
  CHECK(texts({"--op", "read,", "write"}) == Arguments{"read,write"});
  CHECK(texts({"--shift", "0", "4..8", "16"}) == Arguments{"0,4..8,16"});
  CHECK(texts({"--carry", "cart", "lorry"}) == Arguments{"cart,lorry"});
  CHECK(texts({"--op", "read", "skip"}, 1) == Arguments{"read"});
  CHECK(texts({"--op", "read", "wirte"}, 1) == Arguments{"read"});  // the plan says what is wrong with it
  CHECK(probe({"--device", "0", "1"}).names == Arguments{"1"});     // of an axis alone
}

TEST_CASE("command line: a format's name is an option where nothing else has that name") {
  CHECK(probe({"--json"}).format == report::Format::json);
  CHECK(probe({"--csv", "--quiet"}).format == report::Format::csv);
  CHECK(probe({"--output", "a.txt", "--markdown"}).format == report::Format::markdown);
  CHECK(refusal({"probe", "--json=1"}) == "unknown option '--json'; --format takes table, json, csv, markdown");
  CHECK(refusal({"explain", "a.json", "--csv"}) ==
        "unknown option '--csv'; the report holds the reasons: gpumem show REPORT --format csv");
  CHECK(refusal({"calibrate", "--json"}) ==
        "unknown option '--json'; the profile is JSON: gpumem calibrate -o mine.json");
  CHECK(std::any_cast<ListArguments>(parse_command_line({"list", "--json"}, {registry}).arguments).json);
}

TEST_CASE("command line: a suite goes by --suite too") {
  CHECK(probe({"--suite", "smoke"}).config == "smoke");
  CHECK(probe({"--suite=smoke"}).config == "smoke");
  CHECK(refusal({"probe", "--suite"}) == "--config needs a value");
  const auto checked = [](const Arguments& arguments) {
    return std::any_cast<CheckArguments>(parse_command_line(arguments, {registry}).arguments).targets;
  };
  CHECK(checked({"check", "--suite", "smoke"}) == Arguments{"smoke"});
  CHECK(checked({"check", "--suite=smoke", "a.json"}) == Arguments{"smoke", "a.json"});
  CHECK(refusal({"show", "--suite", "smoke"}).starts_with("unknown option '--suite'"));
}

TEST_CASE("command line: somebody's program is told where it stands, with its own words") {
  const std::pair<Arguments, std::string> cases[] = {
      {{"./app"}, "unknown command './app'; to watch a program: gpumem run -- ./app"},
      {{"bin/app", "--size", "a b", "probe"},
       "unknown command 'bin/app'; to watch a program: gpumem run -- bin/app --size 'a b' probe"},
      {{"./app", "--help"}, "unknown command './app'; to watch a program: gpumem run -- ./app --help"},
      {{"a.json"}, "unknown command 'a.json'; to see a report: gpumem show a.json"},
      {{"run", "./app"}, "the program stands behind --: gpumem run -- ./app"},
      {{"run", "python3", "a b.py", "--quiet"}, "the program stands behind --: gpumem run -- python3 'a b.py' --quiet"},
      {{"run", "--counters", "--output", "r.json", "--device=1", "./app", "-x", "--", "y"},
       "the program stands behind --: gpumem run --counters --output r.json --device=1 -- ./app -x -- y"},
      {{"run", "--json", "./app"}, "the program stands behind --: gpumem run --format json -- ./app"},
      {{"run", "--bogus", "./app"}, "unknown option '--bogus'; the command and its own options stand behind --"},
      {{"run"}, "run needs a command behind --, e.g. gpumem run -- python3 train.py"},
      {{"run", "--"}, "run needs a command behind --, e.g. gpumem run -- python3 train.py"},
  };
  for (const auto& [arguments, message] : cases) {
    CAPTURE(arguments);
    CHECK(refusal(arguments) == message);
  }
  CHECK(refusal({"python3", "train.py"}).ends_with("; to watch a program: gpumem run -- python3 train.py"));
}

TEST_CASE("command line: what is wrong is one line with the nearest name") {
  const std::pair<Arguments, std::string> cases[] = {
      {{"porbe"}, "unknown command 'porbe'; did you mean 'probe'?"},
      {{"shift"}, "unknown command 'shift'; to run the probe of that name: gpumem probe shift"},
      {{"--shift", "1"}, "unknown option '--shift'; it is an option of: gpumem probe"},
      {{"probe", "--shfit", "1"}, "unknown option '--shfit'; did you mean '--shift'?"},
      {{"probe", "--shfit=1"}, "unknown option '--shfit'; did you mean '--shift'?"},
      {{"probe", "-shift", "1"}, "unknown option '-shift'; did you mean '--shift'?"},
      {{"probe", "--xyzzy"}, "unknown option '--xyzzy'; see: gpumem probe --help"},
      {{"probe", "--shift"}, "--shift needs a value"},
      {{"probe", "--shift", ""}, "--shift needs a value"},
      {{"probe", "--shift=", "1"}, "--shift needs a value after the '='"},
      {{"probe", "--shift", "--op", "read"}, "--shift needs a value before the option '--op'"},
      {{"probe", "--output", "--quiet"}, "--output needs a value before the option '--quiet'"},
      {{"probe", "--quiet=1"}, "--quiet takes no value"},
      {{"probe", "--carry="}, "--carry needs a value after the '='"},
      {{"probe", "--carry", ""}, "--carry needs a value"},
      {{"probe", "--carry", "--carry", ""}, "--carry needs a value"},
      {{"probe", "--carry", "-cart"}, "unknown option '-cart'; see: gpumem probe --help"},
      {{"probe", "--numa"}, "--numa needs a value"},
      {{"probe", "--backend", "modle"}, "--backend: 'modle' is not one of cuda, model, auto; did you mean 'model'?"},
      {{"probe", "--format", "yaml"}, "--format: 'yaml' is not one of table, json, csv, markdown"},
      {{"list", "shift", "skip"}, "unexpected argument 'skip'; list takes one probe: gpumem list skip"},
      {{"devices", "--jsno"}, "unknown option '--jsno'; did you mean '--json'?"},
  };
  for (const auto& [arguments, message] : cases) {
    CAPTURE(arguments);
    CHECK(refusal(arguments) == message);
  }
  CHECK(refusal({}).starts_with("no command given; there are: probe, run, "));
  CHECK(refusal({}).ends_with("; see: gpumem --help"));
  CHECK(refusal({"fly"}).starts_with("unknown command 'fly'; there are: probe, run, "));
}

TEST_CASE("command line: help of probe has a line for each of them, and their common options") {
  const std::string text = help({"probe", "--help"});
  CHECK(contains(text, "Usage: gpumem probe [PROBE...] [OPTIONS]"));
  CHECK(contains(text, "\n  global memory\n    shift  shifts\n    skip   skips\n    carry  carries\n"));
  CHECK(contains(text, "--numa gpu|off|N"));
  CHECK_FALSE(contains(text, "VALUES"));
}

TEST_CASE("command line: help of a probe, however that is named, has its axes alone") {
  const std::string text = help({"probe", "carry", "--help"});
  CHECK(text.starts_with("Carries\n\nUsage: gpumem probe carry [OPTIONS]\n\nAxes:\n  --load VALUES"));
  CHECK(contains(text, "\n  --carry [VALUES]        A means (cart, lorry, barge; default cart,lorry)\n"));
  CHECK_FALSE(contains(text, "--op"));
  CHECK_FALSE(contains(text, "--numa"));
  for (const Arguments& same : {Arguments{"probe", "--help", "carry"}, Arguments{"probe", "--carry", "-h"},
                                Arguments{"probe", "--carry=cart", "--quiet", "--help"}, Arguments{"help", "carry"},
                                Arguments{"help", "probe", "carry"}}) {
    CAPTURE(same);
    CHECK(help(same) == text);
  }
  CHECK(contains(help({"probe", "shift", "skip", "--help"}), "\n\nSkips\n\nUsage: gpumem probe skip"));
  CHECK(help({"probe", "--quiet", "--help"}) == help({"probe", "--help"}));
  CHECK(refusal({"probe", "shfit", "--help"}) == "unknown probe 'shfit'; did you mean 'shift'?");
}

TEST_CASE("command line: help X is X --help") {
  CHECK(help({"help"}) == help({"--help"}));
  for (const char* command : {"probe", "list", "run", "help"})
    CHECK(help({"help", command}) == help({command, "--help"}));
  CHECK(refusal({"help", "porbe"}) == "unknown command 'porbe'; did you mean 'probe'?");
  CHECK(refusal({"help", "shfit"}) == "unknown command 'shfit'; did you mean: gpumem probe shift");
}

TEST_CASE("command line: help is as wide as it is told") {
  const auto longest = [](std::size_t width) {
    const KnownNames known{.probes = registry, .suites = {}, .help_width = width};
    std::istringstream lines(std::any_cast<std::string>(parse_command_line({"check", "--help"}, known).arguments));
    std::size_t most = 0;
    for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
    return most;
  };
  CHECK(longest(80) <= 80);
  CHECK(longest(80) > 72);
  CHECK(longest(200) <= 200);
  CHECK(longest(200) > 180);
}

TEST_CASE("command line: help of the program and of each command") {
  CHECK(contains(help({"--help"}), "Usage: gpumem COMMAND [OPTIONS]"));
  CHECK(contains(help({"list", "-h"}), "Usage: gpumem list [PROBE|suites|gpus] [OPTIONS]"));
  CHECK(contains(help({"devices", "--help"}), "--json"));
  CHECK(help({"--version"}).substr(0, 7) == "gpumem ");
  CHECK(contains(help({"--version"}), " for sm_"));
  CHECK(help({"-V"}) == help({"--version"}));
}

namespace {

CheckArguments check(Arguments arguments) {
  arguments.insert(arguments.begin(), "check");
  return std::any_cast<CheckArguments>(parse_command_line(arguments, {registry}).arguments);
}

}  // namespace

TEST_CASE("command line: a check has the options of a probe that say how to run, and its own") {
  const CheckArguments plain = check({"smoke"});
  CHECK(plain.targets == Arguments{"smoke"});
  CHECK(plain.shown == CheckFormat::table);
  CHECK(plain.attempts == 1);
  CHECK_FALSE(plain.junit);
  CHECK_FALSE(plain.openmetrics);
  CHECK_FALSE(plain.counting);
  const CheckArguments full =
      check({"a.json",   "--attempts", "3",         "--junit=a.xml", "b.json",  "--openmetrics", "a.prom",
             "--format", "github",     "--backend", "model",         "--gpu",   "v100",          "--ci-width",
             "1%",       "--counters", "--output",  "r.json",        "--quiet", "--dry-run",     "--no-color"});
  CHECK(full.targets == Arguments{"a.json", "b.json"});
  CHECK(full.attempts == 3);
  CHECK(full.junit == "a.xml");
  CHECK(full.openmetrics == "a.prom");
  CHECK(full.shown == CheckFormat::github);
  CHECK(full.backend == BackendChoice::model);
  CHECK(full.gpu == "v100");
  CHECK(full.effort.ci_width.value() == Approx(0.01));
  CHECK((full.counting == measure::Counting::if_possible));
  CHECK(full.outputs == Arguments{"r.json"});
  CHECK(full.quiet);
  CHECK(full.dry_run);
  CHECK((full.color == Color::never));
  CHECK((check({"smoke", "--color", "always"}).color == Color::always));
  CHECK((check({"smoke"}).color == Color::automatic));
  CHECK((check({"smoke", "--no-color", "--color=always"}).color == Color::never));
  CHECK(refusal({"check"}) == "check needs a suite or a saved report; the shortest is: gpumem check smoke");
  for (const char* bad : {"0", "-1", "1.5", "x", "101", "3x"}) {
    CHECK(refusal({"check", "smoke", std::string("--attempts=") + bad}) ==
          std::string("--attempts: '") + bad + "' is not a number from 1 to 100");
  }
  CHECK(refusal({"check", "smoke", "--output", "-"}).starts_with("--output: stdout shows the checks"));
  CHECK(refusal({"check", "smoke", "--format", "csv"}).starts_with("--format: 'csv' is not one of table, json"));
}

TEST_CASE("command line: a suite's probes come without names and axes of one's own") {
  CHECK(probe({"--config", "smoke", "--ci-width", "1%"}).config == "smoke");
  CHECK(refusal({"probe", "shift", "--config", "smoke"}).starts_with("--config already says which probes run"));
  CHECK(refusal({"probe", "--op", "read", "--config", "smoke"})
            .starts_with("--config already says which cases run, so it takes no --op"));
}

}  // namespace gpumem::app::test_commands
