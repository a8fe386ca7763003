#pragma once
// Index arrays as a case asks for them: which elements a launch reads and writes, from files or Spatter's notation.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/global/launch.hpp"
#include "probes/pattern/index_sequence.hpp"

namespace gpumem::global {

/// What one value of --indices or --from stands for: the sequence, and the op where it says one.
struct NamedIndices {
  pattern::IndexSequence sequence;
  std::optional<Op> op;
  std::optional<pattern::IndexSequence> from = {};  ///< of Spatter's GS: where is read
};

/// The values that a text on the command line stands for: of a file with several of Spatter's configurations
/// "FILE#0", "FILE#1", ... Throws a usage error that begins with "--option: ".
[[nodiscard]] std::vector<std::string> index_values(std::string_view text, std::string_view option);

/// What is read is kept until others are asked for, as a file may have gigabytes.
class IndexFiles {
 public:
  /// `accesses` is how many are wanted of notation that can be repeated, 0: as many as Spatter does. Throws usage
  /// errors.
  [[nodiscard]] const NamedIndices& get(const std::string& value, const std::string& option, std::uint64_t accesses);

 private:
  struct Kept {
    std::string key;
    NamedIndices indices;
  };
  std::vector<Kept> kept_;
};

}  // namespace gpumem::global
