#include "tests/machine_code/instructions.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "probes/measure/kernel_name.hpp"

namespace gpumem::machine_code {

namespace {

using access::Op;

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto length = std::min(text.find_first_of(separators), text.size());
    if (length > 0) parts.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return parts;
}

/// The number that follows a prefix: 64 of "u64" after "u".
std::optional<unsigned> number_after(std::string_view text, std::size_t prefix) {
  unsigned number = 0;
  if (text.size() <= prefix) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + prefix, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "ld.volatile.global.v2.u32": opcode, then modifiers in an order that depends on the instruction.
std::optional<Instruction> ptx_instruction(std::string_view token) {
  const auto parts = split(token, ".:");
  if (parts.empty() || (parts[0] != "ld" && parts[0] != "st")) return std::nullopt;
  Instruction instruction{Space::generic, parts[0] == "ld" ? Op::load : Op::store, 0};
  unsigned vector = 1;
  for (const auto part : std::span(parts).subspan(1)) {
    if (part == "param" || part == "const" || part == "local") return std::nullopt;
    if (part == "global") instruction.space = Space::global;
    if (part == "shared") instruction.space = Space::shared;
    if (part.starts_with('v')) vector = number_after(part, 1).value_or(vector);
    if (part.find_first_of("busf") == 0) {
      if (const auto bits = number_after(part, 1)) instruction.bytes = *bits / 8;
    }
  }
  instruction.bytes *= vector;
  return instruction;
}

/// "LDG.E.64.CONSTANT": a width stands among the modifiers unless it is 32 bits.
std::optional<Instruction> sass_instruction(std::string_view token) {
  static constexpr std::pair<std::string_view, std::pair<Space, Op>> opcodes[] = {
      {"LDG", {Space::global, Op::load}},  {"STG", {Space::global, Op::store}}, {"LDS", {Space::shared, Op::load}},
      {"STS", {Space::shared, Op::store}}, {"LD", {Space::generic, Op::load}},  {"ST", {Space::generic, Op::store}},
  };
  const auto parts = split(token, ".");
  if (parts.empty()) return std::nullopt;
  const auto* const opcode = std::ranges::find(opcodes, parts[0], [](const auto& entry) { return entry.first; });
  if (opcode == std::end(opcodes)) return std::nullopt;
  Instruction instruction{opcode->second.first, opcode->second.second, 4};
  for (const auto part : std::span(parts).subspan(1)) {
    const bool signs = part.starts_with('U') || part.starts_with('S');
    if (const auto bits = number_after(part, signs ? 1 : 0)) instruction.bytes = *bits / 8;
  }
  return instruction;
}

void count(Counts& counts, std::string_view line, std::optional<Instruction> (*instruction_of)(std::string_view)) {
  for (const auto token : split(line, " \t;")) {
    if (const auto instruction = instruction_of(token)) ++counts[*instruction];
  }
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find("//")); }

/// Mapped host memory is global memory to an instruction: only the address tells.
Space space_of(const access::Site& site) { return site.space == access::Space::shared ? Space::shared : Space::global; }

}  // namespace

std::string to_string(const Instruction& instruction) {
  static constexpr const char* names[] = {"global", "shared", "generic"};
  return std::to_string(instruction.bytes) + "-byte " + names[static_cast<int>(instruction.space)] + " " +
         std::string(access::to_string(instruction.op));
}

Kernels parse_ptx(std::string_view text) {
  static constexpr std::string_view entry = ".entry ";
  Kernels kernels;
  Counts* current = nullptr;
  for (auto line : split(text, "\n")) {
    line = without_comment(line);
    if (const auto begin = line.find(entry); begin != std::string_view::npos) {
      const auto name = line.substr(begin + entry.size());
      const std::string mangled(name.substr(0, name.find('(')));
      current = &kernels[measure::demangle(mangled.c_str())].emplace_back();
    } else if (line.starts_with('}') || line.find(".func ") != std::string_view::npos) {
      current = nullptr;  // a function's body starts and ends in the first column
    } else if (current != nullptr) {
      count(*current, line, ptx_instruction);
    }
  }
  return kernels;
}

Kernels parse_sass(std::string_view text) {
  static constexpr std::string_view function = "Function : ";
  Kernels kernels;
  Counts* current = nullptr;
  for (const auto line : split(text, "\n")) {
    if (const auto begin = line.find(function); begin != std::string_view::npos) {
      const std::string mangled(line.substr(begin + function.size()));
      current = &kernels[measure::demangle(mangled.c_str())].emplace_back();
    } else if (current != nullptr) {
      count(*current, line, sass_instruction);
    }
  }
  return kernels;
}

std::vector<std::string> differences(const Counts& compiled, std::span<const access::Site> declared) {
  Counts expected;
  std::set<std::pair<Space, Op>> covered;
  for (const auto& site : declared) {
    expected[{space_of(site), site.op, site.word_bytes}] += site.instructions;
    covered.emplace(space_of(site), site.op);
  }

  std::vector<std::string> lines;
  unsigned bookkeeping = 0;
  for (const auto& [instruction, number] : compiled) {
    if (covered.contains({instruction.space, instruction.op})) {
      expected.try_emplace(instruction, 0);
      continue;
    }
    const bool global_store = instruction.space == Space::global && instruction.op == Op::store;
    const bool fill = instruction.space == Space::shared && instruction.op == Op::store &&
                      covered.contains({Space::shared, Op::load});
    if (global_store && instruction.bytes <= 8) {
      bookkeeping += number;
    } else if (!fill) {
      lines.push_back(std::to_string(number) + " x " + to_string(instruction) + ", which no site declares");
    }
  }
  if (bookkeeping > 2) lines.push_back(std::to_string(bookkeeping) + " global stores, which no site declares");
  for (const auto& [instruction, number] : expected) {
    const auto found = compiled.find(instruction);
    const unsigned present = found == compiled.end() ? 0 : found->second;
    if (present == number) continue;
    lines.push_back(std::to_string(present) + " x " + to_string(instruction) + " instead of " + std::to_string(number));
  }
  return lines;
}

}  // namespace gpumem::machine_code
