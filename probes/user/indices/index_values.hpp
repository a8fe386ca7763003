#pragma once
// What a value of --indices or --from stands for: a file of indices, or standard input ("-"), Spatter's notation, or
// one of the configurations in a file of Spatter's.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pattern/index_file.hpp"
#include "engine/pattern/index_sequence.hpp"
#include "engine/pattern/spatter.hpp"
#include "probes/global/launch.hpp"

namespace gpumem::global {

/// Either of `notation` and `sequence`.
struct NamedIndices {
  std::optional<pattern::SpatterPattern> notation = {};  ///< offsets that are repeated as often as a case wants
  std::optional<pattern::IndexSequence> sequence = {};   ///< all there are
  std::optional<pattern::IndexSequence> from = {};       ///< of Spatter's GS: where is read; `sequence` is written
  std::optional<Op> op = {};                             ///< where a configuration says one
  std::optional<pattern::IndexFormat> format = {};       ///< of what was read; none of notation
  bool guessed = false;                                  ///< the format, by evidence alone
};

/// The values that a use of the flag stands for: of a file of Spatter's "FILE#0", "FILE#1" and so on, of generators
/// with blanks between them each, else the text itself. Throws a usage error that begins with "--option: ", also for
/// what is notation and the name of a file at once.
[[nodiscard]] std::vector<std::string> index_values(std::string_view text, std::string_view option);

/// The file that such a text names, without the number of a configuration; absent where it is Spatter's notation.
[[nodiscard]] std::optional<std::string> file_of_index_text(const std::string& text);

/// What values stand for, kept once it is known: files are read several times in a run, and pipes can be only once.
class IndexFiles {
 public:
  /// Without a format, the file's name or its content says it. Throws a usage error that begins with "--option: ", an
  /// UnusableItem for a configuration that cannot be run though others of its file can.
  [[nodiscard]] std::shared_ptr<const NamedIndices> get(const std::string& value, std::string_view option,
                                                        const pattern::SaidOfFile& said);

 private:
  struct Kept {
    std::string value;
    pattern::SaidOfFile said;
    bool can_be_read_again = false;
    std::shared_ptr<const NamedIndices> indices;
  };
  [[nodiscard]] NamedIndices read(const std::string& value, const pattern::SaidOfFile& said);
  void make_room();

  std::vector<Kept> kept_;  ///< the one used last is the last
  std::map<std::string, std::vector<pattern::SpatterRun>> runs_;
};

}  // namespace gpumem::global
