#include "report/record/machine_fields.hpp"

namespace gpumem::report {

std::vector<NumberedLink> links_to_others(const std::vector<PeerLink>& links) {
  std::vector<NumberedLink> others;
  for (unsigned gpu = 0; gpu < links.size(); ++gpu) {
    if (links[gpu].path != PeerLink::Path::itself) others.push_back({gpu, links[gpu]});
  }
  return others;
}

std::optional<std::vector<PeerLink>> links_by_gpu(const std::vector<NumberedLink>& others) {
  std::vector<PeerLink> links(others.size() + 1, {.path = PeerLink::Path::itself});
  for (const NumberedLink& other : others) {
    if (other.gpu >= links.size() || links[other.gpu].path != PeerLink::Path::itself) return std::nullopt;
    links[other.gpu] = other.link;
  }
  return links;
}

}  // namespace gpumem::report
