#include "app/output/result_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "probes/error.hpp"
#include "report/explain/explain.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Reports up to this size are written after every case however long it takes.
constexpr std::size_t always_written_results = 100;

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

report::Format format_of_file(const std::string& path, const ResultRequest& request,
                              std::span<const report::NamedFormat> formats) {
  const std::string extension = extension_of(path);
  std::vector<std::string> extensions;
  for (const report::NamedFormat& one : formats) {
    if (std::ranges::find(one.extensions, extension) != one.extensions.end()) return one.format;
    extensions.insert(extensions.end(), one.extensions.begin(), one.extensions.end());
  }
  if (request.format) return *request.format;
  throw usage_error(fmt::format("--output: the extension of '{}' names no format; use {}, or add --format", path,
                                report::join(extensions, ", ")));
}

}  // namespace

void write_result(std::ostream& out, const std::string& text) {
  errno = 0;
  out << text << std::flush;
  if (out) return;
  const std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
  throw usage_error("cannot write to standard output" + reason);
}

ResultOutputs::ResultOutputs(const ResultRequest& request, std::span<const report::NamedFormat> formats,
                             const StandardOutput& standard_output)
    : out_(standard_output.stream), style_(table_style(standard_output.terminal, request.no_color)) {
  bool on_stdout = !request.files_only && (!request.quiet || request.outputs.empty());
  for (const std::string& path : request.outputs) {
    if (!request.files_only && (path == "-" || path == "/dev/stdout")) {
      on_stdout = true;
    } else {
      files_.push_back({.output = FileOutput(path), .format = format_of_file(path, request, formats)});
    }
  }
  if (on_stdout) standard_output_ = request.format.value_or(formats.front().format);
}

void ResultOutputs::write(const Render& render) const {
  const std::exception_ptr failure = write_files(render, true);  // of no concern to stdout
  if (standard_output_) write_result(out_, render(*standard_output_, style_));
  if (failure) std::rethrow_exception(failure);
}

void ResultOutputs::update(const Render& render) const {
  if (const std::exception_ptr failure = write_files(render, false)) std::rethrow_exception(failure);
}

std::exception_ptr ResultOutputs::write_files(const Render& render, bool last) const {
  std::exception_ptr failure;
  for (const File& file : files_) {
    if (!last && !file.output.rewritable()) continue;
    try {
      file.output.replace(render(file.format, {}));
    } catch (const Error&) {
      if (!failure) failure = std::current_exception();  // of no concern to the others
    }
  }
  return failure;
}

Outputs::Outputs(const ResultRequest& request, bool why, const StandardOutput& standard_output)
    : outputs_(request, report::table_formats(), standard_output), why_(why) {}

void Outputs::update_files(const report::Report& report) {
  if (!outputs_.has_files()) return;
  const auto start = std::chrono::steady_clock::now();
  if (report.results.size() > always_written_results && start - written_at_ < 4 * writing_took_) return;
  const report::Report whole = report::completed(report);
  outputs_.update(render(whole));
  written_at_ = std::chrono::steady_clock::now();
  writing_took_ = written_at_ - start;
}

void Outputs::finish(const report::Report& whole) { outputs_.write(render(whole)); }

ResultOutputs::Render Outputs::render(const report::Report& report) const {
  return [&report, why = why_](report::Format format, report::TableStyle style) {
    style.why = why;
    std::ostringstream text;
    report::write(text, report, format, style);
    return std::move(text).str();
  };
}

}  // namespace gpumem::app
