#pragma once
// Values of --indices and --from: a file of indices, standard input ("-"), Spatter's notation, or one configuration in
// a JSON file of Spatter's.

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

/// The indices that a value stands for. Either `notation` or `sequence` is set.
struct NamedIndices {
  std::optional<pattern::SpatterPattern> notation = {};  ///< offsets that are repeated as often as a case wants
  std::optional<pattern::IndexSequence> sequence = {};   ///< all there are
  std::optional<pattern::IndexSequence> from = {};  ///< only for Spatter's GS: elements read; `sequence` is written
  std::optional<Op> op = {};                        ///< absent unless a configuration says one
  std::optional<pattern::IndexFormat> format = {};  ///< of the file; absent for notation
};

/// Returns the values that a use of the flag stands for: "FILE#0", "FILE#1" and so on for a JSON file of Spatter's,
/// each generator of a list with blanks between them, else the text itself. Throws a usage error that begins with
/// "--option: ", also if the text is both notation and the name of a file.
[[nodiscard]] std::vector<std::string> index_values(std::string_view text, std::string_view option);

/// Returns the file that the text names, without the number of a configuration; nullopt if the text is Spatter's
/// notation.
[[nodiscard]] std::optional<std::string> file_of_index_text(const std::string& text);

/// A cache of the indices that values stand for. A run asks for a file several times, and a pipe can be read only once.
class IndexFiles {
 public:
  /// Returns the indices of a value. If `options` has no format, the file's name or content decides. Throws a usage
  /// error that begins with "--option: ", or an UnusableItem for a configuration that cannot be run though others of
  /// its file can.
  [[nodiscard]] std::shared_ptr<const NamedIndices> get(const std::string& value, std::string_view option,
                                                        const pattern::IndexOptions& options);
  /// True if get() needs no file for these indices: they are notation, or kept from before.
  [[nodiscard]] bool has(const std::string& value, const pattern::IndexOptions& options) const;

 private:
  struct Kept {
    std::string value;
    pattern::IndexOptions options;
    bool can_be_read_again = false;
    std::shared_ptr<const NamedIndices> indices;
  };
  [[nodiscard]] NamedIndices read(const std::string& value, const pattern::IndexOptions& options);
  void make_room();

  std::vector<Kept> kept_;  ///< the one used last is the last
  std::map<std::string, std::vector<pattern::SpatterRun>> runs_;
};

}  // namespace gpumem::global
