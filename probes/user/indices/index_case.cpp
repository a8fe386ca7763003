#include "probes/user/indices/index_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "probes/user/extent.hpp"

namespace gpumem::global {

namespace {

using pattern::IndexSequence;

/// No GPU holds arrays of more elements. Their bytes are not computed, because that might overflow.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 48U;

bool has_from(const Case& tested) { return tested[axis::from] != "none"; }

/// "'a.npy': index 3, counted from 0, is 99", for the first that is not below `end`.
std::string first_beyond(const std::string& flag, const std::string& value, const IndexSequence& sequence,
                         std::uint64_t end) {
  const std::uint64_t index = sequence.first_from(end);
  return fmt::format("--{}: '{}': index {}, counted from 0, is {}", flag, value, index, sequence(index));
}

/// The advice for indices that no memory reaches.
std::string cure_of(const NamedIndices& named) {
  using pattern::IndexFormat;
  if (!named.format) return "pass a smaller --delta or --buffer";
  switch (*named.format) {
    case IndexFormat::spatter:
      return "take a smaller count or delta";
    case IndexFormat::npy:
    case IndexFormat::mtx:
    case IndexFormat::text:
      return "leave such indices out, or take fewer of them with --buffer";
    default:
      return fmt::format("it was read as {}; is that right? --index-format says it otherwise",
                         to_string(*named.format));
  }
}

/// Throws a usage error. For one of many Spatter configurations it is UnusableItem, so that the others still run.
[[noreturn]] void refuse_list(const NamedIndices& named, const std::string& why) {
  if (named.format == pattern::IndexFormat::spatter) throw UnusableItem(why);
  throw usage_error(why);
}

/// The number of accesses after which they repeat, and how much further on they then go; nullopt if that would spare no
/// work.
std::optional<PatternPeriod> period_of_repeats(const IndexSequence& sequence) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 22U;
  const pattern::RepeatShifts& shifts = sequence.shifts();
  std::uint64_t accesses = 0;
  if (__builtin_mul_overflow(sequence.words(), shifts.period(), &accesses) || accesses > longest) return std::nullopt;
  if (shifts.period() >= shifts.repeats()) return std::nullopt;
  return PatternPeriod{.accesses = accesses, .growth_elements = shifts.growth()};
}

/// Makes requests, one after another, from the elements of a launch's accesses.
decltype(access::Site::fill) requests_of(
    const Launch& launch, unsigned word_bytes,
    std::function<void(std::uint64_t first, std::span<std::uint64_t> elements)> elements) {
  return [launch, word_bytes, elements = std::move(elements)](std::uint64_t first,
                                                              std::span<access::WarpRequest> requests) {
    for (std::size_t k = 0; k < requests.size(); ++k) {
      const AccessRun run = launch.accesses_of(first + k);
      if (run.count == 0) continue;
      const std::span lanes = std::span(requests[k].address).first(run.count);
      elements(run.first, lanes);
      for (std::uint64_t& address : lanes) address *= word_bytes;
      requests[k].active = ~std::uint32_t{0} >> (access::warp_lanes - run.count);
    }
  };
}

/// Throws a probe error if the launch needs more memory than the device has: evaluating a launch of many times the
/// memory would take hours. Nothing is known of a device without memory, so it is not checked.
void require_room(const IndexCase& indexed, const Device& device) {
  if (device.memory_bytes == 0 || indexed.allocated_bytes() <= device.memory_bytes) return;
  IndexCase without_extent = indexed;
  if (indexed.launch.loads()) without_extent.source_elements = indexed.needed_elements();
  if (indexed.launch.stores()) without_extent.target_elements = indexed.needed_elements();
  const auto [needed, had] = sizes_apart(indexed.allocated_bytes(), device.memory_bytes);
  const bool fits_without = without_extent.allocated_bytes() <= device.memory_bytes;
  throw probe_error(fmt::format("out of memory: needs {}, the GPU has {}; pass a smaller --{}", needed, had,
                                fits_without ? "extent" : "buffer"));
}

}  // namespace

unsigned IndexCase::index_bytes() const {
  const auto is_narrow = [](const IndexArray& array) {
    return array.sequence.word_bytes() <= sizeof(std::uint32_t) &&
           array.highest_element <= std::numeric_limits<std::uint32_t>::max();
  };
  return is_narrow(indices) && (!from || is_narrow(*from)) ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

std::uint64_t IndexCase::allocated_bytes() const {
  return (source_elements + target_elements) * launch.word_bytes + index_arrays() * launch.count * index_bytes() +
         marks_bytes() + launch.checksum_bytes();
}

std::uint64_t IndexCase::needed_elements() const {
  return std::max(indices.highest_element, from ? from->highest_element : 0) + 1;
}

std::optional<std::uint64_t> IndexCases::Lists::count() const {
  if (indices.sequence != nullptr) return indices.sequence->count();
  return from && from->sequence != nullptr ? std::optional(from->sequence->count()) : std::nullopt;
}

IndexCases::Listed IndexCases::listed(const Case& tested, const Text& parameter) {
  Listed list{.flag = parameter.name, .value = tested[parameter], .named = {}};
  list.named = files_.get(list.value, list.flag, index_options_of(tested));
  if (list.named->sequence) list.sequence = &*list.named->sequence;
  return list;
}

IndexCases::Lists IndexCases::lists_of(const Case& with_op) {
  Lists lists{.indices = listed(with_op, axis::indices)};
  const Op op = with_op[axis::op];
  const std::string& value = lists.indices.value;
  const auto& own_from = lists.indices.named->from;
  if (has_from(with_op)) {
    if (own_from) throw usage_error(fmt::format("--from: '{}' says itself where is read; leave --from out", value));
    if (op != Op::copy) {
      throw usage_error(
          fmt::format("--from says where a copy reads, but --op is {}; leave one of them out", with_op.name(axis::op)));
    }
    lists.from = listed(with_op, axis::from);
    if (lists.from->named->from) lists.from->sequence = &*lists.from->named->from;
    const auto* const to = lists.indices.sequence;
    const auto* const from = lists.from->sequence;
    if (to != nullptr && from != nullptr && to->count() != from->count()) {
      throw usage_error(fmt::format(
          "--from: '{}' has {} indices, but '{}', which says where is written, has {}; an access takes one of each",
          lists.from->value, from->count(), value, to->count()));
    }
  } else if (own_from && op == Op::copy) {
    lists.from = lists.indices;
    lists.from->sequence = &*own_from;
  } else if (own_from && op == Op::read) {
    lists.indices.sequence = &*own_from;
  }
  return lists;
}

/// Replaces "auto" with values that the files say.
IndexCases::Lists IndexCases::decide(Case& tested) {
  if (tested.is_auto(axis::op)) {
    const Op op = has_from(tested) ? Op::copy : listed(tested, axis::indices).named->op.value_or(Op::read);
    tested.set(axis::op, axis::op.name_of(op));
  }
  Lists lists = lists_of(tested);
  const std::string& value = lists.indices.value;
  const auto* const sequence = lists.indices.sequence;
  if (sequence != nullptr && tested[axis::delta_elements] > 0) {
    throw usage_error(fmt::format(
        "--delta is for notation on the command line, such as UNIFORM:8:4, and '{}' says itself where its accesses go; "
        "leave --delta out",
        value));
  }
  const std::uint64_t word_bytes = tested[axis::word_bytes];
  const auto count = lists.count();
  if (tested.is_auto(axis::buffer_bytes)) {
    if (count) tested.set(axis::buffer_bytes, *count * word_bytes);
  } else if (count && !has_buffer(tested)) {
    throw usage_error(fmt::format(
        "--buffer {}: a share of the memory is for notation on the command line, such as "
        "UNIFORM:8:4, and '{}' has {} accesses; leave --buffer out, or pass {} bytes at most",
        tested.name(axis::buffer_bytes), sequence != nullptr ? value : lists.from->value, *count, *count * word_bytes));
  } else if (count && tested[axis::buffer_bytes] / word_bytes > *count) {
    throw usage_error(fmt::format(
        "--buffer {}: is for {} accesses of {} bytes, and '{}' has {}; leave --buffer out, or pass {} at most",
        tested[axis::buffer_bytes], tested[axis::buffer_bytes] / word_bytes, word_bytes,
        sequence != nullptr ? value : lists.from->value, *count, *count * word_bytes));
  }
  return lists;
}

IndexArray IndexCases::array_of(const Listed& list, const Case& sized, std::uint64_t accesses) {
  const std::uint64_t given = sized[axis::delta_elements];
  const std::uint64_t delta = list.sequence != nullptr ? 0
                              : given > 0              ? given
                                                       : list.named->notation->delta.value_or(pattern::spatter_delta);
  const auto repeated = [&] {
    const std::uint64_t offsets = list.named->notation->offsets.size();
    return pattern::spatter_indices(*list.named->notation, delta, (accesses + offsets - 1) / offsets,
                                    fmt::format("--{}: '{}'", list.flag, list.value));
  };
  const bool other_part = list.named->from && list.sequence == &*list.named->from;
  IndexArray array{.key = fmt::format("{} {} {} {} {} {}", sized[axis::index_format], other_part, delta, accesses,
                                      sized[axis::index_column], list.value),
                   .sequence = list.sequence != nullptr ? *list.sequence : repeated()};
  auto& highest = known(array.key).highest_element;
  if (!highest) highest = array.sequence.highest(accesses);
  array.highest_element = *highest;

  const auto refuse_beyond = [&](std::uint64_t end, const std::string& why) {
    if (array.highest_element < end) return;
    refuse_list(*list.named, first_beyond(list.flag, list.value, array.sequence, end) + why);
  };
  if (const std::uint64_t extent = sized[axis::extent_elements]; extent > 0) {
    refuse_beyond(extent, fmt::format(", beyond the {} elements of --extent; make that larger", extent));
  }
  refuse_beyond(most_elements, ": no GPU has the memory for an array that reaches there; " + cure_of(*list.named));
  return array;
}

IndexCase IndexCases::case_of(const Case& sized, const Launch& launch) {
  const Lists lists = lists_of(sized);
  IndexCase indexed{.launch = launch, .indices = array_of(lists.indices, sized, launch.count), .from = {}};
  if (lists.from) indexed.from = array_of(*lists.from, sized, launch.count);
  const auto elements_of = [&](const IndexArray& array) {
    return std::max(array.highest_element + 1, sized[axis::extent_elements]);
  };
  if (launch.loads()) indexed.source_elements = elements_of(indexed.from ? *indexed.from : indexed.indices);
  if (launch.stores()) indexed.target_elements = elements_of(indexed.indices);
  return indexed;
}

IndexCase IndexCases::get(const Case& decided) { return case_of(decided, launch_of(decided)); }

void IndexCases::validate(const Case& chosen) {
  global::validate(chosen);
  Case tested = chosen;
  decide(tested);
  if (has_buffer(tested)) static_cast<void>(case_of(tested, untiled_launch_of(tested)));
}

void IndexCases::size(std::span<Case> sweep, const Device& device) {
  for (Case& tested : sweep) decide(tested);
  // Sizes the cases that can be longer or shorter. The others count as 0 bytes.
  global::size(sweep, device, [&](const Case& tested) {
    return lists_of(tested).count() ? 0 : case_of(tested, untiled_launch_of(tested)).allocated_bytes();
  });
  for (const Case& tested : sweep) require_memory(tested, device);
}

/// Throws a usage error for an index, or an extent, that the device's memory cannot reach: that is a slip, and not a
/// case that happens to be too large.
void IndexCases::require_memory(const Case& tested, const Device& device) {
  const Lists lists = lists_of(tested);
  const Launch launch = untiled_launch_of(tested);
  const std::uint64_t elements = device.memory_bytes / launch.word_bytes;
  for (const Listed* list : {&lists.indices, lists.from ? &*lists.from : nullptr}) {
    if (list == nullptr || list->named->format == pattern::IndexFormat::spatter) continue;
    const IndexArray array = array_of(*list, tested, launch.count);
    if (array.highest_element < elements) continue;
    const auto [needed, had] = sizes_apart((array.highest_element + 1) * launch.word_bytes, device.memory_bytes);
    throw usage_error(fmt::format("{}: an array that reaches there has {}, the GPU {}; {}",
                                  first_beyond(list->flag, list->value, array.sequence, elements), needed, had,
                                  cure_of(*list->named)));
  }
  require_extent(tested, device);
}

IndexCases::Known& IndexCases::known(const std::string& key) {
  constexpr std::size_t most_entries = 1024;
  if (known_.size() >= most_entries && !known_.contains(key)) known_.clear();
  return known_[key];
}

void IndexCases::add_site(Workload& workload, const Launch& launch, const std::string& key, access::Site site,
                          const std::optional<PatternPeriod>& period,
                          const std::function<void(std::uint64_t first, std::span<std::uint64_t> elements)>& elements) {
  site.instructions = launch.tile.elements_per_thread;
  site.fill = requests_of(launch, site.word_bytes, elements);
  site.evaluated = launch.requests();
  site.described = !key.empty();
  // Whole warps access the same together, however many of them are a block.
  const bool whole_warps = launch.tile.block_threads % access::warp_lanes == 0;
  const Tile tile = whole_warps ? Tile{access::warp_lanes, 1} : launch.tile;
  auto& exact = known(fmt::format("{} {} {} {} {}", site.word_bytes, tile.block_threads, tile.elements_per_thread,
                                  launch.count, key))
                    .exact;
  if (!exact) {
    const access::Requests requests = {.name = site.name,
                                       .word_bytes = site.word_bytes,
                                       .count = launch.requests(),
                                       .extent_bytes = site.extent_bytes,
                                       .fill = site.fill};
    Launch of_site = launch;  // indices are words of their own
    of_site.word_bytes = site.word_bytes;
    exact = period ? access::summarise_periodic(requests, period_of(of_site, *period))
                   : access::summarise_exactly(requests);
  }
  site.requests = exact->counts.requests;
  site.summary = exact->summary;
  site.summary->cost =
      access::average(exact->counts, site.requests, access::costed(site.space, site.op), site.word_bytes);
  workload.sites.push_back(std::move(site));
}

Workload IndexCases::describe(const IndexCase& indexed, const Device& device) {
  require_room(indexed, device);
  const Launch& launch = indexed.launch;
  Workload workload;
  const auto add_index_site = [&](const char* name) {
    add_site(workload, launch, "",
             {.name = name,
              .op = access::Op::load,
              .word_bytes = indexed.index_bytes(),
              .extent_bytes = launch.count * indexed.index_bytes(),
              .request = {}},
             PatternPeriod{.accesses = 1, .growth_elements = 1},
             [](std::uint64_t first, std::span<std::uint64_t> elements) {
               std::iota(elements.begin(), elements.end(), first);
             });
  };
  const auto add_element_site = [&](const char* name, access::Op op, const IndexArray& array, std::uint64_t extent) {
    add_site(workload, launch, array.key,
             {.name = name,
              .op = op,
              .word_bytes = launch.word_bytes,
              .extent_bytes = extent * launch.word_bytes,
              .request = {}},
             period_of_repeats(array.sequence),
             [sequence = array.sequence](std::uint64_t first, std::span<std::uint64_t> elements) {
               sequence.copy_to(first, elements);
             });
  };
  if (indexed.from) add_index_site("from indices");
  add_index_site("indices");
  const std::uint64_t useful = launch.count * launch.word_bytes;
  if (launch.loads()) {
    add_element_site("source", access::Op::load, indexed.from ? *indexed.from : indexed.indices,
                     indexed.source_elements);
    workload.useful_bytes_read = useful;
    workload.waits = 2;  // for the indices, and for what they say
  }
  if (launch.stores()) {
    add_element_site("target", access::Op::store, indexed.indices, indexed.target_elements);
    workload.useful_bytes_written = useful;
  }
  workload.allocated_bytes = indexed.allocated_bytes();
  workload.blocks = launch.blocks();
  workload.block_threads = launch.tile.block_threads;
  return workload;
}

}  // namespace gpumem::global
