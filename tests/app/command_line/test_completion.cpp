// The command line as data, and the completion scripts made of it. tests/end_to_end/test_completion.py tries them in
// the shells themselves.

#include <algorithm>
#include <string>
#include <vector>

#include "app/command_line/axes.hpp"
#include "app/command_line/interface.hpp"
#include "app/commands/commands.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_completion {

using namespace gpumem::app::test;

namespace {

using Words = std::vector<std::string>;
using Takes = OptionEntry::Takes;

const std::vector<Probe> registry = fake_probes_and_alternatives();

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

OptionEntry find_axis(const std::vector<OptionEntry>& options, const std::string& name) {
  const auto found = std::ranges::find(options, Words{name}, &OptionEntry::names);
  REQUIRE(found != options.end());
  return *found;
}

/// One command that has all there is, with texts that a shell or roff would take for something of its own.
Interface example() {
  CommandEntry command{.name = "run",
                       .purpose = "Run it: now",
                       .arguments = {{.value = "REPORT",
                                      .help = "A report",
                                      .repeatable = false,
                                      .choices = {.words = {}, .files = Choices::Files::json}},
                                     {.value = "[PROBE...]",
                                      .help = "Probes",
                                      .repeatable = true,
                                      .choices = {.words = {"offset", "bank"}}}},
                       .options = {},
                       .axes = {},
                       .footer = "Examples:\n  gpumem run\\it\n  'quoted'"};
  command.options.push_back({.names = {"--plain", "-p"},
                             .value = "",
                             .help = "It's the [plain] switch; why not",
                             .group = "",
                             .choices = {}});
  command.options.push_back({.names = {"--op"},
                             .value = "VALUES",
                             .help = "What the kernel does, e.g. --op read",
                             .group = "Axes",
                             .takes = Takes::value,
                             .choices = {.words = {"read", "1..8*2"}, .files = Choices::Files::none, .list = true}});
  command.options.push_back({.names = {"--with"},
                             .value = "[VALUES]",
                             .help = "Alternatives",
                             .group = "",
                             .takes = Takes::optional_value,
                             .choices = {.words = {"a"}}});
  command.options.push_back({.names = {"--count"},
                             .value = "[=require]",
                             .help = "Count",
                             .group = "",
                             .takes = Takes::attached_value,
                             .choices = {.words = {"require"}}});
  return {.program = {.name = "", .purpose = "", .arguments = {}, .options = {}, .axes = {}, .footer = ""},
          .commands = {command}};
}

}  // namespace

TEST_CASE("completion: what a value may be follows from its name") {
  CHECK(choices_of("cuda|model|auto", {registry}).words == Words{"cuda", "model", "auto"});
  CHECK(choices_of("gpu|off|N", {registry}).words == Words{"gpu", "off"});
  CHECK(choices_of("[=require]", {registry}).words == Words{"require"});
  CHECK(choices_of("[PROBE...]", {registry}).words == Words{"shift", "skip", "carry"});
  CHECK(choices_of("N|UUID|PCI-ID", {registry}).words.empty());
  CHECK(choices_of("", {registry}).words.empty());
  CHECK((choices_of("FILE", {registry}).files == Choices::Files::any));
  CHECK((choices_of("REPORT...", {registry}).files == Choices::Files::json));
  CHECK((choices_of("TIME", {registry}).files == Choices::Files::none));
  CHECK((choices_of("-- COMMAND...", {registry}).files == Choices::Files::programs));

  const Choices profile = choices_of("PROFILE|FILE", {registry});
  CHECK(std::ranges::find(profile.words, "h200") != profile.words.end());
  CHECK((profile.files == Choices::Files::json));
}

TEST_CASE("axes: one takes its names, its numbers, and as an example its default range") {
  const auto choices = [](const std::string& name) { return find_axis(axis_options(registry), name).choices; };
  CHECK(choices("--op").words == Words{"read", "write", "copy"});
  CHECK(choices("--op").list);
  CHECK(choices("--shift").words == Words{"0..3", "0"});  // of two probes
  CHECK(choices("--shape").words == Words{"1", "2", "4", "auto"});
  CHECK(choices("--carry").words == Words{"cart", "lorry", "barge"});
}

TEST_CASE("axes: a flag that probes share is explained in the words of the probe at hand") {
  std::vector<Probe> probes = fake_probes();
  probes[0].axes[1].purpose = "what shifts";
  probes[1].axes[1].purpose = "what skips";
  probes[1].axes[1].names = {"read", "write"};
  const OptionEntry first = find_axis(axis_options(probes[0]), "--op");
  CHECK(first.help == "What shifts (read, write, copy; default copy)");
  const OptionEntry second = find_axis(axis_options(probes[1]), "--op");
  CHECK(second.help == "What skips (read, write; default copy)");
  CHECK(second.choices.words == Words{"read", "write"});
  CHECK(find_axis(axis_options(probes), "--op").help == "An axis of shift, skip");
  CHECK(find_axis(axis_options(probes), "--op").choices.words == Words{"read", "write", "copy"});
  probes[1].axes.push_back(number_axis("shift", "0..9"));
  probes[1].axes.back().purpose = "a number besides";
  CHECK(find_axis(axis_options(probes), "--shift").help == "A number");  // it selects that probe
}

TEST_CASE("axes: those that select a probe come first, and one may stand alone if it may in any probe") {
  const std::vector<OptionEntry> options = axis_options(registry);
  Words names;
  for (const OptionEntry& option : options) names.push_back(option.names.front());
  CHECK(names == Words{"--shift", "--skip", "--load", "--carry", "--op", "--shape", "--width"});
  CHECK((find_axis(options, "--carry").takes == Takes::optional_value));
  CHECK(find_axis(options, "--carry").value == "[VALUES]");
  CHECK((find_axis(options, "--width").takes == Takes::value));
}

TEST_CASE("axes: a probe shows two ways to run it") {
  CHECK(contains(probe_entry(registry[0]).footer, "  gpumem probe --shift 0..3 --why "));
  CHECK(contains(probe_entry(registry[0]).footer, "  gpumem probe shift --op read,write,copy "));
  CHECK(contains(probe_entry(registry[2]).footer, "  gpumem probe --carry --why "));
  CHECK(contains(probe_entry(registry[2]).footer, "  gpumem probe carry --backend model --gpu h200\n"));
}

TEST_CASE("completion: beside an option stands the first clause of its help") {
  CHECK(short_help("cuda measures, and fails without a GPU (default); model predicts") ==
        "cuda measures, and fails without a GPU");
  CHECK(short_help("Stop after this time, e.g. --time 2s") == "Stop after this time");
  CHECK(short_help("With --from: hold the rates against it; repeatable") == "With --from: hold the rates against it");
  CHECK(short_help("Short") == "Short");
  CHECK(short_help("").empty());
}

TEST_CASE("completion: what may stand in place of the last word") {
  const auto offers = [](const Words& words) { return completions(example(), words); };
  CHECK(offers({}) == "run\tRun it: now\n");
  CHECK(offers({""}) == "run\tRun it: now\n");
  CHECK(offers({"x"}).empty());
  CHECK(offers({"walk", ""}).empty());

  CHECK(offers({"run", "--p"}) == "--plain\tIt's the [plain] switch\n");
  CHECK(offers({"run", "--c"}) == "--count\tCount\n--count=require\n");
  CHECK(contains(offers({"run", "-"}), "\n-p\tIt's the [plain] switch\n"));

  CHECK(offers({"run", ""}) == ":json\n");  // its first argument, then the others
  CHECK(offers({"run", "a.json", ""}) == "offset\nbank\n");
  CHECK(offers({"run", "a.json", "offset", "b"}) == "bank\n");
  CHECK(offers({"run", "--plain", "-p", ""}) == ":json\n");  // a switch takes nothing
  CHECK(offers({"run", "--count", ""}) == ":json\n");        // and this only behind an '='
  CHECK(offers({"run", "--count="}) == "--count=require\n");
}

TEST_CASE("completion: lists go on, and a value that may be left out leaves room for an option") {
  const auto offers = [](const Words& words) { return completions(example(), words); };
  CHECK(offers({"run", "--op", ""}) == "read\n1..8*2\n");
  CHECK(offers({"run", "--op", "read,"}) == "read,1..8*2\n");
  CHECK(offers({"run", "--op=1..8*2,r"}) == "--op=1..8*2,read\n");
  CHECK(offers({"run", "--op", "read", ""}) == ":json\n");
  CHECK(offers({"run", "--with", ""}) == "a\n");
  CHECK(contains(offers({"run", "--with", "--o"}), "--op\t"));
  CHECK(offers({"run", "--with", "--plain", ""}) == ":json\n");
  CHECK(offers({"run", "--nothing="}).empty());
}

TEST_CASE("completion: behind -- stands a command of somebody else's") {
  Interface interface = example();
  interface.commands.front().arguments = {
      {.value = "-- COMMAND...", .help = "A program", .choices = {.words = {}, .files = Choices::Files::programs}}};
  const auto offers = [&](const Words& words) { return completions(interface, words); };
  CHECK(offers({"run", ""}) == "--\tA program\n");
  CHECK(offers({"run", "--", ""}) == ":programs\n");
  CHECK(offers({"run", "--op", "read", "--", "-"}) == ":programs\n");
  CHECK(offers({"run", "--", "app", ""}) == ":files\n");
  CHECK(offers({"run", "--", "app", "--op", "--", "--p"}) == ":files\n");
  CHECK(contains(manual_page(interface), ".SS gpumem run [OPTIONS] \\-\\- COMMAND...\n"));
}

TEST_CASE("manual: whatever texts hold, roff shows them as they are") {
  const std::string page = manual_page(example());
  CHECK(contains(page, ".SS gpumem run REPORT [PROBE...] [OPTIONS]\nRun it: now.\n.TP\n\\fIREPORT\\fR\nA report\n"));
  CHECK(contains(page, ".TP\n\\fB\\-p\\fR, \\fB\\-\\-plain\\fR\nIt's the [plain] switch; why not\n"));
  CHECK(contains(page, "\\fB\\-\\-count\\fR[=\\fBrequire\\fR]\n"));
  CHECK(contains(page, ".PP\nExamples:\n.EX\n  gpumem run\\eit\n  'quoted'\n.EE\n"));
}

TEST_CASE("manual: it explains once the options that commands declare alike, and names them under each") {
  Interface interface = example();
  CommandEntry other = interface.commands.front();
  other.name = "walk";
  const OptionEntry own{.names = {"--gait"}, .value = "", .help = "How to walk", .group = ""};
  other.options = {other.options.front(), own};
  interface.commands.push_back(other);
  const std::string page = manual_page(interface);
  const std::string shared = ".TP\n\\fB\\-p\\fR, \\fB\\-\\-plain\\fR\n";
  CHECK(page.find(shared) < page.find(".SH COMMANDS"));
  CHECK(page.find(shared) == page.rfind(shared));
  CHECK(contains(page.substr(page.find(".SS gpumem walk")),
                 ".TP\n\\fB\\-\\-gait\\fR\nHow to walk\n.PP\nShared options: \\fB\\-\\-plain\\fR.\n"));

  other.options.front().help = "It means something else here";
  interface.commands.back() = other;
  const std::string apart = manual_page(interface);
  CHECK_FALSE(contains(apart, "Shared options"));
  CHECK(contains(apart, shared + "It means something else here\n"));
}

TEST_CASE("manual: no line starts with a dot that is not meant, or ends in an abbreviation") {
  Interface interface = example();
  interface.commands[0].options[0].help =
      ".profile is read. " + std::string(52, 'x') + " and here, e.g. something longer. The end";
  const std::string page = manual_page(interface);
  CHECK(contains(page, "\n\\&.profile is read."));
  CHECK_FALSE(contains(page, "e.g.\n"));
  CHECK(contains(page, "\ne.g. something longer."));
}

TEST_CASE("completion: the commands print what this registry has") {
  const auto printed = [](const Words& words) {
    return std::any_cast<std::string>(parse_command_line(words, {registry}).arguments);
  };
  for (const char* shell : {"bash", "zsh", "fish"}) CHECK(contains(printed({"completion", shell}), "--complete"));
  CHECK(printed({"--complete", "probe", "carry", "--carry", "l"}) == "lorry\n");
  CHECK(printed({"--complete", "probe", "--bank-s"}).empty());
  CHECK(contains(printed({"--complete", "probe", "--"}), "\n--load\t"));
  for (const Words& at_hand : {Words{"shift"}, Words{"--shape", "1", "shift"}, Words{"--op", "read", "shift"}}) {
    Words line = {"--complete", "probe"};
    line.insert(line.end(), at_hand.begin(), at_hand.end());
    line.emplace_back("--");
    CHECK(contains(printed(line), "--shift\tA number (default 0..3)\n--op\t"));
    CHECK(contains(printed(line), "--backend\t"));
    CHECK_FALSE(contains(printed(line), "--skip"));
    CHECK_FALSE(contains(printed(line), "--load"));
  }
  CHECK_FALSE(contains(printed({"--complete", "probe", "--skip", "1", "--"}), "--shape"));
  CHECK(contains(printed({"--complete", "probe", "shift", "skip", "--"}), "--skip\t"));
  CHECK(printed({"--complete", "probe", "shift", "--carry", "l"}).empty());
  CHECK(printed({"--complete", "help", "sh"}) == "show\nshift\n");
  CHECK(contains(printed({"manual"}), "\n  carry "));
  CHECK(contains(error_of([] { static_cast<void>(parse_command_line({"completion", "csh"}, {registry})); }), "'csh'"));
}

TEST_CASE("version: commit, toolkit, architectures, compiler and build type on one line") {
  report::Tool tool{.version = "1.2.3",
                    .git_commit = "8405842c1b5e-dirty",
                    .compiler = "GNU 12.2.0",
                    .cuda_compiler = "NVIDIA 13.0.88",
                    .build_type = "Release"};
  CHECK(version_line(tool, "sm_80, sm_90") ==
        "gpumem 1.2.3 (commit 8405842c1b5e-dirty, CUDA 13.0 for sm_80, sm_90, built by GNU 12.2.0, Release)");
  tool.git_commit = "unknown";
  tool.cuda_compiler = "NVIDIA 13.1";
  tool.build_type = "";
  CHECK(version_line(tool, "sm_90") == "gpumem 1.2.3 (commit unknown, CUDA 13.1 for sm_90, built by GNU 12.2.0)");
}

}  // namespace gpumem::app::test_completion
