#include "app/output/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ostream>

#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

constexpr unsigned narrowest = 40;
constexpr auto update_interval = std::chrono::milliseconds(50);
constexpr const char* erase_line = "\r\x1b[K";

unsigned columns_from(const std::string& text) {
  unsigned columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return error == std::errc() && end == text.data() + text.size() ? columns : 0;
}

/// By the first of the variables that is set, as setlocale() does.
bool is_utf8(const std::function<std::string(const char* name)>& variable) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = variable(name);
    const auto names = [&](const char* charset) { return locale.find(charset) != std::string::npos; };
    if (!locale.empty()) return names("UTF-8") || names("utf-8") || names("UTF8") || names("utf8");
  }
  return false;
}

}  // namespace

Terminal describe_terminal(bool is_terminal, unsigned columns,
                           const std::function<std::string(const char* name)>& variable) {
  Terminal terminal;
  terminal.is_terminal = is_terminal;
  const unsigned asked = columns_from(variable("COLUMNS"));
  const unsigned known = asked > 0 ? asked : is_terminal ? columns : 0;
  if (known > 0) terminal.text_width = std::max(known, narrowest);
  if (known > 0 || is_terminal) terminal.width = terminal.text_width;
  const std::string forced = variable("FORCE_COLOR");
  const bool takes_color = is_terminal && variable("TERM") != "dumb";
  terminal.color = variable("NO_COLOR").empty() && (takes_color || (!forced.empty() && forced != "0"));
  terminal.block_characters = is_terminal && is_utf8(variable);
  return terminal;
}

Terminal inspect_terminal(int file_descriptor) {
  const bool is_terminal = isatty(file_descriptor) == 1;
  winsize size{};
  const bool known = is_terminal && ioctl(file_descriptor, TIOCGWINSZ, &size) == 0;
  return describe_terminal(is_terminal, known ? size.ws_col : 0, [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
}

report::TableStyle table_style(const Terminal& terminal, Color color) {
  const bool colored = color == Color::always || (color == Color::automatic && terminal.color);
  return {.width = terminal.width, .color = colored, .bars = terminal.block_characters};
}

void say(std::ostream& err, const std::string& text) { err << "gpumem: " << report::one_line(text) << std::endl; }

Progress::Progress(std::ostream& out, const Terminal& terminal, bool enabled)
    : out_(out), enabled_(enabled && terminal.is_terminal), width_(terminal.width) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& text) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (visible_ && now - shown_at_ < update_interval) return;
  out_ << erase_line << text.substr(0, width_ - 1) << std::flush;
  visible_ = true;
  shown_at_ = now;
}

void Progress::clear() {
  if (!visible_) return;
  out_ << erase_line << std::flush;
  visible_ = false;
}

}  // namespace gpumem::app
