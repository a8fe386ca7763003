#include "engine/base/error.hpp"
#include "engine/model/profile.hpp"
#include "probes/peer/peer_case.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::peer::test_peer_case {

namespace {

Case peer_case(std::uint64_t source, std::uint64_t target, const std::string& via,
               const std::string& direction = "one-way") {
  return test::any_case("peer", {{"source", source}, {"target", target}, {"via", via}, {"direction", direction}});
}

/// GPU 3 of a node of eight.
Device fourth_of_eight() { return model::load_profile("h200x8").gpus.at(3); }

std::string refusal(const Case& tested, const Device& gpu) {
  try {
    static_cast<void>(describe(tested, gpu));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::missing_capability);
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace

TEST_CASE("who moves the bytes times them", "[peer]") {
  const auto gpus = [](const std::string& via) { return find_probe("peer")->gpus(peer_case(3, 5, via)); };
  using Both = std::vector<std::uint64_t>;
  CHECK(gpus("copy-engine") == Both{3, 5});
  CHECK(gpus("kernel-write") == Both{3, 5});
  CHECK(gpus("copy-engine-read") == Both{5, 3});
  CHECK(gpus("kernel-read") == Both{5, 3});
  CHECK(gpus("staged") == Both{5, 3});
}

TEST_CASE("a copy between GPUs is the bytes that cross, once for each way", "[peer]") {
  const Workload one_way = describe(peer_case(3, 5, "copy-engine"), fourth_of_eight());
  CHECK(one_way.useful_bytes() == std::uint64_t{8 * 512} << 20U);  // eight in a row
  CHECK(one_way.about<PeerTraffic>()->bytes == std::uint64_t{512} << 20U);
  CHECK(one_way.about<PeerTraffic>()->copies == 8);
  CHECK(one_way.about<PeerTraffic>()->commands == 8);
  CHECK(one_way.kernel.empty());
  REQUIRE(one_way.about<PeerTraffic>());
  CHECK(one_way.about<PeerTraffic>()->link.nvlinks == 18);
  CHECK_FALSE(one_way.about<PeerTraffic>()->both_ways);
  const Workload both = describe(peer_case(3, 5, "copy-engine", "both"), fourth_of_eight());
  CHECK(both.useful_bytes() == 2 * one_way.useful_bytes());
  CHECK(both.about<PeerTraffic>()->both_ways);
}

TEST_CASE("kernels read or write the memory of the other GPU", "[peer]") {
  const Workload write = describe(peer_case(3, 5, "kernel-write"), fourth_of_eight());
  CHECK(write.sites.at(0).space == access::Space::global);
  CHECK(write.sites.at(1).space == access::Space::peer);
  const Workload read = describe(peer_case(5, 3, "kernel-read"), fourth_of_eight());
  CHECK(read.sites.at(0).space == access::Space::peer);
  CHECK(read.sites.at(1).space == access::Space::global);
  CHECK(read.sites.at(0).op == access::Op::load);
  CHECK(read.about<PeerTraffic>()->copies == 8);
  CHECK(read.about<PeerTraffic>()->commands == 1);  // one launch reads them all
  CHECK(read.blocks == 2 * 132);
  // A request of 32 words for every 512 bytes of one copy, also where they end within a block's share.
  for (const std::uint64_t bytes : {std::uint64_t{512} << 20U, std::uint64_t{660'000}, std::uint64_t{16}}) {
    for (const char* via : {"kernel-read", "kernel-write"}) {
      Case tested = peer_case(5, 3, via);
      tested.set("size_bytes", bytes);
      for (const access::Site& site : describe(tested, fourth_of_eight()).sites) {
        CHECK(site.requests == (bytes + 511) / 512);
        CHECK(access::summarise(site).cost.sectors_per_request * static_cast<double>(site.requests) ==
              Approx(static_cast<double>((bytes + 31) / 32)));
      }
    }
  }
}

TEST_CASE("staged bytes pass through a few chunks of the host's memory", "[peer]") {
  const Workload staged = describe(peer_case(5, 3, "staged"), fourth_of_eight());
  CHECK(staged.about<PeerTraffic>()->chunks == 64);
  CHECK(staged.about<PeerTraffic>()->copies == 1);
  CHECK(staged.useful_bytes() == std::uint64_t{512} << 20U);
  CHECK(staged.host_bytes == std::uint64_t{16} << 20U);
}

TEST_CASE("a pair that is not there, or cannot, says what is missing", "[peer]") {
  Device gpu = fourth_of_eight();
  CHECK(refusal(peer_case(3, 9, "copy-engine"), gpu) == "there is no GPU 9: this machine has 8");
  CHECK(refusal(peer_case(3, 3, "copy-engine"), gpu) ==
        "GPU 3 is source and target: choose another one as --source or --target");
  Device alone;
  alone.uuid = "GPU-1";
  CHECK(refusal(peer_case(0, 1, "staged"), alone) == "copies between GPUs need two of them: this machine has 1");
  CHECK(refusal(peer_case(0, 1, "staged"), Device{}).ends_with("predict eight with: --gpu h200x8"));
  gpu.links[5].access = false;
  gpu.links[5].no_access = "the chipset does not support it";
  CHECK(
      refusal(peer_case(3, 5, "kernel-write"), gpu) ==
      "GPU 3 cannot address the memory of GPU 5: the chipset does not support it; --via staged goes through the host");
  CHECK(refusal(peer_case(5, 3, "staged"), gpu) == "nothing thrown");
}

TEST_CASE("a pair of both ways is one pair", "[peer]") {
  const Device gpu = fourth_of_eight();
  CHECK(fits(peer_case(3, 5, "copy-engine"), gpu));
  CHECK(fits(peer_case(5, 3, "copy-engine"), gpu));
  CHECK(fits(peer_case(3, 5, "copy-engine", "both"), gpu));
  CHECK_FALSE(fits(peer_case(5, 3, "copy-engine", "both"), gpu));
  CHECK_FALSE(fits(peer_case(3, 3, "copy-engine"), gpu));
  CHECK_FALSE(fits(peer_case(3, 8, "copy-engine"), gpu));
  CHECK(all_gpus(gpu).size() == 8);
  CHECK(all_gpus(Device{}) == std::vector<Value>{std::uint64_t{0}});
}

}  // namespace gpumem::peer::test_peer_case
