#include "app/output/pictures.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/trusted_files.hpp"
#include "report/record/sweep.hpp"
#include "report/text/text.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace gpumem::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* keep = "--output FILE.json keeps a report, which 'gpumem show' draws later or elsewhere";

// ---- Where the scripts and Python are

fs::path folder_of_program() {
  std::error_code failed;
  return fs::read_symlink("/proc/self/exe", failed).parent_path();
}

/// The folder of the scripts that draw: beside the program in the build tree; installed; or from a wheel, in an
/// environment or in a folder that pip was told. Scripts that others could have put there are left out, because they
/// are run.
std::optional<fs::path> scripts() {
  const fs::path folder = folder_of_program();
  const fs::path prefix = folder.parent_path();
  std::vector<fs::path> candidates = {folder, prefix / "share/gpumem", prefix / "gpumem"};
  std::error_code ignored;
  for (fs::directory_iterator entry(prefix / "lib", ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    for (const char* packages : {"site-packages", "dist-packages"}) {
      candidates.push_back(entry->path() / packages / "gpumem");
    }
  }
  for (const fs::path& candidate : candidates) {
    const fs::path script = candidate / "plotting/__main__.py";
    if (!fs::exists(script, ignored)) continue;
    if (candidate == folder || is_trusted(script, prefix)) return candidate / "plotting";
  }
  return std::nullopt;
}

/// The Pythons to try: the one that the user calls python3, and that of a virtual environment that the program was
/// installed into, which need not be active.
std::vector<std::string> pythons() {
  std::vector<std::string> found = {"python3"};
  const fs::path folder = folder_of_program();
  std::error_code ignored;
  if (fs::exists(folder.parent_path() / "pyvenv.cfg", ignored)) found.push_back(folder / "python3");
  return found;
}

// ---- A process that reads, writes and complains

/// A file in memory that a process reads or writes.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {}) : file_(::memfd_create("gpumem", MFD_CLOEXEC)) {
    if (file_ < 0) fail();
    while (!content.empty()) {
      const ssize_t written = ::write(file_, content.data(), content.size());
      if (written < 0) fail();
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    ::lseek(file_, 0, SEEK_SET);
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;  // it stands for one file
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const { return file_; }

  /// The whole content, from the beginning.
  [[nodiscard]] std::string content() const {
    std::string all(static_cast<std::size_t>(std::max<off_t>(::lseek(file_, 0, SEEK_END), 0)), '\0');
    for (std::size_t at = 0; at < all.size();) {
      const ssize_t more = ::pread(file_, all.data() + at, all.size() - at, static_cast<off_t>(at));
      if (more <= 0) fail();
      at += static_cast<std::size_t>(more);
    }
    return all;
  }

 private:
  [[noreturn]] static void fail() { throw usage_error(fmt::format("cannot draw: {}", std::strerror(errno))); }

  int file_;
};

struct Ended {
  int failure = 0;    ///< why it could not be started; 0: it was
  int exit_code = 0;  ///< 128 + n where signal n ended it
  std::string output;
  std::string complaint;  ///< the last line that it wrote to its standard error
};

Ended run_process(const std::vector<std::string>& command, std::string_view input) {
  const MemoryFile in(input);
  const MemoryFile out;
  const MemoryFile err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  Ended ended;
  ended.failure = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (ended.failure != 0) return ended;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  ended.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  ended.output = out.content();
  std::string said = err.content();
  while (said.ends_with('\n')) said.pop_back();
  ended.complaint = said.substr(said.rfind('\n') + 1);
  return ended;
}

// ---- What they say to each other (report/plotting/answer.py)

constexpr int nothing_to_draw = 2;
constexpr int cannot_draw = 3;

std::string_view format_name(report::Format format) {
  const auto formats = report::picture_formats();
  return std::ranges::find(formats, format, &report::NamedFormat::format)->name;
}

/// Names of files need not be UTF-8.
std::string json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The finding of each table, by the table's first case. A report keeps these texts without saying to which cases they
/// belong.
nlohmann::json findings_of(const report::Report& report) {
  const std::vector<report::Members> tables = report::tables(report.results);
  auto found = nlohmann::json::object();
  if (tables.size() != report.findings.size()) return found;
  for (std::size_t i = 0; i < tables.size(); ++i) found[std::to_string(tables[i].front())] = report.findings[i];
  return found;
}

nlohmann::json to_json(const PictureChoices& choices) {
  const auto text = [](const auto& chosen) { return chosen ? nlohmann::json(*chosen) : nlohmann::json(nullptr); };
  const bool is_log = choices.scale == PictureScale::log;
  const bool by_values = choices.scale == PictureScale::by_values;
  return {{"figure", text(choices.figure)},
          {"y", text(choices.y)},
          {"scale", by_values ? nlohmann::json(nullptr) : nlohmann::json(is_log ? "log" : "linear")}};
}

std::string as_input(const Drawn& drawn) {
  std::ostringstream out;
  out << R"({"text":)" << json_text(drawn.text) << R"(,"choices":)" << json_text(to_json(drawn.choices))
      << R"(,"reports":[)";
  for (const report::NamedReport& named : drawn.reports) {
    out << (&named == drawn.reports.data() ? "[" : ",[") << json_text(named.name) << ',';
    report::write_json(out, named.report);
    out << ',' << json_text(findings_of(named.report)) << ']';
  }
  out << R"(],"result":)" << (drawn.result.empty() ? "null" : drawn.result) << '}';
  return std::move(out).str();
}

/// Returns the output of the first Python that can draw. If none can, throws the reason of the first one.
std::string answer(std::vector<std::string> words, std::string_view input, const std::string& path) {
  const auto folder = scripts();
  if (!folder) {
    throw missing_capability_error(fmt::format(
        "cannot draw '{}': the files that draw are neither beside {} nor in ../share/gpumem; install gpumem as a whole",
        path, (folder_of_program() / "gpumem").string()));
  }
  words.insert(words.begin(), folder->string());
  std::string refusal;
  for (const std::string& python : pythons()) {
    std::vector<std::string> command = {python};
    command.insert(command.end(), words.begin(), words.end());
    Ended ended = run_process(command, input);
    if (ended.failure == 0 && ended.exit_code == 0) return std::move(ended.output);
    const std::string why = report::one_line(ended.complaint);
    if (ended.failure == 0 && ended.exit_code != cannot_draw) {
      if (ended.exit_code == nothing_to_draw) throw usage_error(fmt::format("cannot draw '{}': {}", path, why));
      throw usage_error(fmt::format("cannot draw '{}': {} ended with {}: {}", path, python, ended.exit_code, why));
    }
    if (!refusal.empty()) continue;
    refusal = ended.failure == 0
                  ? fmt::format("cannot draw '{}': {}; {}", path, why, keep)
                  : fmt::format("cannot draw '{}' without Python: {}: {}; install Python 3.9 or newer; {}", path,
                                python, std::strerror(ended.failure), keep);
  }
  throw missing_capability_error(refusal);
}

}  // namespace

void refuse_undrawable(report::Format format, const std::string& path) {
  static_cast<void>(answer({std::string(format_name(format)), "--check"}, {}, path));
}

std::string draw(const Drawn& drawn, report::Format format, const std::string& path) {
  return answer({std::string(format_name(format))}, as_input(drawn), path);
}

}  // namespace gpumem::app
