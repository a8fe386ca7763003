#pragma once
// Where a result goes, in one of several formats: files named with --output, which are whole at any time, and stdout at
// the end.

#include <chrono>
#include <exception>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/output/file_output.hpp"
#include "app/output/terminal.hpp"
#include "report/record/record.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

/// A stream for results, and what its other end can show.
struct StandardOutput {
  std::ostream& stream;
  Terminal terminal;
};

/// Writes text that is a result. Throws a usage error with the reason when it does not arrive (a full disk).
void write_result(std::ostream& out, const std::string& text);

struct ResultRequest {
  std::vector<std::string> outputs = {};      ///< files, or "-" for stdout
  std::optional<report::Format> format = {};  ///< of stdout, and of files whose extension names none
  bool quiet = false;                         ///< with files, nothing on stdout
  bool files_only = false;                    ///< "-" is a file like any other, and stdout somebody else's
  bool no_color = false;
};

class ResultOutputs {
 public:
  /// Throws a usage error for a file that has no format or could not be written later.
  ResultOutputs(const ResultRequest& request, std::span<const report::NamedFormat> formats,
                const StandardOutput& standard_output);

  /// Makes a result in a format, for a table of a style.
  using Render = std::function<std::string(report::Format format, const report::TableStyle& style)>;

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
    FileOutput output;
    report::Format format;
  };

  std::ostream& out_;
  report::TableStyle style_;
  std::vector<File> files_;
  std::optional<report::Format> standard_output_;
};

/// Of a report while it grows.
class Outputs {
 public:
  /// In the formats of a table; `why` is its last column. Throws a usage error for a file that could not be written
  /// later.
  Outputs(const ResultRequest& request, bool why, const StandardOutput& standard_output);

  /// Brings the files up to date: after every case, or, once a report is so long that writing takes longer than
  /// measuring, as often as takes a fifth of the time.
  void update_files(const report::Report& report);
  /// Writes a completed report for the last time: files, then stdout. Throws a usage error when something could not be
  /// written, after everything else has been.
  void finish(const report::Report& whole);

 private:
  /// Of a report that outlives it.
  [[nodiscard]] ResultOutputs::Render render(const report::Report& report) const;

  ResultOutputs outputs_;
  bool why_;
  std::chrono::steady_clock::time_point written_at_{};
  std::chrono::steady_clock::duration writing_took_{};
};

}  // namespace gpumem::app
