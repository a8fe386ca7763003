// Random: single elements gathered from, scattered to, or updated in random places of a footprint, as hash tables,
// sparse matrices and embeddings do. Each access moves a sector, and the footprint decides where from. GUPS counts
// updates of 8-byte words (HPC Challenge, RandomAccess).

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/comparison.hpp"
#include "probes/global/global_probe.cuh"
#include "probes/global/random/random.hpp"

namespace gpumem::global {

/// Accesses of a launch: enough to move 1 GiB of sectors, so that little of a large footprint is still in L2 when the
/// next launch comes to it.
constexpr std::uint64_t accesses = std::uint64_t{1} << 25U;
/// Accesses that a thread has in flight. They mostly wait, and 8192 per multiprocessor do so well enough.
constexpr unsigned accesses_per_thread = 4;
constexpr std::uint32_t random_block_threads = 256;

/// The bits of two words together, for integers of any size and vectors of them.
template <class Word>
struct Bits {
  static __device__ Word combined(Word a, Word b) { return static_cast<Word>(a | b); }
};
template <>
struct Bits<uint2> {
  static __device__ uint2 combined(uint2 a, uint2 b) { return {a.x | b.x, a.y | b.y}; }
};
template <>
struct Bits<uint4> {
  static __device__ uint4 combined(uint4 a, uint4 b) { return {a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w}; }
};
template <>
struct Bits<WideWord> {
  static __device__ WideWord combined(WideWord a, const WideWord& b) {
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) a.of[k] |= b.of[k];
    return a;
  }
};

/// Sets the bits of an element's random content in it, by a load and a store instead of an atomic. If the footprint has
/// fewer elements than the launch accesses, two threads may do so at once; the outcome is the same.
template <class Word, unsigned per_thread>
__global__ void __launch_bounds__(random_block_threads)
    update(Word* table, std::uint64_t count, RandomPattern pattern) {
  if (!has_words<Word>()) return;
  const Tile tile{blockDim.x, per_thread};
  Word word[per_thread];
#pragma unroll
  for (unsigned turn = 0; turn < per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count) word[turn] = load(table + pattern(i));
  }
#pragma unroll
  for (unsigned turn = 0; turn < per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i >= count) continue;
    const std::uint64_t element = pattern(i);
    store(table + element, Bits<Word>::combined(word[turn], WordTraits<Word>::random(element)));
  }
}

namespace axis {
constexpr Size footprint_bytes{"footprint_bytes"};
constexpr Choice<Op> random_op{"op", {{"gather", Op::read}, {"scatter", Op::write}, {"update", Op::copy}}};
}  // namespace axis

/// A case in numbers.
struct RandomAccess {
  bool updates;
  std::uint64_t footprint_bytes;
  RandomPattern pattern;
  Launch launch;

  explicit RandomAccess(const Case& decided)
      : updates(decided[axis::random_op] == Op::copy),
        footprint_bytes(decided[axis::footprint_bytes]),
        pattern(footprint_bytes, decided[axis::word_bytes]),
        launch{.op = decided[axis::random_op],
               .word_bytes = decided[axis::word_bytes],
               .count = accesses,
               .tile = {random_block_threads, accesses_per_thread}} {}

  /// The part of the launch that accesses no element twice.
  [[nodiscard]] Launch first_round() const {
    Launch round = launch;
    round.count = std::min(launch.count, pattern.extent(launch.count));
    return round;
  }
  [[nodiscard]] std::uint64_t footprint_words() const { return footprint_bytes / sizeof(std::uint32_t); }
};

/// The sectors and lines that a site touches, so that the launch can be simulated without evaluating all of it. In each
/// sector the launch accesses as many elements as it has rounds, and in the first round each sector once.
static access::SiteSummary summary_of(const access::Site& site, std::uint64_t footprint_bytes) {
  access::SiteSummary summary = access::summarise(site);
  constexpr double sectors_per_line = access::line_bytes / double{access::sector_bytes};
  const double all = static_cast<double>(footprint_bytes) / access::sector_bytes;
  const double share = std::min(1.0, accesses / all);
  const double words = static_cast<double>(footprint_bytes) / site.word_bytes;
  // Groups of `together` neighbouring sectors with at least one that is touched, as if each were chosen by itself.
  const auto touched = [&](double together) { return all / together * (1 - std::pow(1 - share, together)); };
  access::Footprint& footprint = summary.footprint;
  footprint.sectors = all * share;
  footprint.partial_sectors = accesses < words ? footprint.sectors : 0;
  footprint.atoms = touched(2);
  footprint.partial_atoms = all * share * (1 - share);
  footprint.lines = touched(sectors_per_line);
  footprint.line_pairs = touched(2 * sectors_per_line);
  return summary;
}

static Workload describe_random(const Case& decided, const Device& device) {
  const RandomAccess access(decided);
  require_words(access.launch, device);
  Workload workload = workload_of(access.launch, access.pattern, access::Space::global);
  for (access::Site& site : workload.sites) {
    site.summary = summary_of(site, access.footprint_bytes);
    site.evaluated = site.requests;
    site.fill = [launch = access.launch, pattern = access.pattern](std::uint64_t first,
                                                                   std::span<access::WarpRequest> requests) {
      for (std::size_t k = 0; k < requests.size(); ++k) {
        const AccessRun run = launch.accesses_of(first + k);  // of all lanes, but for what is beyond the last
        for (unsigned lane = 0; lane < run.count; ++lane) {
          requests[k].address[lane] = pattern(run.first + lane) * launch.word_bytes;
        }
        requests[k].active = run.count == 0 ? 0 : ~std::uint32_t{0} >> (access::warp_lanes - run.count);
      }
    };
  }
  workload.kernel = dispatch(word_of(access.launch), [&](auto word) {
    using Word = typename decltype(word)::type;
    if (access.updates) return measure::kernel_name<&update<Word, accesses_per_thread>>();
    if (access.launch.loads()) return measure::kernel_name<&read<Word, RandomPattern, accesses_per_thread>>();
    return measure::kernel_name<&write<Word, RandomPattern, accesses_per_thread>>();
  });
  workload.allocated_bytes = access.footprint_bytes + access.launch.checksum_bytes();
  if (access.updates && access.footprint_bytes <= device.l2_bytes) {
    workload.unmodelled = "the model does not know how long loads and stores of the same few lines wait for each other";
  }
  return workload;
}

class RandomExperiment final : public measure::Experiment {
 public:
  RandomExperiment(const Case& decided, measure::Session& session) : access_(decided), session_(&session) {
    const bool gathers = !access_.launch.stores();
    if (gathers) source_ = session.random_source(access_.footprint_words());
    output_words_ = gathers ? access_.launch.threads() : access_.footprint_words();
    output_ = session.target(output_words_);
  }

  void launch(cudaStream_t stream) override { run(access_.launch.stores() ? output_ : nullptr, stream); }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(output_, output_words_ * sizeof(std::uint32_t), stream);
    run(output_, stream);
    const Launch& checked = access_.launch.stores() ? access_.first_round() : access_.launch;
    return check_output(*session_, checked, access_.pattern, output_, stream,
                        access_.updates ? measure::poison_word : 0);
  }

 private:
  void run(std::uint32_t* output, cudaStream_t stream) {
    const Launch& launch = access_.launch;
    const auto grid = static_cast<unsigned>(launch.blocks());
    dispatch(word_of(launch), [&](auto word) {
      using Word = typename decltype(word)::type;
      auto* to = reinterpret_cast<Word*>(output);
      if (access_.updates) {
        update<Word, accesses_per_thread><<<grid, random_block_threads, 0, stream>>>(to, launch.count, access_.pattern);
      } else if (launch.loads()) {
        read<Word, RandomPattern, accesses_per_thread><<<grid, random_block_threads, 0, stream>>>(
            reinterpret_cast<const Word*>(source_), output, launch.count, access_.pattern);
      } else {
        write<Word, RandomPattern, accesses_per_thread>
            <<<grid, random_block_threads, 0, stream>>>(to, launch.count, access_.pattern);
      }
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  RandomAccess access_;
  measure::Session* session_;
  const std::uint32_t* source_ = nullptr;
  std::uint32_t* output_ = nullptr;
  std::uint64_t output_words_ = 0;
};

static void validate_footprint(const Case& chosen) {
  const std::uint64_t footprint = chosen[axis::footprint_bytes];
  if (std::has_single_bit(footprint)) return;
  throw usage_error("--random-footprint " + std::to_string(footprint) +
                    " is no power of two, as the permutation takes it; use " +
                    std::to_string(std::bit_floor(footprint)) + " or " + std::to_string(std::bit_ceil(footprint)));
}

static std::vector<Axis> random_axes() {
  Axis word_bytes = word_bytes_axis();
  word_bytes.defaults = "8";
  return {axis::footprint_bytes(
              {.flag = "random-footprint",
               .purpose =
                   "memory that the accesses are spread over, a power of two; up to the L2 they are served from there",
               .defaults = "1MiB..4GiB*4",
               .quick = "16MiB,1GiB",
               .minimum = smallest_footprint}),
          axis::random_op({.flag = "op",
                           .purpose = "operation on elements in random places; update reads and writes each (GUPS)",
                           .quick = "gather,update"}),
          std::move(word_bytes)};
}

static std::uint64_t footprint_of(const Outcome& outcome) { return outcome.tested[axis::footprint_bytes]; }

/// A fact about one footprint. `says` may use the values below.
static Fact footprint_fact(FactKind kind, const Outcome& outcome, const char* says) {
  const Case& tested = outcome.tested;
  const Op op = tested[axis::random_op];
  const double word_bytes = tested[axis::word_bytes];
  const double moved_bytes = (op == Op::copy ? 2 : 1) * word_bytes;  // an update reads and writes
  std::optional<double> predicted;
  if (outcome.predicted) predicted = *outcome.predicted / moved_bytes;
  return {kind,
          {outcome.index},
          says,
          {{"footprint_bytes", static_cast<double>(footprint_of(outcome))},
           {"accesses", op == Op::read    ? "gathers"
                        : op == Op::write ? "scatters"
                                          : "updates"},
           {"word_bytes", word_bytes},
           {"giga_elements_per_s", outcome.headline / moved_bytes, predicted}}};
}

/// Concludes what random accesses cost within the L2 and beyond it, from cases of one op and word size over footprints.
/// All cases get half_rate_footprint_bytes if one of them is less than half as fast as the fastest, but not the
/// smallest.
static Conclusion conclude_random(std::span<const Outcome> outcomes) {
  const Outcome& best = best_of(outcomes);
  const Outcome& worst = worst_of(outcomes);
  const auto half_rate = [&](const Outcome& outcome) { return gain(best, outcome) >= 1.0 / 2; };
  std::vector<Outcome> footprints(outcomes.begin(), outcomes.end());
  std::ranges::sort(footprints, {}, footprint_of);
  const auto slow = std::ranges::find_if_not(footprints, half_rate);
  std::vector<Fact> facts;
  std::vector<Conclusion::DerivedQuantity> quantities;
  if (slow != footprints.begin() && slow != footprints.end()) {
    const Outcome& kept = *std::prev(slow);
    quantities = {{"half_rate_footprint_bytes", static_cast<double>(footprint_of(kept)), all_of(outcomes)}};
    if (better(best, *slow)) {
      facts.push_back(footprint_fact(FactKind::capacity, kept,
                                     "Keep data that is accessed in random order within {footprint_bytes}: up to there "
                                     "accesses keep half of their best rate."));
    }
  }
  facts.push_back(footprint_fact(FactKind::fastest, best,
                                 "Within {footprint_bytes} the GPU {accesses} elements of {word_bytes} at "
                                 "{giga_elements_per_s}."));
  if (better(best, worst)) {
    Fact& cost = facts.emplace_back(
        footprint_fact(FactKind::costs, worst,
                       "Within {footprint_bytes} each takes {slowdown_ratio} as long: {giga_elements_per_s}."));
    cost.outcomes.push_back(best.index);
    cost.values.push_back(gain_value("slowdown_ratio", worst, best));
  } else if (outcomes.size() > 1) {
    Fact& same = facts.emplace_back(footprint_fact(FactKind::as_fast_as, footprints.back(),
                                                   "Up to {footprint_bytes} the footprint makes no difference."));
    same.outcomes = all_of(outcomes);
  }
  return {.facts = std::move(facts), .quantities = std::move(quantities)};
}

static Probe random_probe() {
  Probe probe;
  probe.name = "random";
  probe.purpose = "gather, scatter, update in random places, over the footprint";
  probe.family = Family::global;
  probe.axes = random_axes();
  probe.baseline = std::uint64_t{1} << 20U;
  probe.metrics = {{.quantity = {"giga_updates_per_s",
                                 "elements gathered, scattered or updated, in 10^9 a second (GUPS)", Better::more},
                    .from_seconds = [](const Workload&, double seconds) -> std::optional<double> {
                      return static_cast<double>(accesses) / seconds * per_giga;
                    }}};
  probe.describe = describe_random;
  probe.validate = validate_footprint;
  probe.fits = [](const Case& tested, const Device& device) {
    return tested[axis::footprint_bytes] < device.free_memory_bytes.value_or(device.memory_bytes);
  };
  probe.prepare = prepared<RandomExperiment>;
  probe.concluded = {{"half_rate_footprint_bytes",
                      "largest footprint up to which accesses are at least half as fast as at their fastest",
                      Better::more}};
  probe.conclude = conclude_random;
  return probe;
}

GPUMEM_PROBE(random_probe);

}  // namespace gpumem::global
