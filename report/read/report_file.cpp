#include "report/read/report_file.hpp"

#include <fmt/format.h>

#include <istream>

#include "probes/error.hpp"
#include "probes/json_reader.hpp"
#include "probes/read_input.hpp"
#include "report/read/read_report.hpp"

namespace gpumem::report {

namespace {

constexpr const char* standard_input_name = "standard input";

/// What a JSON text that is no report is instead, as far as gpumem knows such texts; empty otherwise.
std::string other_document(const std::string& text, const std::string& source) {
  const JsonText parsed(text, source);
  const JsonReader json = parsed.root();
  if (!json.is_object() || json.has("results")) return {};
  if (json.has("probes")) return "a suite; run it with: gpumem check";
  if (json.has("rates")) return "a GPU's profile; predict with it: gpumem probe --backend model --gpu";
  if (json.has("differences") && json.has("cases")) return "a comparison; compare reads the reports it was made of";
  return {};
}

}  // namespace

std::string read_text(const std::string& path, std::istream& standard_input) {
  return path == "-" ? read_input(standard_input, standard_input_name) : read_input_file(path);
}

Report read_report_file(const std::string& path, std::istream& standard_input) {
  const std::string text = read_text(path, standard_input);
  const std::string source = path == "-" ? standard_input_name : path;
  try {
    return read_report(text, source);
  } catch (const Error&) {
    const std::string other = other_document(text, source);
    if (!other.empty()) throw usage_error(fmt::format("'{}' is no report but {}", source, other));
    throw;
  }
}

}  // namespace gpumem::report
