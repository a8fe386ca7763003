#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/base/json_reader.hpp"
#include "engine/base/suggest.hpp"
#include "engine/base/words.hpp"
#include "engine/pattern/spatter.hpp"

namespace gpumem::pattern {

namespace {

/// Say what is accessed, and in which order.
constexpr std::array<std::string_view, 11> used_members = {
    "name",         "kernel",        "pattern",  "pattern-gather", "pattern-scatter", "pattern-size", "delta",
    "delta-gather", "delta-scatter", "boundary", "count"};
/// Say how Spatter runs it, in its present or an earlier version.
constexpr std::array<std::string_view, 8> other_members = {"wrap",   "seed", "nruns",       "runs",
                                                           "random", "op",   "omp-threads", "local-work-size"};

struct KernelName {
  std::string_view name;  ///< Spatter takes capitals too
  SpatterRun::Kernel kernel;
  bool indirect;
};

constexpr std::array<KernelName, 6> kernel_names = {{
    {"gather", SpatterRun::Kernel::gather, false},
    {"scatter", SpatterRun::Kernel::scatter, false},
    {"gs", SpatterRun::Kernel::gather_scatter, false},
    {"sg", SpatterRun::Kernel::gather_scatter, false},  // as earlier versions call it
    {"multigather", SpatterRun::Kernel::gather, true},
    {"multiscatter", SpatterRun::Kernel::scatter, true},
}};

const KernelName& kernel_of(const JsonReader& run) {
  if (!run.has("kernel")) return kernel_names.front();
  const JsonReader member = run.member("kernel");
  const auto* const found = std::ranges::find(kernel_names, lower(member.text()), &KernelName::name);
  if (found == kernel_names.end()) member.fail("Gather, Scatter, GS (or SG), MultiGather or MultiScatter");
  return *found;
}

std::uint64_t whole_or(const JsonReader& run, std::string_view name, std::uint64_t otherwise, std::uint64_t least) {
  return run.has(name) ? run.member(name).whole(least, most_index) : otherwise;
}

SpatterPattern as_written(const JsonReader& member) {
  if (member.is_text()) {
    const std::string notation = member.text();
    try {
      return parse_spatter(notation, "its notation");
    } catch (const Error& error) {
      member.refuse(error.what());
    }
  }
  if (!member.is_array()) member.fail("a notation such as \"UNIFORM:8:1:NR\", or an array of offsets");
  SpatterPattern pattern;
  for (const JsonReader& offset : member.items()) pattern.offsets.push_back(offset.whole(0, most_index));
  if (pattern.offsets.empty()) member.fail("at least one offset");
  return pattern;
}

/// A pattern as Spatter uses it: shortened first, then folded.
SpatterPattern pattern_of(const JsonReader& run, std::string_view name) {
  const JsonReader member = run.member(name);
  SpatterPattern pattern = as_written(member);
  if (run.has("pattern-size")) {
    pattern.offsets.resize(run.member("pattern-size").whole(1, pattern.offsets.size()));
  }
  // 0 and absent: Spatter's own limit is the memory it expects, which says nothing about this machine.
  if (const std::uint64_t boundary = whole_or(run, "boundary", 0, 0); boundary > 0) {
    for (std::uint64_t& offset : pattern.offsets) offset %= boundary;
  }
  return pattern;
}

/// Multi-kernels: offset j is outer[inner[j]].
SpatterPattern composed(const JsonReader& run, SpatterPattern outer, std::string_view inner_name) {
  SpatterPattern inner = pattern_of(run, inner_name);
  for (std::uint64_t& offset : inner.offsets) {
    if (offset >= outer.offsets.size()) {
      run.member(inner_name)
          .refuse(fmt::format("has {}, but the pattern that it indexes has {} offsets; expected numbers below that",
                              offset, outer.offsets.size()));
    }
    offset = outer.offsets[offset];
  }
  return {std::move(inner.offsets), outer.delta};
}

/// Negative ones as far as doubles are exact.
std::int64_t delta_in(const JsonReader& member) {
  constexpr std::int64_t least = -(std::int64_t{1} << 53U);
  const double value = member.is_number() ? member.number() : 0.5;
  if (value != std::trunc(value) || value < static_cast<double>(least)) {
    member.fail(fmt::format("a whole number from {} to {}, or a list of them", least, most_index));
  }
  return value < 0 ? static_cast<std::int64_t>(value) : static_cast<std::int64_t>(member.whole(0, most_index));
}

/// One, or a list of those that take turns.
std::vector<std::int64_t> deltas_of(const JsonReader& run, std::string_view name) {
  if (!run.has(name)) return {spatter_delta};
  const JsonReader member = run.member(name);
  if (!member.is_array()) return {delta_in(member)};
  std::vector<std::int64_t> deltas;
  for (const JsonReader& item : member.items()) deltas.push_back(delta_in(item));
  if (deltas.empty()) member.fail("at least one delta");
  return deltas;
}

IndexSequence indices_of(const JsonReader& run, const SpatterPattern& pattern, std::string_view delta_name) {
  std::vector<std::int64_t> deltas = deltas_of(run, delta_name);  // looked at even where they are not used
  if (pattern.delta) deltas = {static_cast<std::int64_t>(*pattern.delta)};
  const std::uint64_t count = whole_or(run, "count", spatter_count, 1);
  try {
    return spatter_indices(pattern, deltas, count, "its accesses");
  } catch (const Error& error) {
    run.refuse(error.what());
  }
}

/// The members that change nothing. Throws for one that was probably meant to.
std::vector<std::string> ignored_members(const JsonReader& run) {
  const std::vector<std::string> used(used_members.begin(), used_members.end());
  std::vector<std::string> ignored;
  for (const auto& [name, value] : run.members()) {
    if (std::ranges::find(used_members, name) != used_members.end() || name == "wrap") continue;
    if (std::ranges::find(other_members, name) == other_members.end()) {
      const std::string meant = did_you_mean(name, used);
      if (!meant.empty()) value.refuse("there is no such member" + meant);
    }
    ignored.push_back(name);
  }
  return ignored;
}

SpatterRun run_of(const JsonReader& run) {
  SpatterRun result;
  if (!run.is_object()) run.fail("an object, such as {\"kernel\": \"Gather\", \"pattern\": \"UNIFORM:8:1:NR\"}");
  result.ignored = ignored_members(run);
  if (run.has("name")) result.name = run.member("name").text();
  const KernelName& kernel = kernel_of(run);
  result.kernel = kernel.kernel;
  result.indirect = kernel.indirect;
  result.wrap = whole_or(run, "wrap", 1, 1);
  if (kernel.kernel == SpatterRun::Kernel::gather_scatter) {
    const SpatterPattern from = pattern_of(run, "pattern-gather");
    const SpatterPattern to = pattern_of(run, "pattern-scatter");
    if (from.offsets.size() != to.offsets.size()) {
      run.member("pattern-scatter").fail(fmt::format("as many offsets as pattern-gather has, {}", from.offsets.size()));
    }
    result.gather = indices_of(run, from, "delta-gather");
    result.scatter = indices_of(run, to, "delta-scatter");
    return result;
  }
  const bool gathers = kernel.kernel == SpatterRun::Kernel::gather;
  SpatterPattern pattern = pattern_of(run, "pattern");
  if (kernel.indirect) pattern = composed(run, std::move(pattern), gathers ? "pattern-gather" : "pattern-scatter");
  (gathers ? result.gather : result.scatter) = indices_of(run, pattern, "delta");
  return result;
}

/// The text with blanks in place of commas behind the last item of a list or object, which people leave in.
std::string without_last_commas(std::string_view text) {
  std::string result(text);
  std::size_t comma = std::string::npos;  // the last thing that was no blank
  bool in_text = false;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const char c = result[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if ((c == ']' || c == '}') && comma != std::string::npos) result[comma] = ' ';
    comma = c == ',' ? i : std::string::npos;
    in_text = c == '"';
  }
  return result;
}

}  // namespace

std::vector<SpatterRun> parse_spatter_json(std::string_view text, const std::string& source) {
  const JsonText json(without_last_commas(text), source);
  if (!json.root().is_array()) json.root().fail("an array of Spatter's configurations");
  std::vector<SpatterRun> runs;
  std::optional<Error> first_refusal;
  bool any = false;
  for (const JsonReader& run : json.root().items()) {
    SpatterRun& result = runs.emplace_back();
    try {
      result = run_of(run);
      any = true;
    } catch (const Error& error) {
      if (!first_refusal) first_refusal = error;
      result.refusal = error.what();
    }
  }
  if (runs.empty()) json.root().fail("at least one configuration");
  if (!any) throw Error(*first_refusal);
  return runs;
}

}  // namespace gpumem::pattern
