#include "app/output/result_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "probes/error.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

std::string format_of_file(const std::string& path, const ResultRequest& request,
                           std::span<const ResultFormat> formats) {
  const std::string extension = extension_of(path);
  std::vector<std::string> extensions;
  for (const ResultFormat& one : formats) {
    if (std::ranges::find(one.extensions, extension) != one.extensions.end()) return one.name;
    extensions.insert(extensions.end(), one.extensions.begin(), one.extensions.end());
  }
  if (request.format) return *request.format;
  throw usage_error(fmt::format("--output: the extension of '{}' names no format; use {}, or add --format", path,
                                report::join(extensions, ", ")));
}

}  // namespace

const std::vector<ResultFormat>& table_formats() {
  using report::Format;
  const auto named = [](Format format) { return *name_of(format); };
  static const std::vector<ResultFormat> formats = {{named(Format::table), {".txt"}},
                                                    {named(Format::json), {".json"}},
                                                    {named(Format::csv), {".csv"}},
                                                    {named(Format::markdown), {".md", ".markdown"}}};
  return formats;
}

std::vector<std::string> names_of(std::span<const ResultFormat> formats) {
  std::vector<std::string> names;
  for (const ResultFormat& one : formats) names.push_back(one.name);
  return names;
}

std::optional<std::string> name_of(std::optional<report::Format> format) {
  return format ? std::optional(std::string(report::to_string(*format))) : std::nullopt;
}

ResultOutputs::ResultOutputs(const ResultRequest& request, std::span<const ResultFormat> formats,
                             const Environment& environment)
    : out_(environment.out), style_(table_style(environment.out_terminal, request.no_color)) {
  bool standard_output = !request.files_only && (!request.quiet || request.outputs.empty());
  for (const std::string& path : request.outputs) {
    if (!request.files_only && (path == "-" || path == "/dev/stdout")) {
      standard_output = true;
    } else {
      files_.push_back({.output = report::FileOutput(path), .format = format_of_file(path, request, formats)});
    }
  }
  if (standard_output) standard_output_ = request.format.value_or(formats.front().name);
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

}  // namespace gpumem::app
