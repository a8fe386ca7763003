#include "app/report_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <iterator>

#include "probes/error.hpp"
#include "report/read_report.hpp"

namespace gpumem::app {

namespace {

constexpr const char* standard_input_name = "standard input";

[[noreturn]] void cannot_read(const std::string& path) {
  throw usage_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
}

std::string contents(std::istream& in, const std::string& source) {
  errno = 0;
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) cannot_read(source);
  return text;
}

}  // namespace

std::string read_text(const std::string& path, std::istream& standard_input) {
  if (path == "-") return contents(standard_input, standard_input_name);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) cannot_read(path);
  try {
    return contents(file, path);
  } catch (const std::ios_base::failure&) {  // what libstdc++ makes of a directory
    cannot_read(path);
  }
}

report::Report read_report_file(const std::string& path, std::istream& standard_input) {
  return report::read_report(read_text(path, standard_input), path == "-" ? standard_input_name : path);
}

}  // namespace gpumem::app
