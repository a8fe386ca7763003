// Pattern: any access pattern, as an expression of the access. Its kernel is compiled when it is needed.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "probes/error.hpp"
#include "probes/global/launch.hpp"
#include "probes/global/pattern_count.hpp"
#include "probes/global/pattern_kernel.hpp"
#include "probes/global/user_pattern.hpp"
#include "probes/model/sorted.hpp"
#include "probes/pattern/expression.hpp"
#include "probes/words.hpp"

namespace gpumem::global {

namespace {

std::vector<std::string> swept_texts(std::string_view text, std::string_view option) {
  std::vector<std::string> texts;
  for (const std::string_view one : pattern::expressions_of(text)) {
    for (pattern::Swept& swept : pattern::parse(one, option)) texts.push_back(std::move(swept.text));
  }
  return texts;
}

std::vector<Axis> pattern_axes() {
  std::vector<Axis> all =
      axes({.flag = "pattern",
            .parameter = "pattern",
            .purpose = "element that access i goes to: an expression of i, n, lane, warp, thread and block in 64-bit "
                       "arithmetic, {a..b} in it for a sweep",
            .defaults = "i, i ^ 5, i % 1024 * (n / 1024) + i / 1024, i * 2654435761 % n",
            .quick = "i * 3 ^ 5",
            .texts = [](std::string_view text) { return swept_texts(text, "pattern"); },
            .takes = "expressions"});
  const Axis further[] = {
      {.flag = "active",
       .parameter = "active",
       .purpose = "expression that is not 0 for the accesses that take part",
       .defaults = "1",
       .texts = [](std::string_view text) { return swept_texts(text, "active"); },
       .takes = "expressions"},
      {.flag = "extent",
       .parameter = "extent_elements",
       .unit = "elements",
       .purpose = "elements of each array, which no access may go beyond; 0: as many as the pattern needs",
       .defaults = "0",
       .zero_follows = true}};
  all.insert(all.begin() + 1, std::begin(further), std::end(further));
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
  [[nodiscard]] KnownCase known(const Case& one, const Launch& launch, const Device& device) {
    device_ = &device;
    KnownCase known{.launch = launch, .pattern = user_pattern(one.name("pattern"), one.name("active"), launch)};
    known.facts = memory_.facts(known.pattern, launch);
    const std::uint64_t extent = one.number("extent_elements");
    if (extent > 0 && known.facts.extent_elements > extent) {
      throw usage_error(fmt::format(
          "--pattern: '{}' is {} for access i = {}, beyond the {} elements of --extent; make that larger, or leave the "
          "access out with --active",
          one.name("pattern"), known.facts.extent_elements - 1, known.facts.highest_access, extent));
    }
    known.extent_elements = std::max(extent, known.facts.extent_elements);
    return known;
  }

  [[nodiscard]] Workload describe(const Case& decided, const Device& device) {
    const KnownCase one = known(decided, launch_of(decided), device);
    Workload workload = workload_of(one.launch, one.pattern, memory_.counted(one.pattern, one.launch), one.facts);
    workload.kernel = pattern_kernel_name(one.launch);
    workload.allocated_bytes = allocated_bytes(one.launch, one.extent_elements);
    return workload;
  }

  void size(std::span<Case> sweep, const Device& device) {
    global::size(sweep, device, [&](const Case& one) {
      const KnownCase sized = known(one, untiled_launch_of(one), device);
      // More than there is would not fit into the number.
      return allocated_bytes(sized.launch, std::min(sized.extent_elements, device.memory_bytes));
    });
    for (const Case& one : sweep) require_memory(one, device);
  }

 private:
  /// An index that no memory reaches is a slip in the expression, and not a case that happens to be too large.
  void require_memory(const Case& one, const Device& device) {
    const KnownCase sized = known(one, untiled_launch_of(one), device);
    const std::uint64_t word = sized.launch.word_bytes;
    if (sized.extent_elements <= device.memory_bytes / word) return;
    throw usage_error(fmt::format(
        "--pattern: '{}' is {} for access i = {}, beyond the {} elements that the GPU's memory has; keep it smaller "
        "with "
        "% or &, or pass a smaller --buffer",
        one.name("pattern"), sized.extent_elements - 1, sized.facts.highest_access, device.memory_bytes / word));
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
  probe.on_request = true;  // not everybody has NVRTC
  probe.axes = pattern_axes();
  probe.baseline = "i";
  probe.metrics = {{.quantity = {"sorted_gain", "times as fast in the order of its addresses", Better::neither},
                    .predict = model::sorted_gain}};
  probe.describe = [shared](const Case& decided, const Device& device) { return shared->describe(decided, device); };
  probe.validate = validate;
  probe.size = [shared](std::span<Case> sweep, const Device& device) { shared->size(sweep, device); };
  probe.prepare = [shared, loaded = std::make_shared<LoadedPatterns>()](const Case& decided,
                                                                        measure::Session& session) {
    const KnownCase one = shared->known(decided, launch_of(decided), session.device());
    return prepare_pattern(
        one.launch, one.extent_elements,
        loaded->get(one.launch, one.pattern, shared->describe(decided, session.device()), session.device()), session);
  };
  return probe;
}

GPUMEM_PROBE(pattern_probe);

}  // namespace

}  // namespace gpumem::global
