// Pattern: any access pattern, as an expression of the access. Its kernel is compiled when it is needed.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "engine/model/predict.hpp"
#include "engine/pattern/expression.hpp"
#include "engine/pattern/spatter.hpp"
#include "probes/global/launch.hpp"
#include "probes/user/extent.hpp"
#include "probes/user/pattern/pattern_count.hpp"
#include "probes/user/pattern/pattern_kernel.hpp"
#include "probes/user/pattern/user_pattern.hpp"
#include "probes/user/space.hpp"

namespace gpumem::global {

namespace axis {
constexpr Text pattern{"pattern"};
constexpr Text active{"active"};
}  // namespace axis

namespace {

std::vector<std::string> swept_texts(std::string_view text, std::string_view option) {
  std::vector<std::string> texts;
  for (const std::string_view expression : pattern::expressions_of(text)) {
    for (pattern::Swept& swept : pattern::parse(expression, option)) texts.push_back(std::move(swept.text));
  }
  return texts;
}

/// Throws a usage error for what is data, which another option takes.
std::vector<std::string> pattern_texts(const std::string& text) {
  const bool notation = text.find(':') != std::string::npos && pattern::is_spatter_notation(text);
  std::error_code ignored;
  const bool file = std::filesystem::is_regular_file(text, ignored);
  try {
    return swept_texts(text, "pattern");
  } catch (const Error&) {
    if (!notation && !file) throw;
    throw usage_error(fmt::format("--pattern: '{0}' is {1}; pass it as --indices '{0}'", text,
                                  notation ? "Spatter's notation" : "a file"));
  }
}

bool uses_any(const Case& tested, std::span<const pattern::Variable> names) {
  return std::ranges::any_of(std::array{axis::pattern, axis::active}, [&](const Text& parameter) {
    const pattern::Expression expression = pattern::parse_one(tested[parameter], parameter);
    return std::ranges::any_of(names, [&](pattern::Variable name) { return expression.uses(name); });
  });
}

/// Puts the first candidate in place of "auto" in all cases.
void fix_shape(std::span<Case> sweep, const TypedParameter& parameter) {
  for (Case& tested : sweep) {
    if (tested.is_auto(parameter)) tested.set(parameter, tested.probe->find_axis(parameter)->candidates.front());
  }
}

/// In blocks of another shape a pattern of `warp`, `thread` or `block` would go elsewhere: trying shapes would not
/// compare launches but patterns.
void hold_shape(std::span<Case> sweep) {
  using enum pattern::Variable;
  constexpr std::array of_threads = {warp, thread, block};
  constexpr std::array of_elements = {block};
  const auto uses = [&](std::span<const pattern::Variable> names) {
    return std::ranges::any_of(sweep, [&](const Case& tested) { return uses_any(tested, names); });
  };
  if (uses(of_threads)) fix_shape(sweep, axis::block_threads);
  if (uses(of_elements)) fix_shape(sweep, axis::elements_per_thread);
}

/// With as much of its shape as is decided.
Launch launch_so_far(const Case& tested) {
  Launch launch = untiled_launch_of(tested);
  if (!tested.is_auto(axis::block_threads)) launch.tile.block_threads = tested[axis::block_threads];
  if (!tested.is_auto(axis::elements_per_thread)) launch.tile.elements_per_thread = tested[axis::elements_per_thread];
  return launch;
}

std::vector<Axis> pattern_axes() {
  std::vector<Axis> all = axes(axis::pattern(
      {.flag = "pattern",
       .purpose = "element that access i of n goes to: an expression in 64-bit arithmetic, {a..b} in it for a "
                  "sweep; it may name lane (of the warp), thread and warp (of the block, from 0 on in each) and "
                  "block (of the grid); with thread, warp or block, auto holds 256 threads per block, with block "
                  "4 elements per thread too",
       .defaults = "i, i ^ 5, i % 1024 * (n / 1024) + i / 1024, i * 2654435761 % n",
       .quick = "i * 3 ^ 5",
       .texts = [](std::string_view text) { return pattern_texts(std::string(text)); },
       .takes = "expressions"}));
  const Axis further[] = {
      axis::active({.flag = "active",
                    .purpose = "expression that is not 0 for the accesses that take part",
                    .defaults = "1",
                    .texts = [](std::string_view text) { return swept_texts(text, "active"); },
                    .takes = "expressions"}),
      axis::extent_elements(
          {.flag = "extent",
           .unit = "elements",
           .purpose = "elements of each array, which no access may go beyond; 0: as many as the pattern needs",
           .defaults = "0",
           .zero_follows = true})};
  all.insert(all.begin() + 1, std::begin(further), std::end(further));
  all.push_back(space_axis("global",
                           "memory that the pattern is about; shared is a tile in each block, with axes of its own: "
                           "gpumem probe shared-pattern --help"));
  return all;
}

/// A case with what is known of it.
struct KnownCase {
  Launch launch;
  UserPattern pattern;
  PatternFacts facts = {};
  std::uint64_t extent_elements = 0;
};

class PatternProbe {
 public:
  /// Evaluates the pattern of a launch. Throws usage errors for elements that the case cannot have.
  [[nodiscard]] KnownCase known(const Case& tested, const Launch& launch, const Device& device) {
    device_ = &device;
    KnownCase known{.launch = launch, .pattern = user_pattern(tested[axis::pattern], tested[axis::active], launch)};
    memory_.evaluate_once(known.pattern, launch);
    known.facts = memory_.facts(known.pattern, launch);
    const std::uint64_t extent = tested[axis::extent_elements];
    if (extent > 0 && known.facts.extent_elements > extent) {
      throw usage_error(fmt::format(
          "--pattern: '{}' is {} for access i = {}, beyond the {} elements of --extent; make that larger, or leave the "
          "access out with --active",
          tested[axis::pattern], known.facts.extent_elements - 1, known.facts.highest_access, extent));
    }
    known.extent_elements = std::max(extent, known.facts.extent_elements);
    return known;
  }

  [[nodiscard]] Workload describe(const Case& decided, const Device& device) {
    require_words(launch_of(decided), device);
    const KnownCase known_case = known(decided, launch_of(decided), device);
    Workload workload = workload_of(known_case.launch, known_case.pattern,
                                    memory_.counted(known_case.pattern, known_case.launch), known_case.facts);
    workload.kernel = pattern_kernel_name(known_case.launch);
    workload.allocated_bytes = allocated_bytes(known_case.launch, known_case.extent_elements);
    if (device.memory_bytes > 0 && workload.allocated_bytes > device.memory_bytes &&
        allocated_bytes(known_case.launch, known_case.facts.extent_elements) <= device.memory_bytes) {
      const auto [needed, had] = sizes_apart(workload.allocated_bytes, device.memory_bytes);
      throw probe_error(fmt::format("out of memory: needs {}, the GPU has {}; pass a smaller --extent", needed, had));
    }
    return workload;
  }

  void size(std::span<Case> sweep, const Device& device) {
    hold_shape(sweep);
    for (const Case& tested : sweep) {
      require_extent(tested, device);
      require_accesses_in_reach(tested, device);
    }
    global::size(sweep, device, [&](const Case& tested) {
      const KnownCase sized = known(tested, launch_so_far(tested), device);
      // More than there is would not fit into the number.
      return allocated_bytes(sized.launch, std::min(sized.extent_elements, device.memory_bytes));
    });
    for (const Case& tested : sweep) require_memory(tested, device);
  }

 private:
  /// Throws if a case has more accesses than the GPU has words for. Only evaluating them tells how much memory a case
  /// needs: for so many that takes minutes, and nobody means it.
  static void require_accesses_in_reach(const Case& tested, const Device& device) {
    if (device.memory_bytes == 0 || !has_buffer(tested) || tested[axis::buffer_bytes] <= device.memory_bytes) return;
    const auto [asked, had] = sizes_apart(tested[axis::buffer_bytes], device.memory_bytes);
    throw probe_error(
        fmt::format("out of memory: accesses to {}, the GPU has {}; pass a smaller --buffer", asked, had));
  }

  /// An index that no memory reaches is a slip in the expression, and not a case that happens to be too large.
  void require_memory(const Case& tested, const Device& device) {
    const KnownCase sized = known(tested, launch_so_far(tested), device);
    const std::uint64_t word = sized.launch.word_bytes;
    if (sized.extent_elements <= device.memory_bytes / word) return;
    throw usage_error(fmt::format(
        "--pattern: '{}' is {} for access i = {}, beyond the {} elements that the GPU's memory has; keep it smaller "
        "with % or &, or pass a smaller --buffer",
        tested[axis::pattern], sized.extent_elements - 1, sized.facts.highest_access, device.memory_bytes / word));
  }

  PatternCounter counter_;
  const Device* device_ = nullptr;  ///< of the case that is being looked at
  KnownPatterns memory_{[this](const UserPattern& pattern, const Launch& launch, std::uint64_t bound_elements) {
    return counter_.count(pattern, launch, bound_elements, *device_);
  }};
};

Probe pattern_probe() {
  const auto shared = std::make_shared<PatternProbe>();
  Probe probe;
  probe.name = "pattern";
  probe.purpose = "any access pattern, written as an expression";
  probe.family = Family::user;
  probe.on_request = true;  // not everybody has NVRTC
  probe.axes = pattern_axes();
  probe.baseline = "i";
  probe.metrics = {{.quantity = {"sorted_gain", "times as fast in the order of its addresses", Better::neither},
                    .predict = model::sorted_gain}};
  probe.describe = [shared](const Case& decided, const Device& device) { return shared->describe(decided, device); };
  probe.validate = validate;
  probe.conclude = conclude_accesses;
  probe.size = [shared](std::span<Case> sweep, const Device& device) { shared->size(sweep, device); };
  probe.prepare = [shared, loaded = std::make_shared<LoadedPatterns>()](const Case& decided,
                                                                        measure::Session& session) {
    const KnownCase known_case = shared->known(decided, launch_of(decided), session.device());
    return prepare_pattern(known_case.launch, known_case.extent_elements,
                           loaded->get(known_case.launch, known_case.pattern,
                                       shared->describe(decided, session.device()), session.device()),
                           session);
  };
  return probe;
}

GPUMEM_PROBE(pattern_probe);

}  // namespace

}  // namespace gpumem::global
