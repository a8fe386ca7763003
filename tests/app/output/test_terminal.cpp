#include <map>
#include <string>

#include "app/output/terminal.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_terminal {

namespace {

Terminal describe(bool is_terminal, unsigned columns, const std::map<std::string, std::string>& variables) {
  return describe_terminal(is_terminal, columns, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

}  // namespace

TEST_CASE("terminal: colour and bars only on a terminal") {
  const Terminal terminal = describe(true, 120, {{"LANG", "en_US.UTF-8"}, {"TERM", "xterm"}});
  CHECK(terminal.color);
  CHECK(terminal.block_characters);
  const Terminal pipe = describe(false, 0, {{"LANG", "en_US.UTF-8"}, {"TERM", "xterm"}});
  CHECK_FALSE(pipe.color);
  CHECK_FALSE(pipe.block_characters);
}

TEST_CASE("terminal: NO_COLOR and --no-color take the colours, not the bars") {
  const Terminal terminal = describe(true, 120, {{"LANG", "C.utf8"}, {"NO_COLOR", "1"}});
  CHECK_FALSE(terminal.color);
  CHECK(terminal.block_characters);
  CHECK(describe(true, 120, {{"NO_COLOR", ""}}).color);
  CHECK_FALSE(describe(true, 120, {{"TERM", "dumb"}}).color);
  const auto style = table_style(describe(true, 120, {{"LANG", "C.utf8"}}), Color::never);
  CHECK_FALSE(style.color);
  CHECK(style.bars);
}

TEST_CASE("terminal: FORCE_COLOR and --color always give a pipe its colours, and no bars") {
  CHECK(describe(false, 0, {{"FORCE_COLOR", "1"}}).color);
  CHECK(describe(true, 80, {{"FORCE_COLOR", "3"}, {"TERM", "dumb"}}).color);
  CHECK_FALSE(describe(false, 0, {{"FORCE_COLOR", ""}}).color);
  CHECK_FALSE(describe(false, 0, {{"FORCE_COLOR", "0"}}).color);
  CHECK_FALSE(describe(false, 0, {{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}}).color);
  const Terminal pipe = describe(false, 0, {{"LANG", "C.utf8"}, {"NO_COLOR", "1"}});
  CHECK(table_style(pipe, Color::always).color);
  CHECK_FALSE(table_style(pipe, Color::always).bars);
  CHECK_FALSE(table_style(pipe, Color::automatic).color);
  CHECK_FALSE(table_style(describe(false, 0, {{"FORCE_COLOR", "1"}}), Color::never).color);
}

TEST_CASE("terminal: the first locale variable that is set decides on block characters") {
  CHECK_FALSE(describe(true, 80, {}).block_characters);
  CHECK_FALSE(describe(true, 80, {{"LC_ALL", "C"}, {"LANG", "en_US.UTF-8"}}).block_characters);
  CHECK(describe(true, 80, {{"LC_CTYPE", "C.UTF-8"}, {"LANG", "C"}}).block_characters);
}

TEST_CASE("terminal: width is what COLUMNS says, else the terminal's") {
  CHECK(describe(true, 132, {}).width == 132);
  CHECK(describe(true, 132, {{"COLUMNS", "90"}}).width == 90);
  CHECK(describe(true, 132, {{"COLUMNS", "wide"}}).width == 132);
  CHECK(describe(true, 0, {}).width == 80);
  CHECK(describe(true, 3, {}).width == 40);
  CHECK(describe(false, 0, {}).width == 100);
  CHECK(describe(false, 0, {{"COLUMNS", "70"}}).width == 70);
  CHECK(describe(true, 132, {}).text_width == 132);
  CHECK(describe(true, 0, {}).text_width == 80);
  CHECK(describe(false, 132, {}).text_width == 80);
  CHECK(describe(false, 0, {{"COLUMNS", "70"}}).text_width == 70);
}

}  // namespace gpumem::app::test_terminal
