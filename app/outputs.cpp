#include "app/outputs.hpp"

#include <fmt/format.h>

#include <exception>
#include <ostream>
#include <sstream>

#include "probes/error.hpp"
#include "report/complete.hpp"

namespace gpumem::app {

namespace {

/// Reports up to this size are written after every case however long it takes.
constexpr std::size_t always_written_results = 100;

std::string rendered(const report::Report& report, report::Format format, const report::TableStyle& style) {
  std::ostringstream text;
  report::write(text, report, format, style);
  return text.str();
}

}  // namespace

FileTarget choose_file(const std::string& path, std::optional<report::Format> format) {
  const auto by_extension = report::format_from_extension(path);
  if (by_extension) format = by_extension;
  if (!format) {
    throw usage_error(
        fmt::format("--output: the extension of '{}' names no format; use .json, .csv, .md, .markdown or "
                    ".txt, or add --format",
                    path));
  }
  return {.path = path, .format = *format};
}

Targets choose_targets(const ProbeArguments& arguments) {
  Targets targets;
  bool standard_output = !arguments.quiet || arguments.outputs.empty();
  for (const std::string& path : arguments.outputs) {
    if (path == "-" || path == "/dev/stdout") {
      standard_output = true;
    } else {
      targets.files.push_back(choose_file(path, arguments.format));
    }
  }
  if (standard_output) targets.standard_output = arguments.format.value_or(report::Format::table);
  return targets;
}

Outputs::Outputs(const Targets& targets, const report::TableStyle& style, std::ostream& out)
    : out_(out), style_(style), standard_output_(targets.standard_output) {
  for (const FileTarget& file : targets.files) {
    files_.push_back({.output = report::FileOutput(file.path), .format = file.format});
  }
}

void Outputs::update_files(const report::Report& report) {
  if (files_.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  if (report.results.size() > always_written_results && start - written_at_ < 4 * writing_took_) return;
  write_files(report::completed(report), false);
  written_at_ = std::chrono::steady_clock::now();
  writing_took_ = written_at_ - start;
}

void Outputs::finish(const report::Report& report) {
  const report::Report whole = report::completed(report);
  std::exception_ptr failure;
  try {
    write_files(whole, true);
  } catch (const Error&) {
    failure = std::current_exception();  // of no concern to stdout
  }
  if (standard_output_) write_result(out_, rendered(whole, *standard_output_, style_));
  if (failure) std::rethrow_exception(failure);
}

void Outputs::write_files(const report::Report& report, bool last) const {
  std::exception_ptr first_failure;
  for (const File& file : files_) {
    if (!last && !file.output.rewritable()) continue;
    try {
      file.output.replace(rendered(report, file.format, {.why = style_.why}));
    } catch (const Error&) {
      if (!first_failure) first_failure = std::current_exception();
    }
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace gpumem::app
