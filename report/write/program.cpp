#include "report/write/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "probes/words.hpp"
#include "report/explain/site_story.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_rows = 10;
constexpr double worth_a_row = 0.03;  // of a kernel's own time
constexpr std::size_t widest_name = 40;

double metric_or_0(const Record& record, const char* name) { return metric_value(record, name).value_or(0); }

bool is_seen(const Record& record) { return record.status == Status::ok; }

bool is_fine(const Record& record) {
  return is_seen(record) && metric_or_0(record, could_save_name) <= worth_a_row * metric_or_0(record, gpu_time_name);
}

/// Where the name without its arguments ends: at the bracket that the last one belongs to, but for what a lambda has.
std::size_t end_of_name(const std::string& name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>' && depth > 0) --depth;
    if (name[i] == '(' && depth == 0 && name.compare(i, 21, "(anonymous namespace)") != 0) return i;
  }
  return name.size();
}

/// The last part of the name, without what stands in brackets behind it.
std::string bare_name(const std::string& whole) {
  const std::string name = whole.substr(0, end_of_name(whole));
  std::size_t begin = 0;
  std::size_t end = name.size();
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' && depth++ == 0) end = i;
    if (name[i] == '>') --depth;
    if (depth > 0) continue;
    if (name[i] == ' ' || name[i] == ':') {
      begin = i + 1;
      end = name.size();
    }
  }
  return begin < end ? name.substr(begin, end - begin) : name;
}

/// Words of what stands in brackets, in their order.
std::vector<std::string> template_words(const std::string& whole) {
  const std::string name = whole.substr(0, end_of_name(whole));
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = std::min(name.find('<'), name.size()); i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : ' ';
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

std::string percent_text(double share) { return trimmed(share * 100, 1); }

Row row_of(const Record& record, const std::string& name) {
  const auto cell = [](std::optional<double> value, double factor, unsigned decimals) {
    return value ? trimmed(*value * factor, decimals) : std::string("-");
  };
  Row row;
  const auto saved = metric_value(record, could_save_name);
  row.cells = {name,
               cell(metric_value(record, gpu_share_name), 100, 1),
               cell(metric_value(record, launches_name), 1, 0),
               cell(record.fraction_of_peak, 100, 0),
               cell(metric_value(record, moved_name), 1, 1),
               saved ? significant(*saved * 1e3, 2) : "-",
               is_seen(record) ? record.why_brief : "not seen: " + one_line(record.reason.value_or("no reason known"))};
  row.position = name;
  return row;
}

std::vector<Column> columns() {
  return {{.heading = {"kernel", ""}, .names = true},
          {.heading = {"GPU time", "%"}},
          {.heading = {"launches", ""}, .rank = 2},
          {.heading = {"of peak", "%"}, .rank = 3},
          {.heading = {"bytes moved", "/byte used"}, .rank = 1},
          {.heading = {"could save", "ms"}},
          {.heading = {"why", ""}, .names = true, .prose = true}};
}

/// "19 kernels in 7270 launches of python3 train.py, 1.3 s on the GPU; 19 launches seen access by access, 0.26 s for
/// it".
std::string summary(const ProgramRecord& program) {
  std::vector<std::string> words;
  for (const std::string& word : program.command) words.push_back(shell_quoted(word));
  std::string text = fmt::format(
      "{} in {} of {}", counted(program.kernels_seen, "kernel"),
      program.launches_seen == 1 ? "1 launch" : fmt::format("{} launches", program.launches_seen), join(words, " "));
  if (program.gpu_seconds) text += fmt::format(", {} on the GPU", value_words("time_seconds", *program.gpu_seconds));
  text +=
      fmt::format("; {} seen access by access",
                  program.launches_counted == 1 ? "1 launch" : fmt::format("{} launches", program.launches_counted));
  if (program.sampling_seconds && program.launches_counted > 0) {
    text += fmt::format(", {} for it", value_words("time_seconds", *program.sampling_seconds));
  }
  return text + ".";
}

/// The kernels that have nothing to change, in one line.
std::string fine_words(const std::vector<const Record*>& fine) {
  double share = 0;
  for (const Record* record : fine) share += metric_or_0(*record, gpu_share_name);
  return fmt::format("{} {} fine: {} % of the GPU time.", counted(fine.size(), "kernel"),
                     fine.size() == 1 ? "is" : "are", percent_text(share));
}

}  // namespace

std::vector<std::string> short_kernel_names(const std::vector<std::string>& names) {
  std::map<std::string, std::set<std::string>> alike;  // whole names by bare ones
  for (const std::string& name : names) alike[bare_name(name)].insert(name);
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const std::string bare = bare_name(name);
    result.push_back(bare);
    const auto& others = alike[bare];
    if (others.size() < 2) continue;
    std::map<std::string, std::size_t> users;
    for (const std::string& other : others) {
      const auto words = template_words(other);
      for (const std::string& word : std::set<std::string>(words.begin(), words.end())) ++users[word];
    }
    const auto words = template_words(name);
    const auto own = std::ranges::min_element(words, {}, [&](const std::string& word) { return users[word]; });
    if (own != words.end()) result.back() += "<" + *own + ">";
  }
  return result;
}

Page program_page(const Report& report) {
  const ProgramRecord& program = *report.program;
  Page page;
  page.before.push_back({summary(program), Tint::bold});
  for (const std::string& line : preamble(report)) page.before.push_back({line, Tint::dim});

  std::vector<std::string> names;
  for (const Record& record : report.results) {
    names.push_back(record.parameters.empty() ? "?" : one_line(to_string(record.parameters.front().value)));
  }
  const std::vector<std::string> short_names = short_kernel_names(names);
  Block block;
  block.title = "Kernels by what could be saved";
  block.parameter_columns = 1;
  block.columns = columns();
  std::vector<const Record*> fine;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Record& record = report.results[i];
    if (is_fine(record)) {
      fine.push_back(&record);
    } else if (block.rows.size() < most_rows) {
      block.rows.push_back(row_of(record, truncated(short_names[i], widest_name)));
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) {
    block.findings.push_back(
        fmt::format("{} more; --output run.json and gpumem explain run.json have them all.", left_out));
  }
  if (!fine.empty()) block.findings.push_back(fine_words(fine));
  if (block.rows.empty()) {
    for (const std::string& finding : block.findings) page.after.push_back({finding});
  } else {
    page.blocks.push_back(std::move(block));
  }
  for (const auto& [reason, launches] : program.skipped) {
    page.after.push_back({fmt::format("{} not seen access by access: {}.",
                                      launches == 1 ? "1 launch" : fmt::format("{} launches", launches), reason),
                          Tint::yellow});
  }
  for (const std::string& note : program.notes) page.after.push_back({capitalised(note) + ".", Tint::yellow});
  return page;
}

}  // namespace gpumem::report
