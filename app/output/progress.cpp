#include "app/output/progress.hpp"

#include <ostream>

namespace gpumem::app {

namespace {

constexpr auto update_interval = std::chrono::milliseconds(50);
constexpr const char* erase_line = "\r\x1b[K";

}  // namespace

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
