// The link between two GPUs, in words and in short.

#include <set>

#include "engine/machine/peer_link.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_peer_link {

TEST_CASE("a link is said in words, and in short as nvidia-smi does", "[links]") {
  CHECK(in_words({.path = PeerLink::Path::nvlink, .nvlinks = 18, .nvlink_version = 4, .nvswitch = true}) ==
        "18 NVLinks of version 4 through NVSwitch");
  CHECK(in_words({.path = PeerLink::Path::nvlink, .nvlinks = 1, .nvlink_version = 2}) == "1 NVLink of version 2");
  CHECK(in_words({.path = PeerLink::Path::nvlink, .nvlinks = 4}) == "4 NVLinks");
  CHECK(in_words({.path = PeerLink::Path::host_bridge}) == "PCIe through the host's bridge");
  CHECK(in_words({}) == "unknown");
  CHECK(short_name({.path = PeerLink::Path::nvlink, .nvlinks = 12}) == "NV12");
  CHECK(short_name({.path = PeerLink::Path::pcie_switches}) == "PXB");
  CHECK(short_name({.path = PeerLink::Path::system}) == "SYS");
  CHECK(short_name({.path = PeerLink::Path::itself}) == "X");
  CHECK(short_name({}) == "?");
}

TEST_CASE("every path has names of its own", "[links]") {
  std::set<std::string> words;
  std::set<std::string> shorts;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < std::size(PeerLink::path_names); ++i) {
    const PeerLink link = {.path = static_cast<PeerLink::Path>(i)};
    words.insert(in_words(link));
    shorts.insert(short_name(link));
    names.insert(to_string(link.path));
  }
  CHECK(words.size() == std::size(PeerLink::path_names));
  CHECK(shorts.size() == std::size(PeerLink::path_names));
  CHECK(names.size() == std::size(PeerLink::path_names));
  CHECK(to_string(PeerLink::Path::system) == "system");
  CHECK(to_string(PeerLink::Path::nvlink) == "nvlink");
}

TEST_CASE("a link's theoretical bandwidth is that of what it takes, absent where it is not known", "[links]") {
  PeerLink link = {.path = PeerLink::Path::system, .pcie_bytes_per_s = 63e9};
  CHECK(link.is_pcie());
  CHECK(link.theoretical_bytes_per_s() == 63e9);
  CHECK_FALSE(link.nvlink_bytes_per_s());
  link.path = PeerLink::Path::unknown;
  CHECK_FALSE(link.is_pcie());
  CHECK_FALSE(link.theoretical_bytes_per_s());
  link = {.path = PeerLink::Path::nvlink, .nvlinks = 18, .bytes_per_nvlink_s = 25e9, .pcie_bytes_per_s = 63e9};
  CHECK(link.theoretical_bytes_per_s() == 450e9);
  link.bytes_per_nvlink_s = 0;
  CHECK_FALSE(link.theoretical_bytes_per_s());
}

}  // namespace gpumem::test_peer_link
