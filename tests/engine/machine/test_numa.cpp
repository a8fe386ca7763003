#include <sched.h>

#include <string>
#include <thread>
#include <vector>

#include "engine/base/available_memory.hpp"
#include "engine/base/error.hpp"
#include "engine/machine/numa.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::test_numa {

using gpumem::measure::bind_host_memory;
using gpumem::measure::choose_node;
using gpumem::measure::memory_nodes;
using gpumem::measure::NumaBinding;
using gpumem::measure::NumaRequest;
using gpumem::measure::parse_list;
using gpumem::test::put;
using gpumem::test::TemporaryDirectory;
using Kind = NumaRequest::Kind;
using Numbers = std::vector<unsigned>;

namespace {

std::string usage_failure(const auto& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("what --numa asks for", "[numa]") {
  CHECK(NumaRequest::parse("gpu").kind == Kind::gpu);
  CHECK(NumaRequest::parse("off").kind == Kind::off);
  CHECK(NumaRequest::parse("12").kind == Kind::node);
  CHECK(NumaRequest::parse("12").node == 12);
  for (const char* text : {"gpu", "off", "0", "12"}) CHECK(NumaRequest::parse(text).text() == text);
  for (const char* text : {"", "-1", "1x", "GPU", "1,2", "99999999999", " 1"}) {
    INFO(text);
    CHECK(usage_failure([&] { return NumaRequest::parse(text); }) ==
          "--numa: '" + std::string(text) + "' is neither gpu, off nor the number of a node");
  }
}

TEST_CASE("lists of processors as the kernel prints them", "[numa]") {
  CHECK(parse_list("0\n") == Numbers{0});
  CHECK(parse_list("0-3,8,10-11\n") == Numbers{0, 1, 2, 3, 8, 10, 11});
  CHECK(parse_list("8,0-1") == Numbers{0, 1, 8});
  for (const char* text : {"", "\n", "-", "1-", "3-1", "1,", ",1", "a", "1 2", "0-99999999", "1,,2"}) {
    INFO(text);
    CHECK(parse_list(text).empty());
  }
}

TEST_CASE("the nodes of a machine are those with memory", "[numa]") {
  const TemporaryDirectory folder;
  CHECK(memory_nodes(folder.path()) == Numbers{0});
  put(folder / "online", "0-3\n");
  CHECK(memory_nodes(folder.path()) == Numbers{0, 1, 2, 3});
  put(folder / "has_memory", "0,2\n");
  CHECK(memory_nodes(folder.path()) == Numbers{0, 2});
}

TEST_CASE("which node is bound to, and why", "[numa]") {
  const Numbers two = {0, 1};
  const Numbers one = {0};
  struct Expectation {
    NumaRequest request;
    std::optional<unsigned> gpu_node;
    Numbers nodes;
    NumaBinding binding;
  };
  const std::vector<Expectation> expectations = {
      {{Kind::gpu}, 1, two, {1, "bound to the GPU's node"}},
      {{Kind::gpu}, std::nullopt, two, {std::nullopt, "not bound: the GPU's node is not known"}},
      {{Kind::gpu}, 5, two, {std::nullopt, "not bound: the GPU's node 5 has no memory"}},
      {{Kind::gpu}, 0, one, {std::nullopt, "one node only"}},
      {{Kind::gpu}, std::nullopt, one, {std::nullopt, "one node only"}},
      {{Kind::off}, 1, two, {std::nullopt, "off"}},
      {{Kind::off}, 0, one, {std::nullopt, "off"}},
      {{Kind::node, 0}, 1, two, {0, "bound to the node asked for"}},
      {{Kind::node, 0}, 0, one, {std::nullopt, "one node only"}},
  };
  for (const Expectation& expected : expectations) {
    const NumaBinding binding = choose_node(expected.request, expected.gpu_node, expected.nodes);
    INFO(expected.request.text() << ": " << expected.binding.how);
    CHECK(binding.node == expected.binding.node);
    CHECK(binding.how == expected.binding.how);
  }
  CHECK(usage_failure([&] {
          return choose_node({Kind::node, 2}, 1, two);
        }) == "--numa: there is no node 2 with memory; this machine has nodes 0, 1");
  CHECK(usage_failure([&] {
          return choose_node({Kind::node, 1}, 0, one);
        }) == "--numa: there is no node 1 with memory; this machine has only node 0");
}

TEST_CASE("binding: what the kernel does with it, or why it does not", "[numa]") {
  // A machine that says it has two nodes, of which node 0 is really there. In a thread, whose binding ends with it.
  const TemporaryDirectory folder;
  put(folder / "has_memory", "0-1\n");
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  int last = 0;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed)) last = i;
  }
  put(folder / "node0/cpulist", std::to_string(last) + "\n");
  NumaBinding binding;
  std::optional<unsigned> bound;
  cpu_set_t left;
  CPU_ZERO(&left);
  std::thread([&] {
    binding = bind_host_memory({Kind::node, 0}, std::nullopt, folder.path());
    bound = gpumem::bound_memory_node();
    sched_getaffinity(0, sizeof left, &left);
  }).join();
  INFO(binding.how);
  if (!binding.node) {  // a container that filters set_mempolicy, or a kernel without it
    CHECK(binding.how.starts_with("not bound: "));
    CHECK(CPU_EQUAL(&left, &allowed));
    return;
  }
  CHECK(*binding.node == 0);
  CHECK(binding.how == "bound to the node asked for");
  CHECK(bound == 0U);
  CHECK(CPU_COUNT(&left) == 1);
  CHECK(CPU_ISSET(last, &left));
}

TEST_CASE("binding leaves the thread alone when there is nothing to choose", "[numa]") {
  const TemporaryDirectory folder;
  put(folder / "has_memory", "0\n");
  const auto before = gpumem::bound_memory_node();
  CHECK(bind_host_memory({}, 0, folder.path()).how == "one node only");
  CHECK(bind_host_memory({Kind::off}, 0, folder.path()).how == "off");
  CHECK(gpumem::bound_memory_node() == before);
}

}  // namespace gpumem::test_numa
