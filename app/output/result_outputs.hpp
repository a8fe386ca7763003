#pragma once
// The outputs of a result, each in one of several formats: files named with --output, which are whole at any time, and
// stdout at the end.

#include <exception>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/output/file_output.hpp"
#include "app/output/pictures.hpp"
#include "app/output/terminal.hpp"
#include "engine/base/error.hpp"
#include "report/record/record.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

/// Does both, the second also if the first throws. The first error is thrown afterwards, unless the second throws one.
template <class First, class Second>
void both(const First& first, const Second& second) {
  try {
    first();
  } catch (...) {
    second();
    throw;
  }
  second();
}

/// Does something with each, also after a failure. Throws the first failure at the end.
template <class Range, class Action>
void try_each(const Range& range, const Action& action) {
  std::exception_ptr failure;
  for (const auto& item : range) {
    try {
      action(item);
    } catch (...) {  // Interrupted as well, of a pipe that nobody reads
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// Writes text that is a result. Throws an OutputError with the reason when it does not arrive (a full disk).
void write_result(std::ostream& out, const std::string& text);

struct ResultRequest {
  std::vector<std::string> outputs = {};      ///< files, or "-" for stdout
  std::vector<std::string> inputs = {};       ///< files that are read and may not be outputs, or "-" for stdin
  std::optional<report::Format> format = {};  ///< of stdout, and of files whose extension names none
  bool quiet = false;                         ///< with files, nothing on stdout
  bool files_only = false;                    ///< "-" is a file like any other, and stdout somebody else's
  MissingFolder missing_folder = MissingFolder::made;
  Color color = Color::automatic;
  bool brief = false;                     ///< tables have a line for each probe
  bool why = false;                       ///< a last column says what limits each case
  bool picture = false;                   ///< tables show the banks of tiles in shared memory
  std::vector<std::string> columns = {};  ///< of tables of cases and CSV (report::TableStyle::columns)
  PictureChoices choices = {};
};

/// The request of a command that reads these files as well.
[[nodiscard]] ResultRequest reading(const ResultRequest& request, std::span<const std::string> inputs);

/// Pictures are drawn from reports, and from the JSON of a result that no report has, such as a comparison.
enum class DrawnFrom { reports_or_result, reports_and_result };

class ResultOutputs {
 public:
  /// Throws a usage error for a file that has no format, could not be written later, or is read, and for choices of a
  /// picture without one; and a missing-capability error for a picture that could not be drawn later.
  ResultOutputs(const ResultRequest& request, std::span<const report::NamedFormat> formats, std::ostream& out,
                const Terminal& terminal);

  /// Writes a result in a format, a table in a style.
  using Write = std::function<void(std::ostream& out, report::Format format, const report::TableStyle& style)>;
  /// Writes a completed report, which has to outlive this.
  [[nodiscard]] static Write of(const report::Report& report);

  /// Writes the files, stdout and then the pictures, which are drawn from these reports, from the result's JSON if
  /// there are none, or from both. Throws the errors of `write` before anything has been written. All other errors are
  /// thrown after the rest has been written: a usage error for an output that could not be written, and the error of a
  /// picture that could not be drawn.
  void finish(const Write& write, std::span<const report::NamedReport> drawn = {},
              DrawnFrom from = DrawnFrom::reports_or_result) const;
  void finish(const report::Report& report) const;

  /// Writes the files and pictures for the last time, and not stdout. Throws like `finish`.
  void finish_files(const report::Report& report) const;
  /// Writes the files anew with the results so far. Leaves out pipes and devices, which keep all that was ever written
  /// to them, and pictures, which take longer to draw. Throws like `finish`.
  void update(const Write& write) const;
  [[nodiscard]] bool has_files() const { return !files_.empty(); }

 private:
  struct File {
    std::string path;
    FileOutput output;
    report::Format format;
  };
  [[nodiscard]] std::string text_of(const Write& write, const File& file) const;
  [[nodiscard]] std::vector<std::string> texts_of(const Write& write) const;  ///< one a file
  void write_files(const std::vector<std::string>& texts) const;
  void draw_pictures(const Write& write, std::span<const report::NamedReport> drawn, DrawnFrom from) const;

  std::ostream& out_;
  report::TableStyle style_;
  std::vector<File> files_;
  std::vector<File> pictures_;
  PictureChoices choices_;
  std::optional<report::Format> standard_output_;
};

}  // namespace gpumem::app
