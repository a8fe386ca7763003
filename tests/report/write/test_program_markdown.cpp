// A program's report in Markdown: a page of at most 60 lines and 1,500 tokens, whatever the program's names hold.

#include <algorithm>
#include <set>
#include <sstream>

#include "report/advise/advice.hpp"
#include "report/explain/explain.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"
#include "report/text/tokens.hpp"
#include "report/write/blocks.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::report::test_program_markdown {

namespace {

std::string markdown(const Report& report) {
  std::ostringstream out;
  write_markdown(out, report);
  return out.str();
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("A program's Markdown has at most 60 lines", "[run][markdown]") {
  Report report = examples::program();
  report.results.clear();
  for (int i = 0; i < 1000; ++i) {
    Record& record = report.results.emplace_back(
        examples::kernel_case("kernel" + std::to_string(i) + "(float*)", 1e-3 * (i + 1), 1e-4 * (i + 1)));
    record.caller = "model.py:42 in forward";
    record.access.front().array = ArrayRecord{1 << 20, "load.py:7 in load"};
    if (i % 3 == 0) record.status = Status::skipped;
  }
  for (std::uint64_t i = 0; i < 40; ++i) {
    report.program->skipped.emplace_back("reason " + std::to_string(i), i + 1);
    report.program->notes.push_back("note " + std::to_string(i));
  }
  const std::string text = markdown(report);
  CHECK(std::ranges::count(text, '\n') <= 60);
  CHECK(estimated_tokens(text) <= most_markdown_tokens);
  CHECK(says(text, "\n5. `kernel992` could save **99 ms**"));
  CHECK(says(text, "\n661 more kernels could save "));
  CHECK(says(text, "### Kernels by GPU time: 6 of 1000\n"));
  CHECK(says(text, "\n- And "));
}

TEST_CASE("A program's Markdown fits its tokens, and keeps what the first kernel needs", "[run][markdown]") {
  Report report = examples::program();
  report.results.clear();
  const std::string long_name = "void at::native::elementwise_kernel<" + std::string(200, 'x');
  for (int i = 0; i < 300; ++i) {
    Record& record = report.results.emplace_back(
        examples::kernel_case(long_name + std::to_string(i) + ">(float*)", 1e-3 * (i + 1), 1e-4 * (i + 1)));
    record.caller = "a/very/long/path/of/a/module/model_" + std::to_string(i) + ".py:42 in forward.<locals>.<lambda>";
    record.access.front().array = ArrayRecord{1 << 20, "load.py:7 in load"};
  }
  for (int i = 0; i < 40; ++i) report.program->notes.push_back(std::string(30, 'n') + " " + std::string(5000, 'm'));
  for (int i = 0; i < 20; ++i) report.program->command.push_back("--argument-" + std::to_string(i));
  report.advice = program_advice(report);
  std::string detail;
  for (int i = 0; i < 200; ++i) detail += "in 1 % of requests lanes apart; ";
  report.advice->front().text =
      "stores: " + detail + "32 sectors where 4 would do (app.cu:14); let lanes take neighbours";
  const std::string text = markdown(report);
  INFO(text);
  CHECK(estimated_tokens(text) <= most_markdown_tokens);
  CHECK(says(text, "\n1. `"));
  CHECK(says(text, "   - Stores: in 1 % of requests"));
  CHECK(says(text, "32 sectors where 4 would do (app.cu:14); let lanes take neighbours\n"));
  CHECK(says(text, markdown_code(report.advice->front().command)));
  CHECK(says(text, "\nLeft out to fit 1,500 tokens: "));
  CHECK(says(text, "parts of reasons. `gpumem show FILE.json` shows more of a saved report.\n"));
}

TEST_CASE("A program's Markdown fits its tokens with a command that does not", "[run][markdown]") {
  Report report = examples::program();
  report.program->command.insert(report.program->command.end(), 3000, "--argument");
  report.advice.reset();
  const std::string text = markdown(report);
  INFO(text);
  CHECK(estimated_tokens(text) <= most_markdown_tokens);
  CHECK(says(text,
             "- Measure it again: `gpumem run --kernel '^void at::native::elementwise_kernel<' --output after.json "
             "--` and the program's command\n"));
}

TEST_CASE("A program's Markdown says once what would be said twice, if it has to", "[run][markdown]") {
  Report report = examples::program();
  report.results.clear();
  for (int i = 0; i < 10; ++i) {
    Record& record = report.results.emplace_back(examples::kernel_case("sort(int*)", 1e-3 * (i + 1), 1e-4 * (i + 1)));
    for (Parameter& parameter : record.parameters) {
      if (parameter.name == grid_parameter) parameter.value = std::to_string(i + 1);
    }
  }
  report.program->command = {"./sort", std::string(600, 'x')};
  const std::string text = markdown(report);
  INFO(text);
  CHECK(says(text, "   - Measure it again as in 1\n"));
  CHECK(says(text, "| like 1 above |"));
}

TEST_CASE("A program's Markdown says what to change, where, and how to measure it again", "[run][markdown]") {
  Report report = examples::program();
  report.results[0].caller = "model.py:42 in forward";
  report.results[0].operator_name = "aten::copy_";
  report.results[0].access[0].array = ArrayRecord{256 << 20, "load.py:7 in load"};
  report.results[1].access[0].array = ArrayRecord{1 << 20, {}};
  const std::string text = markdown(report);
  CHECK(says(text, "could save **9.8 ms** (7.8 ms to 11 ms), 32 % of the GPU time, high confidence\n"));
  CHECK(says(
      text,
      "- Launched at `model.py:42 in forward` by `aten::copy_`, on an array of 256 MiB made at `load.py:7 in load`\n"));
  CHECK(says(text, "- On an array of 1 MiB\n"));
  CHECK(
      says(text, "- Measure it again: `gpumem run --kernel '^void tile<' --output after.json -- python3 train.py`\n"));
  CHECK(says(text, " | see 1 above |"));
  CHECK(says(text, "\n- 10 launches not seen access by access: launched by a CUDA graph.\n"));
  CHECK(says(text, "\n- Note: GPUs of compute capability 8.9 are not watched by this build\n"));
}

TEST_CASE("A program's Markdown is sound whatever its names hold", "[run][markdown]") {
  Report report = examples::program();
  report.results[0].parameters[0].value = "a|b`c``d(int\n\x1b[31m)";
  report.results[0].access[0].site = "x|y`z\n# heading:3";
  report.results[0].caller = "`rm -rf`|\n";
  report.program->command = {"./a|b", "`reboot`", "\n", "$(x)"};
  report.program->notes = {"| a | b |\n# not a heading"};
  const std::string text = markdown(report);
  std::istringstream lines(text);
  std::size_t columns = 0;
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(one_line(line) == line);
    CHECK_FALSE(line.starts_with("# "));
    if (!line.starts_with('|')) continue;
    std::size_t pipes = 0;  // that end a cell
    for (std::size_t i = 0; i < line.size(); ++i) pipes += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1U : 0U;
    if (columns == 0) columns = pipes;
    CHECK(pipes == columns);
  }
  CHECK(columns > 3);
  CHECK(says(text, "1. ``` a|b`c``d"));
}

TEST_CASE("A kernel has one short name in a program's Markdown", "[run][markdown]") {
  Report report = examples::program();
  const std::string name = "void reduce_all_partial_sums<vectorised_policy<4, 128>, plus_operation>(float*, int)";
  report.results[0].parameters[0].value = name;
  const std::string text = markdown(report);
  std::set<std::string> names;
  for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', text.find('`', at + 1) + 1)) {
    const std::string code = text.substr(at + 1, text.find('`', at + 1) - at - 1);
    if (code.find("reduce_all") != std::string::npos && !code.starts_with("gpumem")) names.insert(code);
  }
  CHECK(names.size() == 1);
}

TEST_CASE("Code in Markdown is between more backticks than it has together", "[markdown]") {
  CHECK(markdown_code("a") == "`a`");
  CHECK(markdown_code("a`b") == "`` a`b ``");
  CHECK(markdown_code("``") == "``` `` ```");
  CHECK(markdown_code("") == "` `");
  CHECK(markdown_code("a\nb") == "`a b`");
}

TEST_CASE("A program without a kernel says so in Markdown", "[run][markdown]") {
  Report report = examples::program();
  report.results.clear();
  report.program->launches_seen = 0;
  report.program->skipped.clear();
  CHECK(markdown(report).starts_with("## gpumem: no kernel was launched by `python3 train.py`\n"));
}

}  // namespace gpumem::report::test_program_markdown
