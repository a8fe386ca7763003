#include "program/watch/sites/fetched_sites.hpp"

#include <algorithm>

#include "program/watch/driver.hpp"
#include "program/watch/sites/patching.hpp"
#include "program/watch/sites/site_table.hpp"

namespace gpumem::inject {

namespace {

template <class Value>
bool ask(Value& value, CUpointer_attribute attribute, std::uint64_t address) {
  return driver().cuPointerGetAttribute(&value, attribute, address) == CUDA_SUCCESS;
}

bool is_of_host(std::uint64_t address) {
  CUmemorytype type{};
  return ask(type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) && type == CU_MEMORYTYPE_HOST;
}

Site site_of(std::uint64_t key, const TableSite& from, std::uint64_t kernel_pc, std::uint64_t kernel_bytes) {
  Site site;
  const std::uint64_t pc = key >> 3;
  const bool inside = pc >= kernel_pc && pc - kernel_pc < kernel_bytes;
  site.pc = inside ? pc - kernel_pc : pc;
  site.space = static_cast<RawSpace>(key & 7);
  site.op = static_cast<RawOp>(from.op_and_word & 0xff);
  site.word_bytes = static_cast<std::uint8_t>(from.op_and_word >> 8);
  site.flags = static_cast<std::uint8_t>((from.op_and_word >> 16) | (inside ? 0 : raw_outside_kernel));
  for (const SiteSums& sums : from.sums) {
    site.requests += sums.requests;
    site.active_lanes += sums.active_lanes;
    site.useful_bytes += sums.useful_bytes;
    site.sectors += sums.sectors;
    site.least_sectors += sums.least_sectors;
    site.lines += sums.lines;
    site.wavefronts += sums.wavefronts;
    site.least_wavefronts += sums.least_wavefronts;
    site.l2_sectors += sums.l2_sectors;
    site.memory_sectors += sums.memory_sectors;
    site.loaded_sectors += sums.loaded_sectors;
    site.used_words += sums.used_words;
    site.l2_requests += sums.l2_requests;
    site.only_counted += sums.only_counted;
  }
  for (const ShownRequest& request : from.request) {
    if (request.active != 0) site.request[site.shown++] = request;
  }
  if (site.space == RawSpace::global && site.shown > 0) {
    const ShownRequest& shown = site.request[0];
    const std::uint64_t address = shown.address[__builtin_ctz(shown.active)];
    if (is_of_host(address)) site.space = RawSpace::host;
  }
  return site;
}

/// Returns true if the bytes are those of one allocation in the memory of the current GPU, which nobody else reaches.
/// False also if the driver does not tell.
bool is_private(std::uint64_t begin, std::uint64_t end) {
  CUmemorytype type{};
  std::uint64_t managed = 0;  // has room for a boolean of any size
  int owner = -1;
  CUdevice current = -2;
  CUdeviceptr allocation = 0;
  std::size_t bytes = 0;
  return ask(type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, begin) && type == CU_MEMORYTYPE_DEVICE &&
         ask(managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, begin) && managed == 0 &&
         ask(owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, begin) && driver().cuCtxGetDevice(&current) == CUDA_SUCCESS &&
         owner == current && ask(allocation, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, begin) &&
         ask(bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, begin) && allocation <= begin && end - allocation <= bytes;
}

SeenRange range_of(const Site& site, const SiteRange& range) {
  SeenRange seen{.pc = site.pc, .space = site.space, .op = site.op, .flags = site.flags};
  seen.begin = ~range.inverse_begin;
  seen.end = range.end;
  seen.only_counted = site.only_counted > 0;
  seen.private_memory =
      site.space == RawSpace::global && site.op == RawOp::store && seen.end != 0 && is_private(seen.begin, seen.end);
  return seen;
}

}  // namespace

bool fetch_sites(const Sanitizer& sanitizer, const SampleTables& tables, const Sample& sample, FetchedSites& fetched) {
  std::uint64_t pc = 0;
  std::uint64_t bytes = 0;
  const Kernel& kernel = *sample.kernel;
  if (!fine(sanitizer, sanitizer.sanitizerGetFunctionPcAndSize(kernel.module, kernel.name.c_str(), &pc, &bytes),
            "finding the kernel's code") ||
      !fine(driver().cuMemcpyDtoHAsync(tables.copy.get(), reinterpret_cast<CUdeviceptr>(tables.table),
                                       sizeof(SiteTable), sample.stream),
            "a copy from the GPU") ||
      !fine(driver().cuStreamSynchronize(sample.stream), "the launch")) {
    return false;
  }
  for (std::size_t i = 0; i < table_sites; ++i) {
    if (tables.copy->key[i] == 0) continue;
    const TableSite& site = tables.copy->site[i];
    fetched.sites.push_back(site_of(tables.copy->key[i], site, pc, bytes));
    if (sample.repeatable) fetched.ranges.push_back(range_of(fetched.sites.back(), site.range));
  }
  std::ranges::sort(fetched.sites, {}, &Site::pc);
  return true;
}

bool fetch_loads(const SampleTables& tables, const Sample& sample, SampleEvent& event) {
  std::vector<std::uint32_t> loads(tables.copy->counted_warps);
  if (loads.empty()) return true;
  if (!fine(driver().cuMemcpyDtoHAsync(loads.data(), reinterpret_cast<CUdeviceptr>(tables.warp_loads),
                                       loads.size() * sizeof(std::uint32_t), sample.stream),
            "a copy from the GPU") ||
      !fine(driver().cuStreamSynchronize(sample.stream), "the launch")) {
    return false;
  }
  const auto warps = static_cast<std::ptrdiff_t>(sample.warps_per_block());
  for (auto block = loads.begin(); block != loads.end(); block += warps) {
    const std::uint64_t busiest = *std::max_element(block, block + warps);
    event.busiest_loads += busiest;
    event.most_loads = std::max(event.most_loads, busiest);
  }
  return true;
}

}  // namespace gpumem::inject
