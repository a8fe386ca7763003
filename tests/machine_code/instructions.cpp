#include "tests/machine_code/instructions.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "engine/base/demangle.hpp"

namespace gpumem::machine_code {

namespace {

using access::Op;
using access::Space;

constexpr std::string_view blanks = " \t\r\n";

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto length = std::min(text.find_first_of(separators), text.size());
    if (length > 0) parts.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return parts;
}

std::string_view without_leading(std::string_view text, std::string_view characters) {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
  return text;
}

/// Takes what stands before the first of `separators` off the text.
std::string_view take_until(std::string_view& text, std::string_view separators) {
  const auto part = text.substr(0, text.find_first_of(separators));
  text.remove_prefix(part.size());
  return part;
}

/// The number that all of the text is.
std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<unsigned> number_after(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? number(text.substr(prefix.size())) : std::nullopt;
}

/// The bits of a type, several in one for packed ones: 64 of "u64", 32 of "bf16x2" and "F16x2".
std::optional<unsigned> bits_of(std::string_view type) {
  for (const std::string_view letters : {"b", "u", "s", "f", "bf", "U", "S", "F", "BF", ""}) {
    const auto digits = type.substr(std::min(letters.size(), type.size()));
    const auto times = digits.find('x');
    const auto bits = number(digits.substr(0, times));
    if (!type.starts_with(letters) || !bits) continue;
    return times == std::string_view::npos ? bits : *bits * number(digits.substr(times + 1)).value_or(1);
  }
  return std::nullopt;
}

void add(Kernel& kernel, const MachineOpcode& known, unsigned bytes) {
  for (const MachineAccess& access : known.accesses) ++kernel.accesses[{access.space, access.op, bytes}];
}

// PTX

/// "ld.volatile.global.v2.u32": opcode, then modifiers in an order that depends on the instruction.
unsigned ptx_bytes(std::string_view opcode, Width width, std::string_view operands) {
  const auto parts = split(opcode, ".");
  const auto modifiers = std::span(parts).subspan(1);
  unsigned bytes = 0;
  unsigned times = 1;
  if (width == Width::matrix) {
    if (std::ranges::find(modifiers, "m8n8") == modifiers.end()) return 0;
    bytes = 4;
    for (const auto modifier : modifiers) times = number_after(modifier, "x").value_or(times);
  } else if (width == Width::modifier) {
    for (const auto modifier : modifiers) {
      times = number_after(modifier, "v").value_or(times);
      if (const auto bits = bits_of(modifier)) bytes = *bits / 8;
    }
  } else if (width == Width::operand) {
    const auto each = split(operands, ",");
    const auto size = each.size() < 3 ? std::vector<std::string_view>{} : split(each[2], blanks);
    bytes = size.size() == 1 ? number(size[0]).value_or(0) : 0;
  }
  return bytes * times;
}

/// A parameter by its name is not asked of memory in any way that a site could have; by an address in a register, it is
/// looked up as a constant.
bool parameter_by_name(const MachineAccess& access, std::string_view operands) {
  if (access.space != Space::constant) return false;
  const auto address = without_leading(operands.substr(std::min(operands.find('['), operands.size())), "[ \t");
  return !address.starts_with('%');
}

/// Statements begin after braces, labels and a predicate.
std::string_view without_label(std::string_view statement) {
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; };
  for (;;) {
    statement = without_leading(statement, " \t\r\n{}");
    const auto* const end = std::ranges::find_if_not(statement, is_name);
    const auto rest = without_leading(statement.substr(static_cast<std::size_t>(end - statement.begin())), blanks);
    if (end == statement.begin() || !rest.starts_with(':') || rest.starts_with("::")) return statement;
    statement = rest.substr(1);
  }
}

void read_ptx_statement(Kernel& kernel, std::string_view statement) {
  statement = without_label(statement);
  if (statement.starts_with('@')) {
    take_until(statement, blanks);
    statement = without_leading(statement, blanks);
  }
  if (statement.empty() || statement.starts_with('.')) return;  // a declaration
  const auto opcode = take_until(statement, blanks);
  kernel.traps = kernel.traps || opcode == "trap";
  auto known = ptx_opcode(opcode);
  if (!known) {
    kernel.unknown.emplace(opcode);
    return;
  }
  if (opcode.find(".param") != std::string_view::npos) {
    std::erase_if(known->accesses, [&](const auto& access) { return parameter_by_name(access, statement); });
  }
  add(kernel, *known, ptx_bytes(opcode, known->width, statement));
}

/// Removes everything that is no statement and ends with its line: comments and directives that name the source.
std::string without_line_directives(std::string_view text) {
  std::string kept;
  for (const auto line : split(text, "\n")) {
    const auto code = without_leading(line.substr(0, line.find("//")), blanks);
    if (!code.starts_with(".loc") && !code.starts_with(".file")) kept.append(code).append("\n");
  }
  return kept;
}

/// The text up to the brace that closes the first.
std::string_view body_of(std::string_view text) {
  text.remove_prefix(std::min(text.find('{'), text.size()));
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return text.substr(0, i);
  }
  return text;
}

// SASS

/// "LDG.E.64.CONSTANT": a width stands among the modifiers unless it is 32 bits.
unsigned sass_bytes(std::string_view opcode, Width width) {
  if (width == Width::unnamed) return 0;
  unsigned bytes = width == Width::matrix ? 0 : 4;
  unsigned times = 1;
  const auto parts = split(opcode, ".");
  for (const auto modifier : std::span(parts).subspan(1)) {
    if (width == Width::modifier) {
      if (const auto bits = bits_of(modifier)) bytes = *bits / 8;
    } else if (modifier == "M88" || modifier == "MT88") {
      bytes = 4;
    } else if (bytes > 0) {
      times = number(modifier).value_or(times);  // of matrices: "LDSM.16.M88.4"
    }
  }
  return bytes * times;
}

bool has_register(std::string_view index) {
  for (const auto part : split(index, " +-*.[]")) {
    if ((part.starts_with('R') || part.starts_with("UR")) && part != "RZ" && part != "URZ") return true;
  }
  return false;
}

/// Reads of constant banks, which any instruction may do: "FADD R0, R0, c[0x3][0xc]". Bank 3 has the program's
/// constants. Bank 0 has the parameters and the launch's shape, which are an access only where an index finds them; the
/// others have what the compiler put there, such as addresses of variables.
void read_constants(Kernel& kernel, std::string_view opcode, std::string_view operands) {
  static constexpr std::string_view begin = "c[0x";
  for (auto at = operands.find(begin); at != std::string_view::npos; at = operands.find(begin, at + 1)) {
    const auto operand = split(operands.substr(at), "[]");
    if (operand.size() < 3) continue;
    const auto bank = operand[1];
    if (bank != "0x3" && !(bank == "0x0" && has_register(operand[2]))) continue;
    const bool loads = opcode.starts_with("LDC") || opcode.starts_with("ULDC");
    const unsigned bytes = loads ? sass_bytes(opcode, Width::modifier) : opcode.starts_with('D') ? 8 : 4;
    ++kernel.accesses[{Space::constant, Op::load, bytes}];
  }
  // Through a descriptor in a register: nobody knows which bank.
  if (operands.find("cx[") != std::string_view::npos) kernel.unknown.insert(std::string(opcode) + " of cx[]");
}

/// "/*0050*/ @P0 LDG.E R5, [R2.64] ; /* 0x... */"; lines without an address are no instructions.
void read_sass_line(Kernel& kernel, std::string_view line) {
  line = without_leading(line, blanks);
  if (!line.starts_with("/*") || line.starts_with("/* ")) return;
  line = line.substr(std::min(line.find("*/"), line.size()));
  line = without_leading(line, "*/ \t{");
  line = line.substr(0, line.find_first_of(";/"));
  if (line.starts_with('@')) {
    const auto predicate = take_until(line, blanks);
    // The compiler puts loads before LDGSTS that are never executed.
    if (predicate == "@!PT" || predicate == "@!UPT") return;
    line = without_leading(line, blanks);
  }
  const auto opcode = take_until(line, blanks);
  if (opcode.empty()) return;
  kernel.traps = kernel.traps || opcode == "BPT.TRAP";
  if (const auto known = sass_opcode(opcode)) {
    add(kernel, *known, sass_bytes(opcode, known->width));
    read_constants(kernel, opcode, line);
  } else {
    kernel.unknown.emplace(opcode);
  }
}

// Comparison

using SpaceAndOp = std::pair<NamedSpace, Op>;

SpaceAndOp named(const access::Site& site) { return {row_of(site.space).instructions_name, site.op}; }

/// Generic instructions count as of another block's shared memory where a site lies there.
Counts with_cluster_named(const Counts& compiled, const std::set<SpaceAndOp>& covered) {
  Counts result;
  for (const auto& [instruction, number] : compiled) {
    Instruction renamed = instruction;
    if (renamed.space == generic && covered.contains({Space::cluster, renamed.op})) renamed.space = Space::cluster;
    result[renamed] += number;
  }
  return result;
}

/// Takes instructions that do not say their width for what the others leave of the sites'.
void match_unnamed_widths(Counts& compiled, const Counts& expected) {
  for (auto& [instruction, number] : compiled) {
    if (instruction.bytes != 0) continue;
    for (const auto& [wanted, wanted_number] : expected) {
      if (wanted.space != instruction.space || wanted.op != instruction.op || wanted.bytes == 0) continue;
      unsigned& present = compiled[wanted];
      const unsigned matched = std::min(number, wanted_number - std::min(wanted_number, present));
      number -= matched;
      present += matched;
    }
  }
}

/// A kind of access that a kernel may have a little of without a site.
struct Bookkeeping {
  Space space;
  Op op;
  unsigned most_bytes;
  const char* words;
};

constexpr unsigned most_of_bookkeeping = 2;
constexpr Bookkeeping bookkeeping[] = {
    {Space::global, Op::store, 8, "global stores"},       // a checksum, a cycle count
    {Space::global, Op::load, 16, "global loads"},        // the addresses of many accesses to shared memory
    {Space::local, Op::store, 4, "spills of registers"},  // where 64 registers are one or two too few
    {Space::local, Op::load, 4, "loads of spilled registers"},
};

const Bookkeeping* bookkeeping_kind(const Instruction& instruction) {
  const auto* const found = std::ranges::find_if(bookkeeping, [&](const Bookkeeping& kind) {
    return instruction.space == kind.space && instruction.op == kind.op && instruction.bytes > 0 &&
           instruction.bytes <= kind.most_bytes;
  });
  return found == std::end(bookkeeping) ? nullptr : found;
}

bool fills_shared_memory(const Instruction& instruction, const std::set<SpaceAndOp>& covered) {
  return instruction.space == Space::shared && instruction.op == Op::store &&
         (covered.contains({Space::shared, Op::load}) || covered.contains({Space::cluster, Op::load}));
}

}  // namespace

std::string to_string(const Instruction& instruction) {
  const std::string width = instruction.bytes == 0 ? "" : std::to_string(instruction.bytes) + "-byte ";
  const auto space = instruction.space ? access::to_string(*instruction.space) : "generic";
  return width + std::string(space) + " " + std::string(access::to_string(instruction.op));
}

Kernels parse_ptx(std::string_view text) {
  static constexpr std::string_view entry = ".entry ";
  const std::string code = without_line_directives(text);
  Kernels kernels;
  for (auto begin = code.find(entry); begin != std::string::npos; begin = code.find(entry, begin + 1)) {
    const auto rest = std::string_view(code).substr(begin + entry.size());
    const std::string mangled(rest.substr(0, rest.find_first_of("( \n")));
    Kernel& kernel = kernels[demangled(mangled)].emplace_back();
    for (const auto statement : split(body_of(rest), ";")) read_ptx_statement(kernel, statement);
  }
  return kernels;
}

Kernels parse_sass(std::string_view text) {
  static constexpr std::string_view function = "Function : ";
  Kernels kernels;
  Kernel* current = nullptr;
  for (const auto line : split(text, "\n")) {
    if (const auto begin = line.find(function); begin != std::string_view::npos) {
      const std::string mangled(line.substr(begin + function.size()));
      current = &kernels[demangled(mangled)].emplace_back();
    } else if (current != nullptr) {
      read_sass_line(*current, line);
    }
  }
  return kernels;
}

std::vector<std::string> differences(const Counts& as_compiled, std::span<const access::Site> declared) {
  Counts expected;
  std::set<SpaceAndOp> covered;
  for (const auto& site : declared) {
    const auto [space, op] = named(site);
    expected[{space, op, site.word_bytes}] += site.instructions;
    covered.emplace(space, op);
  }
  Counts compiled = with_cluster_named(as_compiled, covered);
  match_unnamed_widths(compiled, expected);

  std::vector<std::string> lines;
  std::map<const Bookkeeping*, unsigned> kept;
  for (const auto& [instruction, number] : compiled) {
    if (covered.contains({instruction.space, instruction.op})) {
      expected.try_emplace(instruction, 0);
    } else if (const auto* const kind = bookkeeping_kind(instruction)) {
      kept[kind] += number;
    } else if (!fills_shared_memory(instruction, covered)) {
      lines.push_back(std::to_string(number) + " x " + to_string(instruction) + ", which no site declares");
    }
  }
  for (const auto& [kind, number] : kept) {
    if (number > most_of_bookkeeping)
      lines.push_back(std::to_string(number) + " " + kind->words + ", which no site declares");
  }
  for (const auto& [instruction, number] : expected) {
    const auto found = compiled.find(instruction);
    const unsigned present = found == compiled.end() ? 0 : found->second;
    if (present == number) continue;
    lines.push_back(std::to_string(present) + " x " + to_string(instruction) + " instead of " + std::to_string(number));
  }
  return lines;
}

}  // namespace gpumem::machine_code
