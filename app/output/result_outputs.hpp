#pragma once
// Where a result goes, in one of several formats: files named with --output, and stdout.

#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/output/file_output.hpp"
#include "app/run/environment.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

struct ResultFormat {
  std::string name;                     ///< as --format takes it
  std::vector<std::string> extensions;  ///< of files, in small letters: ".json"
};

/// Those of report::Format, with the extensions of their files. The first is what stdout gets by default.
[[nodiscard]] const std::vector<ResultFormat>& table_formats();

[[nodiscard]] std::vector<std::string> names_of(std::span<const ResultFormat> formats);

/// A format as --format takes it.
[[nodiscard]] std::optional<std::string> name_of(std::optional<report::Format> format);

struct ResultRequest {
  std::vector<std::string> outputs = {};   ///< files, or "-" for stdout
  std::optional<std::string> format = {};  ///< of stdout, and of files whose extension names none
  bool quiet = false;                      ///< with files, nothing on stdout
  bool files_only = false;                 ///< "-" is a file like any other, and stdout somebody else's
  bool no_color = false;
};

class ResultOutputs {
 public:
  /// Throws a usage error for a file that has no format or could not be written later.
  ResultOutputs(const ResultRequest& request, std::span<const ResultFormat> formats, const Environment& environment);

  /// Makes a result in the format of a name, for a table of a style.
  using Render = std::function<std::string(const std::string& format, const report::TableStyle& style)>;

  /// Writes the files, then stdout. Throws a usage error when something could not be written, after everything else has
  /// been.
  void write(const Render& render) const;

  /// Writes the files anew with what there is so far; not pipes and devices, which keep all that is ever written to
  /// them. Throws like `write`.
  void update(const Render& render) const;
  [[nodiscard]] bool has_files() const { return !files_.empty(); }

 private:
  /// The first failure, after everything else has been written.
  [[nodiscard]] std::exception_ptr write_files(const Render& render, bool last) const;

  struct File {
    report::FileOutput output;
    std::string format;
  };

  std::ostream& out_;
  report::TableStyle style_;
  std::vector<File> files_;
  std::optional<std::string> standard_output_;
};

}  // namespace gpumem::app
