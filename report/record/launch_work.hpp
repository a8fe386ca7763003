#pragma once
// The work of a launch of a user's kernel: all that pricing it takes, without the rates of a GPU. Sums are of the whole
// launch. They depend on the GPU that the launch was seen on in two ways only: its L1s and L2 were simulated, and its
// machine code ran.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access/space.hpp"
#include "engine/model/workload.hpp"
#include "report/record/field_kinds.hpp"

namespace gpumem::report {

/// Sums over the requests of sites that are alike. Sectors, lines and atoms are of 32, 128 and 64 bytes.
struct SiteWork {
  access::Space space = access::Space::global;
  access::Op op = access::Op::load;
  unsigned word_bytes = 0;
  bool past_l1 = false;  ///< bulk copies, which do not take turns in the banks of L1
  double requests = 0;
  double useful_bytes = 0;
  double sectors = 0;         ///< that requests touch
  double lines = 0;           ///< likewise
  double memory_sectors = 0;  ///< that come from memory, or that stores and atomics were the first to touch
  double atoms = 0;           ///< of memory, that hold the sectors that are loaded or stored
  double memory_lines = 0;
  double memory_line_pairs = 0;
  double l1_wavefronts = 0;    ///< of loads, in the banks of L1
  double l2_sectors = 0;       ///< of loads, that L1 does not have
  double l2_requests = 0;      ///< of loads, lines asked of L2
  double written_sectors = 0;  ///< of stores and atomics, that memory gets
  double partial_sectors = 0;  ///< of those, the ones that have to be fetched first
};

/// The atomics that go to one array beyond the multiprocessors.
struct AtomicWork {
  double turns = 0;            ///< that sectors take for them
  double lines = 0;            ///< of the array
  double hottest_updates = 0;  ///< of floats: of the word that has most of them; 0 without floats
};

/// Pipes of a multiprocessor that an instruction may keep busy, in the order of PathWork::busy_cycles.
inline constexpr std::string_view pipe_names[] = {"issue",   "fp32",   "integer", "fp64",
                                                  "special", "memory", "tensor",  "barrier"};
inline constexpr std::size_t pipes = std::size(pipe_names);

/// The way of a launch's warps through its machine code.
struct PathWork {
  /// Cycles of a scheduler, of all warps, by pipe, at the widths of compute capability 9.0.
  std::array<double, pipes> busy_cycles = {};
  double float_cycles = 0;  ///< of those of fp32, the ones of additions and products of 32-bit floats
  Chains chains = {};       ///< of its warps, each by itself; cycles are those of the GPU that it was seen on
};

// Features that not every GPU has, as LaunchWork names them.
inline constexpr const char* bulk_copies_feature = "bulk_copies";
inline constexpr const char* clusters_feature = "clusters";
inline constexpr const char* warpgroup_products_feature = "warpgroup_products";

struct LaunchWork {
  std::uint64_t blocks = 0;
  unsigned block_threads = 0;
  unsigned shared_bytes_per_block = 0;
  unsigned registers_per_thread = 0;  ///< 0: not known
  unsigned local_bytes_per_thread = 0;
  double local_threads_share = 0;  ///< of the threads, those that use local memory
  unsigned turns = 1;              ///< accesses of a thread that may wait behind each other
  bool in_step = false;            ///< the warps of a block wait for each other again and again
  double shared_wavefronts = 0;
  std::optional<PathWork> path = {};  ///< absent: the machine code is not known
  std::vector<SiteWork> sites = {};   ///< beyond the multiprocessors
  std::vector<AtomicWork> atomics = {};
  std::vector<std::string> features = {};
};

template <class Archive>
void fields(Archive& archive, AtomicWork& atomic) {
  archive("turns", atomic.turns);
  archive("lines", atomic.lines);
  archive("hottest_updates", atomic.hottest_updates);
}

template <class Archive>
void fields(Archive& archive, Chain& chain) {
  archive("waits", chain.waits);
  archive("cycles", chain.cycles);
}

template <class Archive>
void fields(Archive& archive, PathWork& path) {
  archive("busy_cycles", [&](auto& busy) {
    for (std::size_t pipe = 0; pipe < pipes; ++pipe) busy.if_any(pipe_names[pipe], path.busy_cycles[pipe]);
  });
  archive.if_any("float_cycles", path.float_cycles);
  archive("mean_chain", path.chains.mean);
  archive("busiest_chain", path.chains.busiest);
  archive("longest_chain", path.chains.longest);
}

template <class Archive>
void fields(Archive& archive, LaunchWork& work) {
  archive("blocks", work.blocks);
  archive("block_threads", work.block_threads);
  archive("shared_bytes_per_block", work.shared_bytes_per_block);
  archive("registers_per_thread", known(work.registers_per_thread));
  archive.if_any("local_bytes_per_thread", work.local_bytes_per_thread);
  archive.if_any("local_threads_share", work.local_threads_share);
  archive("turns", work.turns);
  archive("in_step", work.in_step);
  archive.if_any("shared_wavefronts", work.shared_wavefronts);
  archive("path", work.path);
  archive("sites", work.sites);
  archive.if_any("atomics", work.atomics);
  archive.if_any("features", work.features);
  if constexpr (Archive::reads) {
    constexpr unsigned most_threads = 1024;  // of a block (CUDA C++ Programming Guide, technical specifications)
    if (work.blocks == 0) archive.refuse("blocks", "a whole number from 1 on");
    if (work.block_threads == 0 || work.block_threads > most_threads)
      archive.refuse("block_threads", "a whole number from 1 to 1024");
    if (work.turns == 0) archive.refuse("turns", "a whole number from 1 on");
  }
}

}  // namespace gpumem::report
