#pragma once
// The advice on a user's program, as data: the list that tables, Markdown and JSON share.

#include <cstdint>
#include <optional>
#include <string>

#include "report/record/callers.hpp"
#include "report/record/field_kinds.hpp"

namespace gpumem::report {

/// The access site that advice is about, by three members of its SiteRecord.
struct AdvisedSite {
  std::string site;
  std::string space;
  std::string op;
};

/// One thing worth doing, about one kernel.
struct AdviceRecord {
  std::string cause;             ///< a key that stays: "bank_conflicts" (report/advise/advice.hpp)
  std::string cure = {};         ///< another: "pad_rows"; empty where nothing is known that would remove the cause
  std::string text = {};         ///< for people: what is wrong, and what to change
  std::uint64_t result = 0;      ///< index into the report's results
  std::string kernel = {};       ///< its name, demangled
  std::string source_line = {};  ///< of the site: "file.cu:40"; empty where that is not known
  std::string python_line = {};  ///< from which it was launched: "model.py:42"; may be empty
  std::optional<std::string> operator_name = {};
  std::optional<ArrayRecord> array = {};
  std::optional<AdvisedSite> site = {};
  double saves_s = 0;  ///< of all launches, by the model
  std::optional<double> saves_low_s = {};
  std::optional<double> saves_high_s = {};
  std::optional<double> saves_share = {};  ///< of the program's time on the GPU
  std::string confidence = {};             ///< "high", "medium" or "low"
  std::string command = {};                ///< for a shell: measures the kernel again
};

template <class Archive>
void fields(Archive& archive, AdvisedSite& site) {
  archive("site", site.site);
  archive("space", site.space);
  archive("op", site.op);
}

template <class Archive>
void fields(Archive& archive, AdviceRecord& advice) {
  archive("cause", advice.cause);
  archive("cure", known(advice.cure));
  archive("text", advice.text);
  archive("result", advice.result);
  archive("kernel", advice.kernel);
  archive("source_line", known(advice.source_line));
  archive("python_line", known(advice.python_line));
  archive("operator", advice.operator_name);
  archive("array", advice.array);
  archive("site", advice.site);
  archive("saves_seconds", advice.saves_s);
  archive("saves_seconds_low", advice.saves_low_s);
  archive("saves_seconds_high", advice.saves_high_s);
  archive("saves_share", advice.saves_share);
  archive("confidence", advice.confidence);
  archive("command", advice.command);
}

}  // namespace gpumem::report
