#include "engine/machine/numa.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <iterator>
#include <system_error>

#include "engine/base/error.hpp"
#include "engine/base/read_input.hpp"

namespace gpumem::measure {

namespace {

/// A set of processors or nodes as the kernel takes it: bit i of word i / 64. Large enough for any machine it runs on
/// (at most 8192 processors and 1024 nodes).
class BitSet {
 public:
  static constexpr unsigned capacity = 8192;

  void insert(unsigned i) {
    if (i < capacity) words_[i / word_bits] |= 1UL << (i % word_bits);
  }
  [[nodiscard]] bool contains(unsigned i) const {
    return i < capacity && (words_[i / word_bits] >> (i % word_bits) & 1UL) != 0;
  }
  [[nodiscard]] unsigned long* words() { return words_.data(); }
  [[nodiscard]] cpu_set_t* processors() { return reinterpret_cast<cpu_set_t*>(words_.data()); }
  [[nodiscard]] static constexpr std::size_t bytes() { return capacity / CHAR_BIT; }

 private:
  static constexpr unsigned word_bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, capacity / word_bits> words_{};
};

/// Why set_mempolicy failed: most often a container's filter of system calls, or its set of nodes.
std::string refusal(int error, unsigned node) {
  switch (error) {
    case EPERM:
      return "not bound: set_mempolicy is not permitted";
    case ENOSYS:
      return "not bound: set_mempolicy is not there";
    case EINVAL:
      return fmt::format("not bound: this process may not use node {}", node);
    default:
      return "not bound: set_mempolicy: " + std::generic_category().message(error);
  }
}

bool bind_memory(unsigned node) {
  BitSet nodes;
  nodes.insert(node);
  return syscall(SYS_set_mempolicy, MPOL_BIND, nodes.words(), BitSet::capacity) == 0;
}

/// Restricts this thread to those of the processors that it may use already. False when there are none.
bool bind_processors(std::span<const unsigned> of_node) {
  BitSet allowed;
  if (sched_getaffinity(0, BitSet::bytes(), allowed.processors()) != 0) return false;
  BitSet wanted;
  for (const unsigned processor : of_node) {
    if (allowed.contains(processor)) wanted.insert(processor);
  }
  return sched_setaffinity(0, BitSet::bytes(), wanted.processors()) == 0;  // refuses an empty set
}

}  // namespace

NumaRequest NumaRequest::parse(std::string_view text) {
  if (text == "gpu") return {};
  if (text == "off") return {.kind = Kind::off};
  NumaRequest request{.kind = Kind::node};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), request.node);
  if (error == std::errc{} && end == text.data() + text.size()) return request;
  throw usage_error(fmt::format("--numa: '{}' is neither gpu, off nor the number of a node", text));
}

std::string NumaRequest::text() const {
  if (kind == Kind::node) return std::to_string(node);
  return kind == Kind::off ? "off" : "gpu";
}

std::vector<unsigned> parse_list(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<unsigned> numbers;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end) {
    unsigned first = 0;
    auto parsed = std::from_chars(at, end, first);
    unsigned last = first;
    if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
    }
    if (parsed.ec != std::errc{} || last < first || last >= BitSet::capacity) return {};
    for (unsigned i = first; i <= last; ++i) numbers.push_back(i);
    at = parsed.ptr;
    if (at == end) break;
    if (*at != ',' || at + 1 == end) return {};
    ++at;
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<unsigned> memory_nodes(const std::string& nodes) {
  // Nodes without memory exist (processors alone); to bind to one is an error.
  for (const char* list : {"has_memory", "online"}) {
    if (auto found = parse_list(read_file(nodes + "/" + list)); !found.empty()) return found;
  }
  return {0};
}

NumaBinding choose_node(const NumaRequest& request, std::optional<unsigned> gpu_node, std::span<const unsigned> nodes) {
  using Kind = NumaRequest::Kind;
  const auto exists = [&](unsigned node) { return std::ranges::find(nodes, node) != nodes.end(); };
  if (request.kind == Kind::off) return {std::nullopt, "off"};
  if (request.kind == Kind::node && !exists(request.node)) {
    throw usage_error(fmt::format("--numa: there is no node {} with memory; this machine has {} {}", request.node,
                                  nodes.size() == 1 ? "only node" : "nodes", fmt::join(nodes, ", ")));
  }
  if (nodes.size() == 1) return {std::nullopt, "one node only"};
  if (request.kind == Kind::node) return {request.node, "bound to the node asked for"};
  if (!gpu_node) return {std::nullopt, "not bound: the GPU's node is not known"};
  if (!exists(*gpu_node)) return {std::nullopt, fmt::format("not bound: the GPU's node {} has no memory", *gpu_node)};
  return {gpu_node, "bound to the GPU's node"};
}

NumaBinding bind_host_memory(const NumaRequest& request, std::optional<unsigned> gpu_node, const std::string& nodes) {
  NumaBinding binding = choose_node(request, gpu_node, memory_nodes(nodes));
  if (!binding.node) return binding;
  if (!bind_memory(*binding.node)) return {std::nullopt, refusal(errno, *binding.node)};
  if (!bind_processors(parse_list(read_file(fmt::format("{}/node{}/cpulist", nodes, *binding.node))))) {
    binding.how += ", memory only: none of the node's processors may be used";
  }
  return binding;
}

}  // namespace gpumem::measure
