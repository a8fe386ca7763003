#include "probes/measure/verify.hpp"

#include "probes/measure/content.hpp"

namespace gpumem::measure {

void poison(void* data, std::size_t bytes, cudaStream_t stream, std::string_view what, std::source_location location) {
  check(cudaMemsetAsync(data, poison_byte, bytes, stream), what, location);
}

void poison(const DeviceBuffer& buffer, cudaStream_t stream, std::string_view what, std::source_location location) {
  poison(buffer.data(), buffer.bytes(), stream, what, location);
}

}  // namespace gpumem::measure
