// The command line as data, and what is made of it. What shells make of the scripts, tests/program/test_completion.py
// tries in the shells themselves.

#include <algorithm>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/command_line/completion.hpp"
#include "app/command_line/interface.hpp"
#include "app/command_line/manual.hpp"
#include "app/command_line/version.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

using namespace gpumem;
using namespace gpumem::app;
using namespace gpumem::app::test;

namespace {

using Words = std::vector<std::string>;
using Takes = OptionEntry::Takes;

const std::vector<Probe> registry = fake_probes_and_alternatives();

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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
                             .repeatable = true,
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
  return {.program = {.name = "", .purpose = "", .arguments = {}, .options = {}, .footer = ""}, .commands = {command}};
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

  const Choices profile = choices_of("PROFILE|FILE", {registry});
  CHECK(std::ranges::find(profile.words, "h200") != profile.words.end());
  CHECK((profile.files == Choices::Files::json));
}

TEST_CASE("completion: an axis takes its names, its numbers, and as an example its default range") {
  const Choices op = axis_choices("op", registry);
  CHECK(op.words == Words{"read", "write", "copy"});
  CHECK(op.list);
  CHECK(axis_choices("shift", registry).words == Words{"0..3", "0"});  // of two probes
  CHECK(axis_choices("shape", registry).words == Words{"1", "2", "4", "auto"});
  CHECK(axis_choices("carry", registry).words == Words{"cart", "lorry", "barge"});
  CHECK(axis_choices("nothing", registry).words.empty());
}

TEST_CASE("completion: beside an option stands the first clause of its help") {
  CHECK(short_help("cuda measures, and fails without a GPU (default); model predicts") ==
        "cuda measures, and fails without a GPU");
  CHECK(short_help("Stop after this time, e.g. --time 2s") == "Stop after this time");
  CHECK(short_help("With --from: hold the rates against it; repeatable") == "With --from: hold the rates against it");
  CHECK(short_help("Short") == "Short");
  CHECK(short_help("").empty());
}

TEST_CASE("completion: scripts quote what means something to their shell") {
  const std::string bash = bash_completion(example());
  CHECK_FALSE(contains(bash, "'run --plain'"));  // a switch has no values
  CHECK(contains(bash, "    'run --op') takes=1 words=(read '1..8*2') list=1 ;;\n"));
  CHECK(contains(bash, "    'run --count') words=(require) ;;\n"));
  CHECK(contains(bash, "    'run 1') files='*.json' ;;\n    'run '[0-9]*) words=(offset bank) ;;\n"));
  CHECK(contains(bash, "    'run') options=(--plain -p --op --with --count --count=require) ;;\n"));

  const std::string zsh = zsh_completion(example());
  CHECK(contains(zsh, "    'run:Run it\\: now'\n"));
  CHECK(contains(zsh, "'(--plain -p)-p[It'\\''s the \\[plain\\] switch]'"));
  CHECK(contains(zsh, "'*--op=[What the kernel does]:VALUES:_sequence compadd - read 1..8\\*2'"));
  CHECK(contains(zsh, "'--with=[Alternatives]::[VALUES]:(a)'"));
  CHECK(contains(zsh, "'--count=-[Count]::[=require]:(require)'"));
  CHECK(contains(zsh, "'1:REPORT:_files -g \"*.json\"'"));

  const std::string fish = fish_completion(example());
  CHECK(contains(fish, "-l plain -s p -d 'It\\'s the [plain] switch'\n"));
  CHECK(contains(fish, " -l op -x -a '(__gpumem_list \\'read\\' \\'1..8*2\\')' -d 'What the kernel does'\n"));
  CHECK(contains(fish, " -l count -a 'require' -d 'Count'\n"));
  CHECK(contains(fish, "        'run --op' \\\n        'run --with'\n"));  // --count leaves the next word alone
}

TEST_CASE("manual: whatever texts hold, roff shows them as they are") {
  const std::string page = manual_page(example());
  CHECK(contains(page, ".SS gpumem run\nRun it: now.\n.PP\n\\fBgpumem run\\fR \\fIREPORT\\fR [\\fIPROBE\\fR...]"));
  CHECK(contains(page, ".TP\n\\fB\\-p\\fR, \\fB\\-\\-plain\\fR\nIt's the [plain] switch; why not\n"));
  CHECK(contains(page, "\\fB\\-\\-count\\fR[=\\fBrequire\\fR]\n"));
  CHECK(contains(page, ".EX\nExamples:\n  gpumem run\\eit\n  'quoted'\n.EE\n"));
  CHECK(contains(page, ".PP\nAxes:\n"));
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
  for (const char* shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    const std::string text = std::get<TextRequest>(parse_command_line({"completion", shell}, {registry})).text;
    for (const char* part : {"carry", "lorry", "backend", "explain"}) CHECK(contains(text, part));
    CHECK_FALSE(contains(text, "bank-stride"));
  }
  CHECK(contains(std::get<TextRequest>(parse_command_line({"manual"}, {registry})).text, "\\fB\\-\\-carry\\fR"));
  CHECK(contains(error_of([] { static_cast<void>(parse_command_line({"completion", "csh"}, {registry})); }), "'csh'"));
}

TEST_CASE("version: commit, toolkit, compiler and build type on one line") {
  report::Tool tool{.version = "1.2.3",
                    .git_commit = "8405842c1b5e-dirty",
                    .compiler = "GNU 12.2.0",
                    .cuda_compiler = "NVIDIA 13.0.88",
                    .build_type = "Release"};
  CHECK(version_line(tool) == "gpumem 1.2.3 (commit 8405842c1b5e-dirty, CUDA 13.0, built by GNU 12.2.0, Release)");
  tool.git_commit = "unknown";
  tool.cuda_compiler = "NVIDIA 13.1";
  tool.build_type = "";
  CHECK(version_line(tool) == "gpumem 1.2.3 (commit unknown, CUDA 13.1, built by GNU 12.2.0)");
}
