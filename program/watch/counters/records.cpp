#include "program/watch/counters/records.hpp"

#if GPUMEM_HAS_CUPTI

#include <cstdlib>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "program/watch/output.hpp"

namespace gpumem::inject {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20U;
constexpr std::size_t buffer_alignment = 8;
constexpr std::uint32_t flush_period_ms = 100;  // what a program that is killed loses at most
/// The layout that all since CUDA 12 begin with.
using KernelRecord = CUpti_ActivityKernel9;

/// Never destroyed: CUPTI's own thread may hand over records at the very end.
struct Records {
  std::mutex mutex;  // never held while anything else is called
  std::unordered_set<std::string> names;
  std::vector<Ran> taken_in;
  const measure::Cupti* cupti = nullptr;
  std::uint64_t ahead_ns = 0;  ///< CUPTI's clock, of now_ns()'s
};
Records& records() {
  static Records& all = *new Records;
  return all;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;  // as many as fit
}

std::uint32_t positive(std::int32_t n) { return n < 0 ? 0 : static_cast<std::uint32_t>(n); }

void keep(const KernelRecord& record, Records& all) {
  if (record.name == nullptr || record.end <= record.start) return;
  all.taken_in.push_back(
      {.name = &*all.names.emplace(record.name).first,
       .device = record.deviceId,
       .shape = {.grid = {positive(record.gridX), positive(record.gridY), positive(record.gridZ)},
                 .block = {positive(record.blockX), positive(record.blockY), positive(record.blockZ)},
                 .dynamic_shared_bytes = positive(record.dynamicSharedMemory)},
       .began_ns = static_cast<double>(record.start - all.ahead_ns),
       .took_ns = record.end - record.start,
       .stream = record.streamId,
       .of_graph = record.graphNodeId != 0,
       .registers_per_thread = record.registersPerThread,
       .static_shared_bytes = positive(record.staticSharedMemory)});
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t bytes) {
  Records& all = records();
  CUpti_Activity* record = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    while (bytes > 0 && all.cupti->activity_get_next_record(buffer, bytes, &record) == CUPTI_SUCCESS) {
      if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) keep(*reinterpret_cast<KernelRecord*>(record), all);
    }
  }
  std::free(buffer);
}

}  // namespace

bool start_records(const measure::Cupti& cupti) {
  records().cupti = &cupti;
  std::uint64_t its_now_ns = 0;
  if (cupti.get_timestamp(&its_now_ns) != CUPTI_SUCCESS) return false;
  records().ahead_ns = its_now_ns - now_ns();
  return cupti.activity_register_callbacks(give_buffer, take_buffer) == CUPTI_SUCCESS &&
         cupti.activity_enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS &&
         cupti.activity_flush_period(flush_period_ms) == CUPTI_SUCCESS;
}

void pause_records(const measure::Cupti& cupti) {
  static_cast<void>(cupti.activity_disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

void resume_records(const measure::Cupti& cupti) {
  static_cast<void>(cupti.activity_enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

std::vector<Ran> take_records() {
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.taken_in, {});
}

void flush_records(const measure::Cupti& cupti) {
  static_cast<void>(cupti.activity_flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
}

}  // namespace gpumem::inject

#endif
