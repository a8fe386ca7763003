#include "app/commands/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "app/commands/commands.hpp"
#include "app/commands/glossary.hpp"
#include "app/run/probe_names.hpp"
#include "engine/base/error.hpp"
#include "engine/base/unpack.hpp"
#include "engine/base/words.hpp"
#include "engine/model/profile.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::ranges::find(words, word) != words.end();
}

/// Words that people use for a family, besides its heading.
struct FamilyWords {
  Family family;
  const char* words;
};
constexpr FamilyWords family_words[] = {
    {Family::global, "global global-memory device-memory"},
    {Family::user, "user own patterns your-own-patterns"},
    {Family::shared, "shared smem"},
    {Family::constant, "constant-memory"},
    {Family::texture, "textures"},
    {Family::local, "local-memory"},
    {Family::cache, "cache cache-control"},
    {Family::hierarchy, "memory memory-hierarchy"},
    {Family::host, "host link"},
    {Family::peer, "between-gpus"},
    {Family::kernels, "kernels kernel"},
};

std::optional<std::string> family_hint(const std::string& word, const KnownNames& known) {
  for (const auto& [family, words] : family_words) {
    if (word != to_string(family) && !is_among(word, words)) continue;
    std::vector<std::string> names;
    for (const Probe& probe : known.probes) {
      if (probe.family == family) names.push_back(probe.name);
    }
    if (names.empty()) continue;
    return fmt::format("'{}' is a family of probes: gpumem probe {}", to_string(family), join(names, " "));
  }
  return std::nullopt;
}

/// Words for all of a kind, and the command that shows them.
struct KindWords {
  const char* words;
  const char* hint;
};
constexpr KindWords kind_words[] = {
    {"gpu gpus profile profiles model models", "GPUs that can be predicted: gpumem expect --all"},
    {"device devices", "GPUs of this machine: gpumem devices"},
    {"probe probes family families", "probes by family: gpumem list"},
    {"axis axes option options parameters", "axes of a probe: gpumem list PROBE"},
    {"report reports", "a saved report: gpumem show REPORT"},
    {"command commands", "commands: gpumem --help"},
    {"require", "it belongs to an option, behind its '=': --counters=require"},
    {"glossary term terms", "a term: gpumem help TERM"},
};

std::optional<std::string> kind_hint(const std::string& word, const KnownNames& known) {
  if (is_among(word, "suite suites")) {
    return fmt::format("the suites are {}: gpumem check SUITE", join(known.suites, ", "));
  }
  for (const auto& [words, hint] : kind_words) {
    if (is_among(word, words)) return hint;
  }
  return std::nullopt;
}

/// "i * 3": an expression holds the index and an operator.
bool is_expression(const std::string& word) {
  const bool has_index = is_among("i", [&] {
    std::string names = word;
    std::ranges::replace_if(
        names, [](unsigned char c) { return std::isalnum(c) == 0; }, ' ');
    return names;
  }());
  return has_index && word.find_first_of("*+/%^&|<>") != std::string::npos;
}

bool means_all(const std::string& word) { return is_among(word, "all everything any *"); }

[[noreturn]] void refuse(const char* what, const std::string& word, const std::string& hint) {
  throw usage_error(fmt::format("{} '{}'; {}", what, word, hint));
}

/// "offset,stride" as "offset stride", if all are names of the kind; else empty.
std::string parted_by_spaces(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string> parts = report::split(word, ',');
  const bool all = std::ranges::all_of(parts, [&](const std::string& part) { return is_one_of(part, names); });
  return all && parts.size() > 1 ? join(parts, " ") : "";
}

}  // namespace

std::optional<std::string> what_word_is(const std::string& typed, const KnownNames& known) {
  const std::string word = lower(typed);
  if (word.empty()) return std::nullopt;
  if (const auto family = family_hint(word, known)) return family;
  if (is_one_of(word, known.suites)) return "it is a suite: gpumem check " + word;
  if (std::ranges::find(known.probes, word, &Probe::name) != known.probes.end()) {
    return "it is a probe: gpumem probe " + word;
  }
  if (is_command(word)) return "it is a command: gpumem " + word;
  if (const auto kind = kind_hint(word, known)) return kind;
  if (is_one_of(word, model::profile_names())) return "it is a GPU: gpumem expect " + word;
  if (is_expression(word))
    return "an access pattern is given by: gpumem probe --pattern " + report::shell_quoted(typed);
  if (probes_called(word, known.probes).empty() && glossary_line(word)) return "it is a term: gpumem help " + word;
  return std::nullopt;
}

void refuse_no_probe(const std::string& word, const KnownNames& known) {
  if (std::ranges::find(known.probes, lower(word), &Probe::name) != known.probes.end()) return;  // the nearest is known
  std::vector<std::string> names;
  for (const Probe& probe : known.probes) names.push_back(probe.name);
  if (const std::string parted = parted_by_spaces(word, names); !parted.empty()) {
    refuse("unknown probe", word, "names are separated by spaces: gpumem probe " + parted);
  }
  constexpr const char* what = "unknown probe";
  const std::string quoted = report::shell_quoted(word);
  if (means_all(lower(word)))
    refuse(what, word, "a quick look at all probes is: gpumem probe; their list: gpumem list");
  if (const auto hint = what_word_is(word, known)) refuse(what, word, *hint);
  if (is_json_name(word)) refuse(what, word, "a report is shown by: gpumem show " + quoted);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(word, ignored)) {
    refuse(what, word, "a file of indices is given by: gpumem probe --indices " + quoted);
  }
}

void refuse_no_suite(const std::string& word, const KnownNames& known) {
  std::error_code ignored;
  if (is_one_of(word, known.suites) || is_json_name(word) || std::filesystem::exists(word, ignored)) return;
  if (means_all(lower(word))) refuse("no suite", word, "the largest is: gpumem check full");
  if (const std::string parted = parted_by_spaces(word, known.suites); !parted.empty()) {
    refuse("no suite", word, "names are separated by spaces: gpumem check " + parted);
  }
  if (const auto hint = what_word_is(word, known)) refuse("no suite", word, *hint);
}

void refuse_no_gpu(const std::string& word, const KnownNames& known) {
  std::error_code ignored;
  if (is_json_name(word) || std::filesystem::exists(word, ignored)) return;
  if (is_one_of(lower(word), model::profile_names())) return;
  if (const std::string parted = parted_by_spaces(lower(word), model::profile_names()); !parted.empty()) {
    refuse("no GPU profile", word, "names are separated by spaces: gpumem expect " + parted);
  }
  if (means_all(lower(word))) refuse("no GPU profile", word, "all GPUs are shown by: gpumem expect --all");
  if (const auto hint = what_word_is(word, known)) refuse("no GPU profile", word, *hint);
}

}  // namespace gpumem::app
