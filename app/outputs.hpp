#pragma once
// Where a report goes: files that are whole at any time, and stdout at the end.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "app/environment.hpp"
#include "report/file_output.hpp"
#include "report/record.hpp"
#include "report/writers.hpp"

namespace gpumem::app {

struct FileTarget {
  std::string path;
  report::Format format = report::Format::table;
};

struct Targets {
  std::vector<FileTarget> files;
  std::optional<report::Format> standard_output;
};

/// The formats of stdout and of every file. A file's comes from its extension, and from --format only if that says
/// nothing. Throws a usage error when neither does.
[[nodiscard]] Targets choose_targets(const ProbeArguments& arguments);

/// The same for a file alone; `format` is that of --format, if it was given.
[[nodiscard]] FileTarget choose_file(const std::string& path, std::optional<report::Format> format);

class Outputs {
 public:
  /// Throws a usage error for a file that could not be written later. `out` has to outlive this.
  Outputs(const Targets& targets, const report::TableStyle& style, std::ostream& out);

  /// Brings the files up to date: after every case, or, once a report is so long that writing takes longer than
  /// measuring, as often as takes a fifth of the time.
  void update_files(const report::Report& report);
  /// Writes everything for the last time: files, then stdout. Throws a usage error when something could not be written,
  /// after everything else has been.
  void finish(const report::Report& report);

 private:
  /// Pipes and devices keep all that is ever written to them, so they only get the last report.
  void write_files(const report::Report& report, bool last) const;

  struct File {
    report::FileOutput output;
    report::Format format;
  };

  std::ostream& out_;
  report::TableStyle style_;
  std::vector<File> files_;
  std::optional<report::Format> standard_output_;
  std::chrono::steady_clock::time_point written_at_{};
  std::chrono::steady_clock::duration writing_took_{};
};

}  // namespace gpumem::app
