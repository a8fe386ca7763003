#pragma once
// The model's knowledge of a GPU: its attributes and the rates of its stages, each with how it is known.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/machine/device.hpp"
#include "engine/pattern/instruction_costs.hpp"

namespace gpumem::model {

/// The rates of a GPU's stages, of the whole GPU unless the name says otherwise. docs/method/ tells how each acts.
/// The rates from pcie_to_device_bytes_per_s to pcie_latency_s are of the host link and of the host beyond it. From
/// there on they are of loads that wait for each other (chase.hpp), from nvlink_efficiency on of links between GPUs,
/// and from cluster_read_bytes_per_cycle on of clusters. The rates from atomic_turn_cycles on, and those of
/// instructions, are constants of the model's formulas: they were fitted to measurements once, and no command fits them
/// again.
struct Rates : pattern::InstructionCosts {
  double dram_read_bytes_per_s = 0;     ///< reads alone
  double dram_write_bytes_per_s = 0;    ///< writes alone
  double dram_copy_bytes_per_s = 0;     ///< as many bytes read as written, both counted
  double dram_split_sectors_per_s = 0;  ///< split sectors (see below) delay DRAM too: each by 1 / this
  double l2_load_sectors_per_s = 0;     ///< sectors from L2 to L1
  double l2_store_sectors_per_s = 0;    ///< sectors from L1 to L2
  double l2_split_sectors_per_s = 0;    ///< sectors that arrive again because another request wrote part of them
  double l2_load_lines_per_s = 0;       ///< lines fetched into L2 for loads, the cost per line
  double l2_load_line_pairs_per_s = 0;  ///< and the cost per aligned pair of lines, which adds to it
  double l2_store_lines_per_s = 0;      ///< the same for lines that stores write without leaving sectors incomplete
  double l2_store_line_pairs_per_s = 0;
  double l2_fill_lines_per_s = 0;  ///< the same for lines fetched because stores leave sectors incomplete
  double l2_fill_line_pairs_per_s = 0;
  double load_latency_s = 0;  ///< until a thread has what it loads, memory under load
  double block_launches_per_s = 0;
  double launch_s = 0;                     ///< fixed cost of a launch in a queue of launches
  double shared_wavefronts_per_cycle = 0;  ///< of one multiprocessor

  double cached_launch_s = 0;    ///< the same of a launch that no device memory is needed for
  double store_latency_s = 0;    ///< until a block that stores makes place for the next
  double load_turn_s = 0;        ///< what each further load of a thread adds to its latency
  double block_drain_share = 0;  ///< share of the latency that a block's place then stays empty, over resident blocks
  double l2_read_requests_per_s = 0;  ///< of L1s, each for sectors of one line, however few
  double l2_write_requests_per_s = 0;
  double l2_store_collisions_per_s = 0;  ///< of stores to the same lines at the same time (traffic.hpp)
  double l1_lines_per_cycle = 0;         ///< of one multiprocessor: lines that loads look up
  double overlap_exponent = 0;   ///< p of (latency^p + work^p)^(1/p): the larger, the better one hides the other
  double line_spread_share = 0;  ///< added to the cost of lines that are fetched when a thread has many turns

  double pcie_to_device_bytes_per_s = 0;  ///< a copy engine, pinned memory, the other direction idle
  double pcie_to_host_bytes_per_s = 0;
  double pcie_both_ways_bytes_per_s = 0;  ///< sum of both while a copy runs each way
  double copy_to_device_s = 0;            ///< fixed cost of a copy in a queue of copies
  double copy_to_host_s = 0;
  double copy_batched_s = 0;         ///< fixed cost of each further copy that one call hands over
  double copy_to_device_call_s = 0;  ///< what a call that queues a copy takes the host
  double copy_to_host_call_s = 0;
  double host_wait_s = 0;                           ///< from the end of the device's work until the host knows
  double streams_join_s = 0;                        ///< to start several streams from one, and to join them again
  double pageable_copy_s = 0;                       ///< fixed cost of a copy from or to pageable memory
  double staging_to_device_bytes_per_s = 0;         ///< the host staging pageable memory; the link's time comes on top
  double staging_cached_to_device_bytes_per_s = 0;  ///< the same while the memory stays in the host's caches
  double staging_to_host_bytes_per_s = 0;
  double host_cache_bytes = 0;             ///< host memory up to which that is so
  double host_copy_bytes_per_s = 0;        ///< the host packing chunks into one buffer: bytes, and what
  double host_copy_piece_s = 0;            ///< each chunk adds
  double pcie_load_lines_per_s = 0;        ///< lines that kernels load over the link, the cost per line
  double pcie_load_atoms_per_s = 0;        ///< the cost per atom (64 bytes) of them, which adds to it
  double pcie_load_sectors_per_s = 0;      ///< and the cost per sector
  double pcie_load_split_lines_per_s = 0;  ///< lines asked for again, because two requests share them
  double pcie_write_bytes_per_s = 0;       ///< stores of kernels over the link, whole sectors
  double pcie_partial_writes_per_s = 0;  ///< stores that leave sectors incomplete cross one by one; several to an atom
  double pcie_split_writes_per_s = 0;    ///< lines of whole sectors that are stored in two parts: the second
  double pcie_lone_writes_per_s = 0;     ///< and one to an atom, when all channels of the host's memory have some
  double pcie_lone_idle_writes_per_s = 0;  ///< what is added, times the share of channels that have none
  double pcie_lone_copy_share = 0;         ///< of loads or lone writes, whichever is shorter: what adds to the longer
  double pcie_copy_bytes_per_s = 0;        ///< kernels that load as much as they store, both counted
  double pcie_latency_s = 0;               ///< what a launch that loads over the link adds: the first load's way

  double register_latency_cycles = 0;  ///< from one addition to the next that needs its result
  double shared_latency_cycles = 0;    ///< from here on from one load to the next, of what the name says
  double cluster_latency_cycles = 0;   ///< shared memory of another block of the cluster
  double l1_latency_cycles = 0;
  double texture_latency_cycles = 0;  ///< a texture fetch that L1 answers
  double constant_latency_cycles = 0;
  double constant_far_latency_cycles = 0;  ///< constants beyond the first cache of them
  double local_latency_cycles = 0;         ///< a thread's own array, in L1
  double l2_latency_cycles = 0;            ///< the part of L2 near the multiprocessor
  double l2_far_latency_cycles = 0;        ///< where that part no longer holds the footprint
  double memory_latency_cycles = 0;
  double host_latency_cycles = 0;  ///< mapped memory: a time by nature, in cycles of the clock it was measured at
  // The queues of a busy memory (queueing.hpp), of device memory by what it is busy with:
  double memory_queue_loads_cycles = 0;
  double memory_queue_loads_growth = 0;
  double memory_queue_both_cycles = 0;  ///< as many stores as loads
  double memory_queue_both_growth = 0;
  double memory_queue_stores_cycles = 0;
  double memory_queue_stores_growth = 0;
  double l2_queue_cycles = 0;
  double l2_queue_growth = 0;
  double l1_bytes = 0;                     ///< what L1 of a multiprocessor holds that gives no memory to shared memory
  double l2_near_share = 0;                ///< of L2: the part near a multiprocessor; 1 where all of it is as near
  double l2_port_bytes_per_cycle = 0;      ///< that L2 delivers to one multiprocessor
  double atomic_port_bytes_per_cycle = 0;  ///< of atomics that one multiprocessor issues
  double atomic_sectors_per_s = 0;         ///< of which L2 executes the atomics of all lanes, all different words

  double nvlink_efficiency = 0;           ///< of NVLinks' theoretical bandwidth, what packets get of it
  double nvlink_header_bytes = 0;         ///< of a packet beside its data
  double nvlink_kernel_return_bytes = 0;  ///< what goes the other way for each packet that a kernel loads (128 bytes)
  double nvlink_store_return_bytes = 0;   ///< that it stores
  double nvlink_copy_return_bytes = 0;    ///< and of a copy engine (256)
  double nvlink_latency_s = 0;            ///< of a load from another GPU's memory
  double peer_copy_s = 0;                 ///< fixed cost of a copy between GPUs in a queue of copies
  double staged_piece_s = 0;  ///< what one GPU's waiting for the other adds to each chunk on its way through the host
  double host_memory_bytes_per_s = 0;  ///< of the host's memory, what all copies of all GPUs share; 0: not known

  // Per multiprocessor, in clusters whose blocks have one each (cluster.hpp):
  double cluster_read_bytes_per_cycle = 0;  ///< of one block, alone
  double cluster_write_bytes_per_cycle = 0;
  double cluster_atomic_bytes_per_cycle = 0;
  double cluster_read_served_bytes_per_cycle = 0;  ///< of all that ask one block
  double cluster_write_served_bytes_per_cycle = 0;
  double cluster_atomic_served_bytes_per_cycle = 0;
  double cluster_read_all_bytes_per_cycle = 0;  ///< of all blocks of the GPU
  double cluster_write_all_bytes_per_cycle = 0;
  double cluster_atomic_all_bytes_per_cycle = 0;
  double multicast_bytes_per_cycle = 0;  ///< what each receives of copies by multicast
  double tile_step_cycles = 0;           ///< what a tile from L2 takes a block besides its bytes: waits and barriers

  double atomic_turn_cycles = 0;   ///< of L2, for all different words of a sector
  double atomic_float_cycles = 0;  ///< that a word of floating point takes between two additions
  double atomic_slice_lines = 0;   ///< lines next to each other whose atomics take their turns in one slice of L2
  double atomic_slices = 0;        ///< most of these that work at once
  double on_chip_exponent = 0;  ///< as overlap_exponent, of arithmetic, waits in a loop and the banks of L1 and shared
  double addresses_exponent = 0;  ///< as overlap_exponent, of working out addresses while other warps wait
  // For launches that are simulated:
  double l2_loads_exponent = 0;   ///< as overlap_exponent, of L2's answers to loads and the lines fetched for them
  double l2_filled_share = 0;     ///< of the cost of lines that stores leave incomplete, what stores wait for
  double l2_exposed_share = 0;    ///< of loads or stores, whichever is shorter: what adds to the longer
  double l2_mixed_factor = 0;     ///< times the cost of a line left incomplete, added where only some sectors are
  double l2_held_share = 0;       ///< of L2's lines: those that wait for other blocks to complete their sectors
  double l2_written_share = 0;    ///< of the lines that share their places: most that wait to be written to memory
  double l1_lines_at_a_time = 0;  ///< that L1 looks up while it passes on one, if their words lie in different banks
  double code_fetch_s = 0;        ///< to fetch a pattern's machine code, which shows where L2 has all that is asked for
  /// The share of the parts of sectors, stored by neighbouring warps, that arrive in L2 one by one: first the share
  /// behind loads; then, for launches without loads, the number of stores in a row at which it is half.
  double uncombined_behind_loads_share = 0;
  double uncombined_half_stores = 0;
  /// The same for a launch that is simulated. The share is half if neighbouring warps store to uncombined_half_lines
  /// lines, take uncombined_usual_cycles for their addresses, and a store goes to far fewer lines than
  /// uncombined_many_lines. The odds grow with a power of each.
  double uncombined_half_lines = 0;
  double uncombined_usual_cycles = 0;
  double uncombined_many_lines = 0;
  double uncombined_cycles_exponent = 0;
  double uncombined_lines_exponent = 0;
  double uncombined_odds_exponent = 0;
  double uncombined_loads_factor = 0;  ///< of these lines, if the launch loads
  double uncombined_plain_cycles = 0;  ///< of addresses that are nothing to speak of
  double miss_sharpness = 0;           ///< s of 1 - (cache / footprint)^s, the share of steps of a chase that miss
  double address_thread_cycles = 0;    ///< of a kernel that works out its addresses (scheduler cycles of a warp): once
  double address_access_cycles = 0;    ///< for each access, whether a lane takes part or not
  double address_request_cycles = 0;   ///< and if one does
  double address_store_word_cycles = 0;   ///< for each 4 bytes of a lane that are only stored
  double address_store_saved_cycles = 0;  ///< less for a request that only stores
  double address_copy_cycles = 0;         ///< more for one that loads and stores
};

/// The quantity that a rate is counted by, and by which it differs from one GPU to another
/// (docs/method/profiles.md, Gaps in a profile).
enum class Scale {
  nothing,   ///< nothing that a device says of itself
  memory,    ///< bytes that memory moves: channels x their width x the memory's clock
  channels,  ///< rows that memory opens: each channel some a second, whatever its width and clock
  l2,        ///< what slices of L2 serve: their number x the clock of L2
  chip,      ///< what multiprocessors do: their number x their clock
  link,      ///< bytes that the host link moves
  clock      ///< a time by nature, told in cycles of the multiprocessors
};

using RateMember = double Rates::*;  // by a name: nvcc passes a bare one on in parentheses, which gcc warns of

struct RateField {
  const char* name = nullptr;
  RateMember value = nullptr;
  Scale scale = Scale::nothing;
  bool read_off = false;  ///< no launch depends on it: of copies, of the host, of chases, of other GPUs
  bool carried = false;   ///< a constant of the model's formulas: `gpumem calibrate` carries it over, never fits it
  double least = 1e-18;   ///< that a profile may give it: no sum or product gets near the ends of what a double holds
  double most = 1e24;
  /// True if neither the device's attributes nor measurements of another GPU tell the rate. A profile that leaves it
  /// out does not know it: it is 0 then, and workloads that need it are not predicted (Workload::needed_rates).
  bool measured_only = false;
};

/// The rates by name, in the order of profile files: the one place that lists them.
[[nodiscard]] std::span<const RateField> rate_fields();

/// The source of a profile: one of configs/gpus, one that this user's `gpumem calibrate` left for the GPU, a file, or
/// only the attributes of the device.
enum class ProfileSource { shipped, own, file, attributes };

[[nodiscard]] std::string_view to_string(ProfileSource source);

struct Profile {
  std::string name;  ///< "h200", or the device's name when made from its attributes
  Device device;
  Rates rates;
  std::map<std::string, std::string> how;  ///< rate name -> how its value is known
  bool from_attributes = false;            ///< states no rate: guessed from the device's attributes
  ProfileSource source = ProfileSource::file;
  /// All GPUs of a node, with their links; the first is `device`. Empty if the profile is not of a node.
  std::vector<Device> gpus = {};
};

/// Parses a profile: of a GPU, or of a node, which may name the shipped profile of its GPUs instead of repeating it.
/// Rates that it leaves out are the H200's, scaled as their field says; `how` says so. If they are measured_only, they
/// stay unknown. Copy engines left out are two, one each way. Throws a usage error that names the source, the JSON
/// pointer and what was expected.
[[nodiscard]] Profile parse_profile(std::string_view text, const std::string& source);

/// Rates in the proportions measured on an H200, scaled by what the device says of itself. A guess, and marked as one.
[[nodiscard]] Profile profile_from_attributes(const Device& device);

/// Returns all rates of another GPU, scaled by the rule for rates that a profile leaves out. If both GPUs were
/// measured, this shows how good the rule is.
[[nodiscard]] Profile scaled_from(const Profile& reference, const Device& device);

/// Returns the shipped profile that a text names (profile_names.hpp). A text that looks like a path names a file, as
/// for find_profile(). Throws a usage error for a name that fits none or several, and for an invalid file.
[[nodiscard]] Profile load_profile(const std::string& name_or_path);

/// Returns the shipped profile of this kind of device, never one of a node, else one guessed from its attributes.
[[nodiscard]] Profile profile_of(const Device& device);

/// Returns the names of the shipped profiles.
[[nodiscard]] std::vector<std::string> profile_names();

/// Returns the text of a profile file, which parse_profile() reads back; for a node, that of its GPU.
[[nodiscard]] std::string to_json(const Profile& profile);

/// The shipped profiles, generated at build time from configs/gpus.
struct EmbeddedProfile {
  std::string_view name;
  std::string_view json;
};
[[nodiscard]] std::span<const EmbeddedProfile> embedded_profiles();

}  // namespace gpumem::model
