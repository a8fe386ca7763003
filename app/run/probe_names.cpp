#include "app/run/probe_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "engine/base/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Other words for the subject of a probe. Several probes may share a word.
struct Synonyms {
  const char* probe;
  const char* words;
};

constexpr Synonyms synonyms[] = {
    {"async-copy", "cp-async tma shared-memory"},
    {"atomics", "atomic-add contention histogram"},
    {"bank", "shared-memory bank-conflicts"},
    {"cluster", "dsmem distributed-shared-memory thread-block-cluster"},
    {"coalesced", "coalescing uncoalesced"},
    {"divergence", "branches warp-divergence"},
    {"fusion", "gelu"},
    {"grayscale", "rgb"},
    {"hierarchy", "bandwidth caches l1 l2 registers"},
    {"indices", "gather scatter spatter"},
    {"latency", "l1 l2 pointer-chase"},
    {"launch", "launch-overhead empty-kernel cuda-graph"},
    {"layout", "aos soa"},
    {"local", "spills register-spills"},
    {"matmul", "gemm sgemm"},
    {"multicast", "tensor-copy cluster-launch"},
    {"neighbours", "interference concurrent-kernels noisy-neighbour l2"},
    {"offset", "alignment misalignment unaligned"},
    {"overlap", "streams async-memcpy"},
    {"pattern", "expression"},
    {"peer", "p2p nvlink d2d"},
    {"persistence", "l2"},
    {"pitch", "padding"},
    {"random", "gather scatter gups random-access"},
    {"roofline", "flops fma"},
    {"stream", "bandwidth babelstream triad dram hbm d2d"},
    {"stride", "uncoalesced"},
    {"texture", "surface"},
    {"tile", "shared-memory swizzle padding"},
    {"transfer", "bandwidth memcpy h2d d2h pcie host-link pinned"},
    {"working-set", "caches tlb pointer-chase"},
    {"zero-copy", "mapped"},
};

std::vector<std::string> names_of(std::span<const Probe> registry) {
  std::vector<std::string> names;
  for (const Probe& probe : registry) names.push_back(probe.name);
  return names;
}

}  // namespace

std::vector<const Probe*> probes_called(const std::string& word, std::span<const Probe> registry) {
  std::vector<const Probe*> found;
  for (const Synonyms& row : synonyms) {
    const auto probe = std::ranges::find(registry, row.probe, &Probe::name);
    if (is_among(word, row.words) && probe != registry.end()) found.push_back(&*probe);
  }
  return found;
}

std::vector<const Probe*> meant_probes(std::span<const Probe> registry, const std::string& name) {
  const std::vector<const Probe*> exactly = probes_called(name, registry);
  if (!exactly.empty()) return exactly;
  if (const auto near = nearest(name, names_of(registry))) return {&*std::ranges::find(registry, *near, &Probe::name)};
  std::vector<std::string> words;
  for (const Synonyms& row : synonyms) {
    std::istringstream all(row.words);
    for (std::string word; all >> word;) words.push_back(word);
  }
  const auto near = nearest(name, words);
  return near ? probes_called(*near, registry) : std::vector<const Probe*>{};
}

const Probe& require_probe(std::span<const Probe> registry, const std::string& name) {
  const auto found = std::ranges::find(registry, name, &Probe::name);
  if (found != registry.end()) return *found;
  const std::vector<const Probe*> meant = meant_probes(registry, name);
  if (meant.empty()) {
    throw usage_error(fmt::format("unknown probe '{}'; there are: {}", name, report::join(names_of(registry), ", ")));
  }
  std::vector<std::string> words;
  for (const Probe* probe : meant) {
    const bool misspelt = nearest(name, std::vector{probe->name}).has_value();
    words.push_back(misspelt ? fmt::format("'{}'", probe->name)
                             : fmt::format("'{}' ({})", probe->name, probe->purpose));
  }
  throw usage_error(fmt::format("unknown probe '{}'; did you mean {}?", name, report::join(words, " or ")));
}

}  // namespace gpumem::app
