#include "probes/measure/links.hpp"

#include <cuda_runtime_api.h>

namespace gpumem::measure {

void add_links(std::vector<Device>& devices) {
  const auto count = static_cast<int>(devices.size());
  for (int from = 0; from < count; ++from) {
    std::vector<PeerLink>& links = devices[static_cast<std::size_t>(from)].links;
    links.assign(devices.size(), {});
    for (int to = 0; to < count; ++to) {
      PeerLink& link = links[static_cast<std::size_t>(to)];
      int can = 0;
      if (from == to) {
        link.path = PeerLink::Path::itself;
      } else if (cudaDeviceCanAccessPeer(&can, from, to) == cudaSuccess) {
        link.access = can != 0;
      } else {
        static_cast<void>(cudaGetLastError());
      }
    }
  }
}

}  // namespace gpumem::measure
