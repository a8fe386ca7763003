// Profiles of nodes: which GPUs there are and what joins each two, and what is wrong with a file that says nonsense.

#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/error.hpp"
#include "engine/model/profile.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_node {

namespace {

using Json = nlohmann::ordered_json;
using Path = PeerLink::Path;

Json figure(const Json& value) { return {{"value", value}, {"how", "the test says so"}}; }

/// Two islands of two GPUs, one link between the two of an island, in one NUMA node of three GPUs and one of one.
Json islands() {
  return {{"schema_version", 1},
          {"name", "islands"},
          {"gpu", "v100"},
          {"node",
           {{"gpus", figure(4)},
            {"nvlink",
             {{"groups", figure({{0, 1}, {2, 3}})},
              {"links", figure(1)},
              {"version", figure(2)},
              {"bytes_per_s", figure(25e9)},
              {"switch", figure(false)}}},
            {"numa_nodes", figure({{0, 1, 2}, {3}})},
            {"pcie_path", figure("pcie_switch")}}}};
}

std::string error_after(const std::function<void(Json&)>& change) {
  Json json = islands();
  change(json);
  try {
    static_cast<void>(parse_profile(json.dump(), "node.json"));
  } catch (const Error& error) {
    return error.kind() == ErrorKind::usage ? error.what() : "an error of another kind";
  }
  return "nothing thrown";
}

}  // namespace

TEST_CASE("the shipped node of eight H200s joins all of them by 450 GB/s each way", "[profile]") {
  const Profile node = load_profile("h200x8");
  const Profile gpu = load_profile("h200");
  REQUIRE(node.gpus.size() == 8);
  CHECK(gpu.gpus.empty());
  CHECK(node.name == "h200x8");
  CHECK(node.device.name == "NVIDIA H200");
  CHECK(node.device.links.size() == 8);
  CHECK(node.how == gpu.how);
  CHECK(node.rates.dram.read_bytes_per_s == gpu.rates.dram.read_bytes_per_s);
  for (std::size_t from = 0; from < 8; ++from) {
    CHECK(node.gpus[from].multiprocessors == gpu.device.multiprocessors);
    CHECK(node.gpus[from].numa_node == from / 4);
    REQUIRE(node.gpus[from].links.size() == 8);
    for (std::size_t to = 0; to < 8; ++to) {
      const PeerLink& link = node.gpus[from].links[to];
      CHECK(link.path == (from == to ? Path::itself : Path::nvlink));
      if (from == to) continue;
      CHECK(link.nvlinks == 18);
      CHECK(link.nvlinks_down == 0);
      CHECK(link.nvlink_version == 4U);
      CHECK(link.nvswitch);
      CHECK(link.access == true);
      CHECK(link.theoretical_bytes_per_s() == 450e9);
      CHECK(in_words(link) == "18 NVLinks of version 4 through NVSwitch");
      CHECK(short_name(link) == "NV18");
    }
  }
}

TEST_CASE("what a copy and a kernel get of NVLink is what was measured between two H100s", "[profile]") {
  const Profile node = load_profile("h200x8");
  const double theoretical = node.device.links[1].theoretical_bytes_per_s().value();
  const Rates& rates = node.rates;
  const auto share = [&](double data, double other_way) {
    return rates.nvlink.efficiency * data / (data + rates.nvlink.header_bytes + other_way);
  };
  CHECK(theoretical * share(256, 0) == Approx(397.6e9).epsilon(0.003));
  CHECK(theoretical * share(128, 0) == Approx(375e9).epsilon(0.005));
  CHECK(2 * theoretical * share(256, rates.nvlink.copy_return_bytes) == Approx(784.9e9).epsilon(0.004));
  CHECK(2 * theoretical * share(128, rates.nvlink.kernel_return_bytes) == Approx(676.9e9).epsilon(0.004));
  CHECK(2 * theoretical * share(128, rates.nvlink.store_return_bytes) == Approx(738.8e9).epsilon(0.004));
}

TEST_CASE("GPUs of different islands meet over PCI Express, near or far", "[profile]") {
  const Profile node = parse_profile(islands().dump(), "node.json");
  REQUIRE(node.gpus.size() == 4);
  CHECK(node.device.name == "Tesla V100-SXM2-16GB");
  const auto path = [&](std::size_t from, std::size_t to) { return node.gpus[from].links[to].path; };
  CHECK(path(0, 1) == Path::nvlink);
  CHECK(path(3, 2) == Path::nvlink);  // though in another NUMA node
  CHECK(path(0, 2) == Path::pcie_switch);
  CHECK(path(2, 1) == Path::pcie_switch);
  CHECK(path(0, 3) == Path::system);
  CHECK(node.gpus[3].numa_node == 1U);

  const PeerLink& near = node.gpus[0].links[2];
  CHECK(near.nvlinks == 0);
  CHECK_FALSE(near.nvlink_bytes_per_s());
  CHECK(near.theoretical_bytes_per_s() == node.device.link_bytes_per_s());
  CHECK(in_words(near) == "PCIe through one switch");
  CHECK(short_name(near) == "PIX");
  CHECK(in_words(node.gpus[0].links[1]) == "1 NVLink of version 2");
  CHECK(node.gpus[0].links[1].theoretical_bytes_per_s() == 25e9);
}

TEST_CASE("a node may have no NVLink, one GPU, or say all of its GPU itself", "[profile]") {
  Json json = islands();
  json["node"].erase("nvlink");
  CHECK(parse_profile(json.dump(), "node.json").gpus[0].links[1].path == Path::pcie_switch);

  json["node"]["gpus"] = figure(1);
  json["node"]["numa_nodes"] = figure(Json::parse("[[0]]"));
  const Profile alone = parse_profile(json.dump(), "node.json");
  REQUIRE(alone.gpus.size() == 1);
  CHECK(alone.device.links.at(0).path == Path::itself);

  Json whole = Json::parse(to_json(load_profile("v100")));
  whole["node"] = islands()["node"];
  CHECK(parse_profile(whole.dump(), "node.json").gpus.size() == 4);
}

TEST_CASE("a node written is its GPU", "[profile]") {
  const Profile back = parse_profile(to_json(load_profile("h200x8")), "node.json");
  CHECK(back.gpus.empty());
  CHECK(back.device.name == "NVIDIA H200");
  CHECK(back.device.links.empty());
}

TEST_CASE("what is wrong with a node is named", "[profile]") {
  CHECK(error_after([](Json&) {}) == "nothing thrown");
  CHECK(error_after([](Json& json) { json["gpu"] = "h20"; }) ==
        "node.json: /gpu: no profile of a GPU has this name: there are a10, a100-40gb, a100-80gb, a40, b200, gh200, "
        "h100-nvl, h100-pcie, h100, h200, l4, l40s, rtx3090, rtx4090, rtx5090, rtx6000-ada, t4, v100; did you mean "
        "'h200'?");
  CHECK(error_after([](Json& json) {
          json["gpu"] = "h200x8";
        }).starts_with("node.json: /gpu: no profile of a GPU has this name: there are a10, "));
  CHECK(error_after([](Json& json) { json["gpu"] = 200; }) == "node.json: /gpu: expected a text");
  CHECK(error_after([](Json& json) { json["rates"] = Json::object(); }) ==
        "node.json: /rates: there is no such member; there are: schema_version, name, gpu, node");
  CHECK(error_after([](Json& json) { json.erase("node"); }) ==
        "node.json: /node: expected this member, which is missing");
  CHECK(error_after([](Json& json) { json["node"]["cpus"] = 2; }) ==
        "node.json: /node/cpus: there is no such member; did you mean 'gpus'?");
  CHECK(error_after([](Json& json) { json["node"]["gpus"] = 4; }) == "node.json: /node/gpus: expected an object");
  CHECK(error_after([](Json& json) { json["node"]["gpus"].erase("how"); }) ==
        "node.json: /node/gpus/how: expected this member, which is missing");
  CHECK(error_after([](Json& json) { json["node"]["gpus"]["value"] = 257; }) ==
        "node.json: /node/gpus/value: expected a whole number from 1 to 256");
  CHECK(error_after([](Json& json) { json["node"]["nvlink"]["links"]["value"] = 0; }) ==
        "node.json: /node/nvlink/links/value: expected a whole number from 1 to 1024");
  CHECK(error_after([](Json& json) { json["node"]["nvlink"].erase("version"); }) ==
        "node.json: /node/nvlink/version: expected this member, which is missing");
  CHECK(error_after([](Json& json) {
          json["node"]["nvlink"]["bytes_per_s"]["value"] = 0;
        }).starts_with("node.json: /node/nvlink/bytes_per_s/value: expected a number from 1 to"));
  CHECK(error_after([](Json& json) { json["node"]["nvlink"]["groups"]["value"][1][1] = 4; }) ==
        "node.json: /node/nvlink/groups/value/1/1: expected a whole number from 0 to 3");
  CHECK(error_after([](Json& json) { json["node"]["nvlink"]["groups"]["value"][1][1] = 0; }) ==
        "node.json: /node/nvlink/groups/value/1/1: this GPU is in a group already");
  CHECK(error_after([](Json& json) { json["node"]["numa_nodes"]["value"][1] = Json::array(); }) ==
        "node.json: /node/numa_nodes/value: expected every GPU in a group");
  CHECK(error_after([](Json& json) { json["node"]["pcie_path"]["value"] = "nvlink"; }) ==
        "node.json: /node/pcie_path/value: expected pcie_switch, pcie_switches, host_bridge or numa_node");
}

}  // namespace gpumem::model::test_node
