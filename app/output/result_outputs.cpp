#include "app/output/result_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

report::Format format_of_file(const std::string& path, const ResultRequest& request,
                              std::span<const report::NamedFormat> formats) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<std::string> extensions;
  for (const report::NamedFormat& one : formats) {
    if (std::ranges::find(one.extensions, extension) != one.extensions.end()) return one.format;
    extensions.insert(extensions.end(), one.extensions.begin(), one.extensions.end());
  }
  if (request.format) return *request.format;
  throw usage_error(fmt::format("--output: the extension of '{}' names no format; use {}, or add --format", path,
                                report::join(extensions, ", ")));
}

std::string text_of(const ResultOutputs::Write& write, report::Format format, const report::TableStyle& style) {
  std::ostringstream text;
  write(text, format, style);
  return std::move(text).str();
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
                             std::ostream& out, const Terminal& terminal)
    : out_(out), style_(table_style(terminal, request.no_color)) {
  style_.why = request.why;
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

ResultOutputs::Write ResultOutputs::of(const report::Report& report) {
  return [&report](std::ostream& out, report::Format format, const report::TableStyle& style) {
    report::write(out, report, format, style);
  };
}

void ResultOutputs::finish(const Write& write) const {
  both([&] { write_files(write, true); },
       [&] {
         if (standard_output_) write_result(out_, text_of(write, *standard_output_, style_));
       });
}

void ResultOutputs::write_files(const Write& write, bool last) const {
  try_each(files_, [&](const File& file) {
    if (last || file.output.rewritable()) file.output.replace(text_of(write, file.format, {.why = style_.why}));
  });
}

}  // namespace gpumem::app
