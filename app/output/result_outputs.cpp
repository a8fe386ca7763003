#include "app/output/result_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "engine/base/unpack.hpp"
#include "engine/base/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

std::string extension_of(const std::string& path) { return lower(std::filesystem::path(path).extension().string()); }

std::optional<report::Format> format_of_extension(const std::string& extension,
                                                  std::span<const report::NamedFormat> formats) {
  for (const report::NamedFormat& known : formats) {
    if (std::ranges::find(known.extensions, extension) != known.extensions.end()) return known.format;
  }
  return std::nullopt;
}

/// The format of a file; nullopt for a picture.
std::optional<report::Format> format_of_file(const std::string& path, const ResultRequest& request,
                                             std::span<const report::NamedFormat> formats) {
  if (const std::string unpacked = without_packing(path); unpacked != path) {
    throw usage_error(
        fmt::format("--output: '{}' would not be compressed; write '{}', and compress that", path, unpacked));
  }
  const std::string extension = extension_of(path);
  const auto asked =
      std::ranges::find_if(formats, [&](const report::NamedFormat& known) { return known.format == request.format; });
  if (asked != formats.end() &&
      std::ranges::find(asked->extensions_if_asked, extension) != asked->extensions_if_asked.end()) {
    return asked->format;
  }
  if (const auto format = format_of_extension(extension, formats)) return format;
  if (format_of_extension(extension, report::picture_formats())) return std::nullopt;
  if (request.format) return request.format;
  std::vector<std::string> extensions;
  for (const auto& group : {formats, report::picture_formats()}) {
    for (const report::NamedFormat& known : group) {
      extensions.insert(extensions.end(), known.extensions.begin(), known.extensions.end());
    }
  }
  throw usage_error(fmt::format("--output: the extension of '{}' names no format; use {}, or add --format", path,
                                report::join(extensions, ", ")));
}

std::string made(const ResultOutputs::Write& write, report::Format format, const report::TableStyle& style) {
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
  throw OutputError("cannot write to standard output" + reason);
}

ResultRequest reading(const ResultRequest& request, std::span<const std::string> inputs) {
  ResultRequest all = request;
  all.inputs.insert(all.inputs.end(), inputs.begin(), inputs.end());
  return all;
}

ResultOutputs::ResultOutputs(const ResultRequest& request, std::span<const report::NamedFormat> formats,
                             std::ostream& out, const Terminal& terminal)
    : out_(out), style_(table_style(terminal, request.color)), choices_(request.choices) {
  style_.brief = request.brief;
  style_.why = request.why;
  style_.picture = request.picture;
  style_.columns = request.columns;
  bool on_stdout = !request.files_only && (!request.quiet || request.outputs.empty());
  for (const std::string& path : request.outputs) {
    if (!request.files_only && (path == "-" || path == "/dev/stdout")) {
      on_stdout = true;
    } else {
      const auto format = format_of_file(path, request, formats);
      (format ? files_ : pictures_)
          .push_back(
              {.path = path,
               .output = FileOutput(path, request.inputs, request.missing_folder),
               .format = format ? *format : *format_of_extension(extension_of(path), report::picture_formats())});
    }
  }
  if (pictures_.empty() && choices_ != PictureChoices{}) {
    throw usage_error("--figure, --y and --scale choose what a figure shows; add one: --output figure.svg");
  }
  for (const File& picture : pictures_) refuse_undrawable(picture.format, picture.path);
  // Pipes and devices come last: the reader of a pipe may be slow, or gone.
  std::ranges::stable_partition(files_, [](const File& file) { return file.output.rewritable(); });
  if (on_stdout) standard_output_ = request.format.value_or(formats.front().format);
}

ResultOutputs::Write ResultOutputs::of(const report::Report& report) {
  return [&report](std::ostream& out, report::Format format, const report::TableStyle& style) {
    report::write(out, report, format, style);
  };
}

std::string ResultOutputs::text_of(const Write& write, const File& file) const {
  return made(write, file.format,
              {.why = style_.why, .brief = style_.brief, .picture = style_.picture, .columns = style_.columns});
}

std::vector<std::string> ResultOutputs::texts_of(const Write& write) const {
  std::vector<std::string> texts;
  for (const File& file : files_) texts.push_back(text_of(write, file));
  return texts;
}

void ResultOutputs::write_files(const std::vector<std::string>& texts) const {
  try_each(files_,
           [&](const File& file) { file.output.replace(texts[static_cast<std::size_t>(&file - files_.data())]); });
}

void ResultOutputs::draw_pictures(const Write& write, std::span<const report::NamedReport> drawn,
                                  DrawnFrom from) const {
  const bool by_result = drawn.empty() || from == DrawnFrom::reports_and_result;
  try_each(pictures_, [&](const File& file) {
    const bool is_page = file.format == report::Format::html;
    const Drawn shown{.text = is_page ? made(write, report::Format::markdown, {.why = style_.why}) : "",
                      .reports = drawn,
                      .result = by_result ? made(write, report::Format::json, {}) : "",
                      .choices = choices_};
    file.output.replace(draw(shown, file.format, file.path));
  });
}

void ResultOutputs::finish(const Write& write, std::span<const report::NamedReport> drawn, DrawnFrom from) const {
  const std::vector<std::string> texts = texts_of(write);
  const std::string shown = standard_output_ ? made(write, *standard_output_, style_) : "";
  both([&] { write_files(texts); },
       [&] {
         both(
             [&] {
               if (standard_output_) write_result(out_, shown);
             },
             [&] { draw_pictures(write, drawn, from); });
       });
}

void ResultOutputs::finish(const report::Report& report) const {
  const report::NamedReport named{"the report", report};
  finish(of(report), std::span(&named, 1));
}

void ResultOutputs::finish_files(const report::Report& report) const {
  const report::NamedReport named{"the report", report};
  both([&] { write_files(texts_of(of(report))); },
       [&] { draw_pictures(of(report), std::span(&named, 1), DrawnFrom::reports_or_result); });
}

void ResultOutputs::update(const Write& write) const {
  try_each(files_, [&](const File& file) {
    if (file.output.rewritable()) file.output.replace(text_of(write, file));
  });
}

}  // namespace gpumem::app
