#pragma once
// Translates the numbers of raw files into the terms of the access arithmetic (engine/access).

#include "engine/access/space.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

[[nodiscard]] constexpr access::Space space_of(const inject::Site& site) {
  switch (site.space) {
    case inject::RawSpace::global:
      return access::Space::global;
    case inject::RawSpace::shared:
      return access::Space::shared;
    case inject::RawSpace::local:
      return access::Space::local;
    case inject::RawSpace::host:
      return access::Space::host;
    case inject::RawSpace::cluster:
      return access::Space::cluster;
  }
  throw std::logic_error("a space that is none");
}

[[nodiscard]] constexpr access::Op op_of(const inject::Site& site) {
  switch (site.op) {
    case inject::RawOp::load:
      return access::Op::load;
    case inject::RawOp::store:
      return access::Op::store;
    case inject::RawOp::atomic:
      return access::Op::atomic;
  }
  throw std::logic_error("an op that is none");
}

/// True if the site's memory lies beyond the multiprocessor, so that its requests cost sectors.
[[nodiscard]] constexpr bool is_off_chip(const inject::Site& site) {
  return row_of(space_of(site)).home != access::Home::on_chip;
}

[[nodiscard]] constexpr bool is_local(const inject::Site& site) { return site.space == inject::RawSpace::local; }

/// Registers that the compiler spilled: nobody asked for them (spilled_registers.hpp).
[[nodiscard]] constexpr bool is_spill(const inject::Site& site) {
  return is_local(site) && (site.flags & inject::raw_assumed) != 0;
}

/// Returns true if most of the sectors of its requests are stored in part.
[[nodiscard]] constexpr bool stores_parts(const inject::Site& site) {
  return 2 * site.useful_bytes < site.sectors * access::sector_bytes;
}

/// Returns the mean number of a request's lanes per word that it touches: 1 if no lanes meet.
[[nodiscard]] constexpr double lanes_per_word(const inject::Site& site) {
  if (site.useful_bytes == 0) return 1;
  return static_cast<double>(site.active_lanes) * site.word_bytes / static_cast<double>(site.useful_bytes);
}

/// Returns a request shown of the site. Addresses of local memory are offsets in the warp's rows of 4-byte words, so
/// that its words are of 4 bytes at most.
[[nodiscard]] constexpr access::WarpRequest request_of(const inject::Site& site, const inject::ShownRequest& shown) {
  access::WarpRequest request;
  const bool local = site.space == inject::RawSpace::local;
  request.word_bytes = local && site.word_bytes > 4 ? 4U : site.word_bytes;
  request.active = shown.active;
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    request.address[lane] = shown.address[lane];
  }
  return request;
}

}  // namespace gpumem::program
