#include "probes/user/indices/index_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/read_input.hpp"
#include "engine/pattern/expression.hpp"

namespace gpumem::global {

namespace {

namespace fs = std::filesystem;

using pattern::SpatterRun;

/// Does the work. A usage error that it throws begins with the option.
template <class Work>
auto in_option(std::string_view option, const Work& work) {
  const auto with_option = [&](const Error& error) { return fmt::format("--{}: {}", option, error.what()); };
  try {
    return work();
  } catch (const UnusableItem& error) {
    throw UnusableItem(with_option(error));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    throw usage_error(with_option(error));
  }
}

std::vector<SpatterRun> read_runs(const std::string& path) {
  return pattern::parse_spatter_json(read_input_file(path), path);
}

struct Configuration {
  std::string path;
  std::size_t number;
};

/// "FILE#2", unless that is itself the name of a file.
std::optional<Configuration> configuration_of(const std::string& value) {
  const auto hash = value.rfind('#');
  std::error_code ignored;
  if (hash == std::string::npos || hash == 0 || fs::exists(value, ignored)) return std::nullopt;
  Configuration configuration{.path = value.substr(0, hash), .number = 0};
  const char* const end = value.data() + value.size();
  const auto [digits_end, error] = std::from_chars(value.data() + hash + 1, end, configuration.number);
  return error == std::errc() && digits_end == end ? std::optional(configuration) : std::nullopt;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto length = std::min(text.find(' '), text.size());
    if (length > 0) words.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return words;
}

bool is_generator(const std::string& word) {
  return word.find(':') != std::string::npos && pattern::is_spatter_notation(word);
}

/// Returns true if the text is an expression of an access, not a plain name like `n`.
bool is_pattern(const std::string& text) {
  if (text.find_first_of(" +-*/%^&|<>?(") == std::string::npos) return false;
  try {
    const std::vector<pattern::Swept> all = pattern::parse(text, "pattern");
    return all.front().expression.uses(pattern::Variable::i);
  } catch (const Error&) {
    return false;
  }
}

/// Throws a usage error if a file has the notation as its name: files may be called anything, also "1024".
void require_no_file(const std::string& notation) {
  std::error_code ignored;
  if (!fs::exists(notation, ignored) || fs::is_directory(notation, ignored)) return;
  throw usage_error(
      fmt::format("'{0}' is Spatter's notation, and the name of a file here; './{0}' is the file, and '{0} ', with a "
                  "blank, the notation",
                  notation));
}

/// Checks the notation early, so that a mistake in any of several values is an error before anything runs.
void check_notation(const std::string& text) { static_cast<void>(pattern::parse_spatter(text, "its notation")); }

/// Throws a usage error if a text that names no file looks like something else: Spatter's FILE=, mistyped notation or
/// an expression.
void refuse_other_notation(const std::string& text) {
  constexpr std::string_view of_spatter = "FILE=";  // its own option takes files so
  if (text.starts_with(of_spatter)) {
    throw usage_error(fmt::format("'{}' is how Spatter takes a file; pass '{}'", text, text.substr(of_spatter.size())));
  }
  const bool path = text.find('/') != std::string::npos && text.find(' ') == std::string::npos;
  if (path || configuration_of(text)) return;
  // Hardly the name of a file: a generator that was mistyped.
  if (text.find(':') != std::string::npos && text.find('?') == std::string::npos) check_notation(text);
  if (is_pattern(text)) {
    throw usage_error(
        fmt::format("there is no file '{0}'; as an expression of the access it is --pattern '{0}'", text));
  }
}

std::vector<std::string> values_of(const std::string& text) {
  std::vector<std::string> words = words_of(text);
  if (words.empty()) throw usage_error("takes a file, or Spatter's notation such as UNIFORM:8:4:NR");
  if (std::ranges::all_of(words, is_generator)) {
    if (words.size() == 1) require_no_file(text);
    std::ranges::for_each(words, check_notation);
    return words;
  }
  if (pattern::is_spatter_notation(text)) {
    require_no_file(text);
    check_notation(text);
    return {text};
  }
  if (pattern::is_spatter_file(text)) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < read_runs(text).size(); ++i) values.push_back(fmt::format("{}#{}", text, i));
    return values;
  }
  std::error_code ignored;
  if (text != "-" && !fs::exists(text, ignored)) refuse_other_notation(text);
  return {text};
}

NamedIndices indices_of(const SpatterRun& run) {
  constexpr auto format = pattern::IndexFormat::spatter;
  switch (run.kernel) {
    case SpatterRun::Kernel::gather:
      return {.sequence = run.gather, .op = Op::read, .format = format};
    case SpatterRun::Kernel::scatter:
      return {.sequence = run.scatter, .op = Op::write, .format = format};
    case SpatterRun::Kernel::gather_scatter:
      break;
  }
  return {.sequence = run.scatter, .from = run.gather, .op = Op::copy, .format = format};
}

std::uint64_t bytes_of(const NamedIndices& indices) {
  return indices.sequence ? indices.sequence->words() * indices.sequence->word_bytes() : 0;
}

}  // namespace

std::vector<std::string> index_values(std::string_view text, std::string_view option) {
  return in_option(option, [&] { return values_of(std::string(text)); });
}

std::optional<std::string> file_of_index_text(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  if (std::ranges::all_of(words, is_generator) || pattern::is_spatter_notation(text)) return std::nullopt;
  const auto configuration = configuration_of(text);
  return configuration ? configuration->path : text;
}

std::shared_ptr<const NamedIndices> IndexFiles::get(const std::string& value, std::string_view option,
                                                    const pattern::IndexOptions& options) {
  const auto found =
      std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.value == value && kept.options == options; });
  if (found != kept_.end()) {
    std::rotate(found, found + 1, kept_.end());
    return kept_.back().indices;
  }
  make_room();
  auto indices = std::make_shared<const NamedIndices>(in_option(option, [&] { return read(value, options); }));
  std::error_code ignored;
  kept_.push_back({.value = value,
                   .options = options,
                   .can_be_read_again = value != "-" && fs::is_regular_file(value, ignored),
                   .indices = std::move(indices)});
  return kept_.back().indices;
}

bool IndexFiles::has(const std::string& value, const pattern::IndexOptions& options) const {
  return pattern::is_spatter_notation(value) ||
         std::ranges::any_of(kept_, [&](const Kept& kept) { return kept.value == value && kept.options == options; });
}

NamedIndices IndexFiles::read(const std::string& value, const pattern::IndexOptions& options) {
  if (pattern::is_spatter_notation(value)) return {.notation = pattern::parse_spatter(value, "its notation")};
  const auto configuration = configuration_of(value);
  if (!configuration) {
    pattern::IndexFile file = pattern::read_index_file(value, options);
    return {.sequence = std::move(file.indices), .format = file.format};
  }
  const auto& [path, number] = *configuration;
  if (!runs_.contains(path)) runs_[path] = read_runs(path);
  const std::vector<SpatterRun>& runs = runs_[path];
  if (number >= runs.size()) {
    throw usage_error(fmt::format("{}: there is no configuration {}; they are {}#0 to {}#{}", path, number, path, path,
                                  runs.size() - 1));
  }
  if (runs[number].refusal) throw UnusableItem(*runs[number].refusal);
  return indices_of(runs[number]);
}

/// Drops files while more than `most_bytes` are kept, because a file may have gigabytes. The one used last stays: a
/// case may have two.
void IndexFiles::make_room() {
  constexpr std::uint64_t most_bytes = std::uint64_t{2} << 30U;
  std::uint64_t bytes = 0;
  for (std::size_t i = kept_.size(); i-- > 0;) {
    bytes += bytes_of(*kept_[i].indices);
    const bool used_last = i + 1 == kept_.size();
    if (bytes > most_bytes && kept_[i].can_be_read_again && !used_last) {
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace gpumem::global
