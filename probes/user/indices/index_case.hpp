#pragma once
// Index arrays as a case asks for them: which elements a launch reads and writes.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/access/exact.hpp"
#include "engine/pattern/index_sequence.hpp"
#include "probes/global/launch.hpp"
#include "probes/probe.hpp"
#include "probes/user/indices/index_axes.hpp"
#include "probes/user/indices/index_values.hpp"

namespace gpumem::global {

namespace axis {
inline constexpr Text from{"from"};
inline constexpr Number delta_elements{"delta_elements"};
}  // namespace axis

/// The elements that a launch accesses, in the order of its accesses.
struct IndexArray {
  std::string key;                    ///< under which facts about it are kept
  pattern::IndexSequence sequence;    ///< at least as long as the launch
  std::uint64_t highest_element = 0;  ///< the highest that the launch accesses
};

/// A case in numbers.
struct IndexCase {
  Launch launch;
  IndexArray indices;              ///< elements that are read, written, or both
  std::optional<IndexArray> from;  ///< elements that a copy to `indices` reads
  std::uint64_t source_elements = 0;
  std::uint64_t target_elements = 0;

  /// Returns the bytes of one index on the device: 4 if the file's indices are no wider and all of them fit, else 8.
  [[nodiscard]] unsigned index_bytes() const;
  [[nodiscard]] std::uint64_t index_arrays() const { return from ? 2 : 1; }
  [[nodiscard]] std::uint64_t marks_bytes() const { return (target_elements + 31) / 32 * sizeof(std::uint32_t); }
  [[nodiscard]] std::uint64_t allocated_bytes() const;  ///< with what verification takes
  /// Returns the elements that the indices need, whatever --extent says.
  [[nodiscard]] std::uint64_t needed_elements() const;
};

/// The cases of the probe and a cache of their files. For one thread. All functions throw usage errors for files that
/// hold no indices, and for values that do not go together.
class IndexCases {
 public:
  void validate(const Case& chosen);  ///< reads the files that the case names
  /// Decides all but the shape of the launch. Throws a usage error for an index that the device's memory does not
  /// reach.
  void size(std::span<Case> sweep, const Device& device);
  [[nodiscard]] IndexCase get(const Case& decided);
  /// Describes the launch, except for the name of its kernel. Throws a probe error, before anything is evaluated, if
  /// the launch takes more memory than the device has.
  [[nodiscard]] Workload describe(const IndexCase& indexed, const Device& device);

 private:
  /// One list of a case, as the case's values name it.
  struct Listed {
    std::string flag;
    std::string value;
    std::shared_ptr<const NamedIndices> named;
    const pattern::IndexSequence* sequence = nullptr;  ///< of `named`; null for notation
  };
  struct Lists {
    Listed indices;
    std::optional<Listed> from = {};
    /// Returns the number of accesses in the files; nullopt if both lists are notation.
    [[nodiscard]] std::optional<std::uint64_t> count() const;
  };
  /// Facts about a list, or about one site of a launch, kept once they are computed.
  struct Known {
    std::optional<std::uint64_t> highest_element = {};
    std::optional<access::ExactSummary> exact = {};
  };

  [[nodiscard]] Listed listed(const Case& tested, const Text& parameter);
  [[nodiscard]] Lists lists_of(const Case& with_op);
  Lists decide(Case& tested);
  void require_memory(const Case& tested, const Device& device);
  [[nodiscard]] IndexArray array_of(const Listed& list, const Case& sized, std::uint64_t accesses);
  [[nodiscard]] IndexCase case_of(const Case& sized, const Launch& launch);
  void add_site(Workload& workload, const Launch& launch, const std::string& key, access::Site site,
                const std::optional<PatternPeriod>& period,
                const std::function<void(std::uint64_t first, std::span<std::uint64_t> elements)>& elements);
  [[nodiscard]] Known& known(const std::string& key);

  IndexFiles files_;
  std::map<std::string, Known> known_;
};

}  // namespace gpumem::global
