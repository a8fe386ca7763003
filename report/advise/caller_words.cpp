#include "report/advise/caller_words.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "engine/base/words.hpp"
#include "report/record/frames.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_further_out = 3;

/// The program's own, behind the one that is named as the caller.
std::vector<std::string> further_out(const Record& record) {
  std::vector<std::string> frames;
  bool is_caller = true;
  for (const FrameRecord& frame : record.called_from.value_or(std::vector<FrameRecord>())) {
    if (frame.library || std::exchange(is_caller, false)) continue;
    if (frames.size() < most_further_out) frames.push_back(frame_words(frame));
  }
  return frames;
}

}  // namespace

std::string caller_words(const Record& record) {
  if (record.caller) return "asked for by " + one_line(*record.caller);
  return record.operator_name ? "asked for by " + one_line(*record.operator_name) : "";
}

std::string caller_sentences(const Record& record) {
  std::string words = caller_words(record);
  if (words.empty()) return words;
  if (record.caller && record.operator_name) words += " for " + one_line(*record.operator_name);
  const std::vector<std::string> outer = further_out(record);
  if (!outer.empty()) words += ", called from " + join(outer, ", ");
  return capitalised(words) + ".";
}

std::string array_words(const SiteRecord& site) {
  if (!site.array || !site.array->made_at) return "";
  const std::string& place = *site.array->made_at;
  // Its line suffices: the function makes it no easier to find.
  return fmt::format(" of the {} made at {}", size_text(site.array->bytes),
                     one_line(place.substr(0, place.find(" in "))));
}

}  // namespace gpumem::report
