#include "engine/base/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <tuple>

#include "engine/base/json_reader.hpp"

namespace gpumem {

namespace {

struct Document {
  std::string_view member;  ///< that no other document has
  std::string_view name;
  std::string_view use;  ///< what to do with the file {}
};

constexpr Document documents[] = {
    {"results", "report", "see it with: gpumem show {0}; make a GPU profile of it with: gpumem calibrate --from {0}"},
    {"probes", "suite", "run it with: gpumem check {}"},
    {"expectations", "suite", "hold a report to it with: gpumem check {} REPORT"},
    {"rates", "GPU profile", "predict with it: gpumem probe --backend model --gpu {}"},
    {"node", "GPU profile", "predict with it: gpumem probe --backend model --gpu {}"},
    {"differences", "comparison", "gpumem compare reads the reports that it was made of"},
    {"machines", "comparison of a fleet", "gpumem compare --fleet reads the reports that it was made of"},
    {"expected", "table of what a GPU should reach", "gpumem expect shows it again"},
    {"gpus", "table of what GPUs should reach", "gpumem expect shows it again"},
    {"reports", "contributed profile", "make its profile anew with: gpumem calibrate --from {}"},
    {"traceEvents", "trace", "ui.perfetto.dev shows it"},
};

/// Returns the end of an error about a file that is no document of gpumem's: the command that makes one.
std::string_view source_of(std::string_view name) {
  if (name == "report") return "; write one with: gpumem probe --output report.json";
  if (name == "GPU profile") return "; make one with: gpumem calibrate -o profile.json";
  return "; the shortest is: gpumem check smoke";
}

/// Returns the word for the file in a command: its name, or "FILE" if a shell would take the name for several words.
std::string file_word(const std::string& source) { return source.find(' ') == std::string::npos ? source : "FILE"; }

}  // namespace

void refuse_other_document(std::string_view text, const std::string& source, std::string_view wanted) {
  const JsonText parsed(text, source);
  const bool object = parsed.root().is_object();
  const auto has = [&](std::string_view member) { return object && parsed.root().has(member); };
  const auto* const document = std::ranges::find_if(documents, has, &Document::member);
  if (document != std::end(documents) && document->name != wanted) {
    throw usage_error(fmt::format("'{}' is no {} but a {}; {}", source, wanted, document->name,
                                  fmt::format(fmt::runtime(document->use), file_word(source))));
  }
  const bool maybe_newer = has("schema_version") && std::ranges::count(documents, wanted, &Document::name) > 0;
  if (document == std::end(documents) && !maybe_newer) {
    throw usage_error(fmt::format("'{}' is no {} of gpumem's{}", source, wanted, source_of(wanted)));
  }
}

std::string foreign_text(std::string_view text, const std::string& source) {
  using namespace std::string_view_literals;  // NUL is a part of some
  for (const auto& [begin, name, command] :
       {std::tuple{"\x28\xb5\x2f\xfd"sv, "zstd", "unzstd"}, std::tuple{"BZh"sv, "bzip2", "bunzip2"},
        std::tuple{"\x04\x22\x4d\x18"sv, "lz4", "unlz4"}}) {
    if (text.starts_with(begin))
      return fmt::format("compressed with {}; unpack it: {} {}", name, command, file_word(source));
  }
  for (const std::string_view begin : {"\xff\xfe"sv, "\xfe\xff"sv, "{\0"sv, "\0{"sv}) {
    if (text.starts_with(begin)) {
      return fmt::format(
          "in UTF-16, as a shell of Windows writes it; convert it: iconv -f UTF-16 -t UTF-8 {} > utf-8{}",
          file_word(source), std::filesystem::path(file_word(source)).extension().string());
    }
  }
  return {};
}

}  // namespace gpumem
