#include "program/watch/counters/records.hpp"

#if GPUMEM_HAS_CUPTI

#include <cstdlib>
#include <utility>

#include "program/watch/output.hpp"

namespace gpumem::inject {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20U;
constexpr std::size_t buffer_alignment = 8;
constexpr std::uint32_t flush_period_ms = 100;  // what a program that is killed loses at most
/// The layout that all since CUDA 12 begin with.
using KernelRecord = CUpti_ActivityKernel9;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;  // as many as fit
}

std::uint32_t positive(std::int32_t n) { return n < 0 ? 0 : static_cast<std::uint32_t>(n); }

}  // namespace

void Records::keep(const CUpti_Activity& activity) {
  const auto& record = reinterpret_cast<const KernelRecord&>(activity);
  if (record.name == nullptr || record.end <= record.start) return;
  taken_in_.push_back({.name = &*names_.emplace(record.name).first,
                       .device = record.deviceId,
                       .shape = {.grid = {positive(record.gridX), positive(record.gridY), positive(record.gridZ)},
                                 .block = {positive(record.blockX), positive(record.blockY), positive(record.blockZ)},
                                 .dynamic_shared_bytes = positive(record.dynamicSharedMemory)},
                       .began_ns = static_cast<double>(record.start - ahead_ns_),
                       .took_ns = record.end - record.start,
                       .stream = record.streamId,
                       .of_graph = record.graphNodeId != 0,
                       .registers_per_thread = record.registersPerThread,
                       .static_shared_bytes = positive(record.staticSharedMemory)});
}

void Records::take_in(std::uint8_t* buffer, std::size_t bytes) {
  CUpti_Activity* record = nullptr;
  {
    const std::lock_guard lock(mutex_);
    while (bytes > 0 && cupti_->activity_get_next_record(buffer, bytes, &record) == CUPTI_SUCCESS) {
      if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) keep(*record);
    }
  }
  std::free(buffer);
}

bool Records::start(const measure::Cupti& cupti, TakeBuffer take_buffer) {
  cupti_ = &cupti;
  std::uint64_t its_now_ns = 0;
  if (cupti.get_timestamp(&its_now_ns) != CUPTI_SUCCESS) return false;
  ahead_ns_ = its_now_ns - now_ns();
  return cupti.activity_register_callbacks(give_buffer, take_buffer) == CUPTI_SUCCESS &&
         cupti.activity_enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS &&
         cupti.activity_flush_period(flush_period_ms) == CUPTI_SUCCESS;
}

void Records::pause() { static_cast<void>(cupti_->activity_disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)); }

void Records::resume() { static_cast<void>(cupti_->activity_enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)); }

std::vector<Ran> Records::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(taken_in_, {});
}

void Records::flush() { static_cast<void>(cupti_->activity_flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)); }

}  // namespace gpumem::inject

#endif
