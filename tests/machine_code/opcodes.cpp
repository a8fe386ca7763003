#include "tests/machine_code/opcodes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace gpumem::machine_code {

namespace {

using access::Op;
using access::Space;

const std::map<std::string_view, MachineOpcode>& sass_accesses() {
  static const std::map<std::string_view, MachineOpcode> rows = {
      {"LD", {{{generic, Op::load}}}},
      {"ST", {{{generic, Op::store}}}},
      {"ATOM", {{{generic, Op::atomic}}}},

      {"LDG", {{{Space::global, Op::load}}}},
      {"STG", {{{Space::global, Op::store}}}},
      {"ATOMG", {{{Space::global, Op::atomic}}}},
      {"RED", {{{Space::global, Op::atomic}}}},
      {"REDG", {{{Space::global, Op::atomic}}}},
      {"LDGMC", {{{Space::global, Op::load}}}},  // multimem.ld_reduce

      {"LDS", {{{Space::shared, Op::load}}}},
      {"STS", {{{Space::shared, Op::store}}}},
      {"ATOMS", {{{Space::shared, Op::atomic}}}},
      {"LDSM", {{{Space::shared, Op::load}}, Width::matrix}},
      {"STSM", {{{Space::shared, Op::store}}, Width::matrix}},

      {"UMEMSETS", {{{Space::shared, Op::store}}, Width::unnamed}},

      {"LDL", {{{Space::local, Op::load}}}},
      {"STL", {{{Space::local, Op::store}}}},

      {"TEX", {{{Space::texture, Op::load}}, Width::unnamed}},
      {"TLD", {{{Space::texture, Op::load}}, Width::unnamed}},
      {"TLD4", {{{Space::texture, Op::load}}, Width::unnamed}},
      {"TXD", {{{Space::texture, Op::load}}, Width::unnamed}},
      {"SULD", {{{Space::texture, Op::load}}, Width::unnamed}},
      {"SUST", {{{Space::texture, Op::store}}, Width::unnamed}},
      {"SUATOM", {{{Space::texture, Op::atomic}}, Width::unnamed}},
      {"SURED", {{{Space::texture, Op::atomic}}, Width::unnamed}},

      {"STAS", {{{Space::cluster, Op::store}}}},
      {"REDAS", {{{Space::cluster, Op::atomic}}}},

      {"LDGSTS", {{{Space::global, Op::load}, {Space::shared, Op::store}}}},
      {"UBLKCP.S.G", {{{Space::shared, Op::store}, {Space::global, Op::load}}, Width::unnamed}},
      {"UBLKCP.G.S", {{{Space::global, Op::store}, {Space::shared, Op::load}}, Width::unnamed}},
      {"UBLKCP.S.S", {{{Space::cluster, Op::store}, {Space::shared, Op::load}}, Width::unnamed}},
      {"UBLKRED.G.S", {{{Space::global, Op::atomic}, {Space::shared, Op::load}}, Width::unnamed}},
      {"UTMALDG", {{{Space::shared, Op::store}, {Space::global, Op::load}}, Width::unnamed}},
      {"UTMASTG", {{{Space::global, Op::store}, {Space::shared, Op::load}}, Width::unnamed}},
      {"UTMAREDG", {{{Space::global, Op::atomic}, {Space::shared, Op::load}}, Width::unnamed}},
  };
  return rows;
}

/// Opcodes that no site has: first those that have to do with memory, then the rest by what they do. They are from
/// CUDA's instruction sets of compute capability 7.0 to 12.0. Two kinds are missing on purpose, so that they are
/// noticed: opcodes that move tensor memory, and HGMMA and its like, which read shared memory through descriptors.
const std::set<std::string_view>& sass_others() {
  static const std::set<std::string_view> rows = {
      // Caches and order: prefetches, invalidations, fences, waits.
      "CCTL", "CCTLL", "CCTLT", "UCCTL", "UBLKPF", "UTMAPF", "UTMACCTL", "UTMACMDFLUSH", "LDGDEPBAR", "DEPBAR",
      "MEMBAR", "ERRBAR", "CGAERRBAR", "FENCE", "ACQBULK", "CREATEPOLICY",
      // Barriers that lie in shared memory, and questions about an address, a texture or the stack.
      "SYNCS", "ARRIVES", "ATOMS.ARRIVE", "QSPC", "TXQ", "SUQUERY", "TMML", "GETLMEMBASE", "SETLMEMBASE", "MAPA",
      // Constants: any instruction may read them as an operand, and the operands count (instructions.cpp).
      "LDC", "LDCU", "ULDC",
      // Floating point.
      "FADD", "FADD2", "FADD32I", "FCHK", "FFMA", "FFMA2", "FFMA32I", "FHADD", "FHFMA", "FMNMX", "FMNMX3", "FMUL",
      "FMUL2", "FMUL32I", "FSEL", "FSET", "FSETP", "FSWZADD", "MUFU", "HADD2", "HADD2_32I", "HFMA2", "HFMA2_32I",
      "HMMA", "OMMA", "QMMA", "HMNMX2", "HMUL2", "HMUL2_32I", "HSET2", "HSETP2", "DADD", "DFMA", "DMMA", "DMUL",
      "DSETP", "UFADD", "UFFMA", "UFMNMX", "UFMUL", "UFRND", "UFSEL", "UFSET", "UFSETP",
      // Integers and bits.
      "BMMA", "BMSK", "BREV", "FLO", "IABS", "IADD", "IADD3", "IADD32I", "IDP", "IDP4A", "IMAD", "IMMA", "IMNMX",
      "IMUL", "IMUL32I", "ISCADD", "ISCADD32I", "ISETP", "LEA", "LOP", "LOP3", "LOP32I", "POPC", "SHF", "SHL", "SHR",
      "SGXT", "VABSDIFF", "VABSDIFF4", "VHMNMX", "VIADD", "VIADDMNMX", "VIMNMX", "VIMNMX3", "UBMSK", "UBREV", "UFLO",
      "UIABS", "UIADD3", "UIMAD", "UIMNMX", "UISETP", "ULEA", "ULOP", "ULOP3", "ULOP32I", "UPOPC", "USGXT", "USHF",
      "USHL", "USHR", "UVIADD", "UVIMNMX",
      // Conversions.
      "F2F", "F2FP", "F2I", "F2IP", "FRND", "I2F", "I2FP", "I2I", "I2IP", "UF2F", "UF2FP", "UF2I", "UF2IP", "UI2F",
      "UI2FP", "UI2I",
      // Moves, predicates, and between the lanes of a warp.
      "CS2R", "CS2UR", "MOV", "MOV32I", "MOVM", "PRMT", "SEL", "SHFL", "P2R", "PLOP3", "PSETP", "R2B", "R2P", "R2UR",
      "S2R", "S2UR", "B2R", "UMOV", "UP2UR", "UPLOP3", "UPRMT", "UPSETP", "UR2UP", "USEL", "CREDUX", "ELECT",
      "ENDCOLLECTIVE", "MATCH", "REDUX", "VOTE", "VOTEU",
      // Control.
      "BAR", "BMOV", "BPT", "BRA", "BREAK", "BRX", "BRXU", "BSSY", "BSYNC", "CALL", "CGABAR_ARV", "CGABAR_GET",
      "CGABAR_SET", "CGABAR_WAIT", "EXIT", "JMP", "JMX", "JMXU", "KILL", "LEPC", "NANOSLEEP", "NOP", "PMTRIG",
      "PREEXIT", "RET", "RPCMOV", "RTT", "UCGABAR_ARV", "UCGABAR_WAIT", "USETMAXREG", "WARPSYNC", "YIELD"};
  return rows;
}

/// The operations of a PTX opcode on the spaces that its modifiers name, in the order of the modifiers.
struct PtxOpcode {
  std::vector<Op> ops;
  NamedSpace space = generic;  ///< the space where none is named
  Width width = Width::modifier;
};

const std::map<std::string_view, PtxOpcode>& ptx_accesses() {
  static const std::map<std::string_view, PtxOpcode> rows = {
      {"ld", {{Op::load}}},
      {"ldu", {{Op::load}}},
      {"st", {{Op::store}}},
      {"st.bulk", {{Op::store}, Space::shared, Width::unnamed}},
      {"st.async", {{Op::store}, Space::cluster}},
      {"atom", {{Op::atomic}}},
      {"red", {{Op::atomic}}},
      {"red.async", {{Op::atomic}, Space::cluster}},
      {"multimem.ld_reduce", {{Op::load}, Space::global}},
      {"multimem.st", {{Op::store}, Space::global}},
      {"multimem.red", {{Op::atomic}, Space::global}},
      {"ldmatrix", {{Op::load}, Space::shared, Width::matrix}},
      {"stmatrix", {{Op::store}, Space::shared, Width::matrix}},
      {"tex", {{Op::load}, Space::texture, Width::unnamed}},
      {"tld4", {{Op::load}, Space::texture, Width::unnamed}},
      {"suld", {{Op::load}, Space::texture, Width::unnamed}},
      {"sust", {{Op::store}, Space::texture, Width::unnamed}},
      {"sured", {{Op::atomic}, Space::texture, Width::unnamed}},
      {"cp.async", {{Op::store, Op::load}, generic, Width::operand}},
      {"cp.async.bulk", {{Op::store, Op::load}, generic, Width::unnamed}},
      {"cp.reduce.async.bulk", {{Op::atomic, Op::load}, generic, Width::unnamed}},
  };
  return rows;
}

/// As sass_others(). Left out on purpose: wmma.load and wmma.store, wgmma and tcgen05, which access memory in ways that
/// the machine code does not show as they say, and call, for what is called would have to be read too.
const std::set<std::string_view>& ptx_others() {
  static const std::set<std::string_view> rows = {
      "applypriority", "cp.async.bulk.commit_group", "cp.async.bulk.prefetch", "cp.async.bulk.wait_group",
      "cp.async.commit_group", "cp.async.mbarrier", "cp.async.wait_all", "cp.async.wait_group", "createpolicy",
      "discard", "fence", "mbarrier", "membar", "prefetch", "prefetchu",
      // Addresses, textures and the stack: questions.
      "alloca", "cvta", "getctarank", "isspacep", "istypep", "mapa", "stackrestore", "stacksave", "suq", "txq",
      // Arithmetic.
      "abs", "add", "addc", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "clz", "cnot", "copysign", "cos", "cvt",
      "div", "dp2a", "dp4a", "ex2", "fma", "fns", "lg2", "lop3", "mad", "mad24", "madc", "max", "min", "mul", "mul24",
      "neg", "not", "or", "popc", "rcp", "rem", "rsqrt", "sad", "selp", "set", "setp", "shf", "shl", "shr", "sin",
      "slct", "sqrt", "sub", "subc", "szext", "tanh", "testp", "xor", "vabsdiff", "vadd", "vmad", "vmax", "vmin",
      "vset", "vshl", "vshr", "vsub", "vabsdiff2", "vabsdiff4", "vadd2", "vadd4", "vavrg2", "vavrg4", "vmax2", "vmax4",
      "vmin2", "vmin4", "vset2", "vset4", "vsub2", "vsub4",
      // Moves, and between the lanes of a warp.
      "activemask", "elect", "match", "mma", "mov", "movmatrix", "prmt", "redux", "shfl", "vote", "wmma.mma",
      // Control.
      "bar", "barrier", "bra", "brkpt", "brx", "exit", "griddepcontrol", "nanosleep", "pmevent", "ret", "setmaxnreg",
      "trap"};
  return rows;
}

/// The longest beginning of `opcode` in whole parts that `known` knows; empty if none.
template <class Known>
std::string_view longest_row(std::string_view opcode, Known&& known) {
  while (!opcode.empty() && !known(opcode)) {
    const auto dot = opcode.rfind('.');
    opcode = opcode.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return opcode;
}

/// The spaces that modifiers name, in their order.
std::vector<Space> named_spaces(std::string_view opcode) {
  static const std::map<std::string_view, Space> names = {
      {"global", Space::global},  {"shared", Space::shared},           {"shared::cta", Space::shared},
      {"local", Space::local},    {"shared::cluster", Space::cluster}, {"const", Space::constant},
      {"param", Space::constant}, {"param::entry", Space::constant},   {"param::func", Space::constant},
  };
  std::vector<Space> spaces;
  while (!opcode.empty()) {
    const auto part = opcode.substr(0, opcode.find('.'));
    if (const auto found = names.find(part); found != names.end()) spaces.push_back(found->second);
    opcode.remove_prefix(std::min(part.size() + 1, opcode.size()));
  }
  return spaces;
}

}  // namespace

std::optional<MachineOpcode> sass_opcode(std::string_view opcode) {
  const auto& accesses = sass_accesses();
  const auto& others = sass_others();
  const auto row = longest_row(opcode, [&](auto begin) { return accesses.contains(begin) || others.contains(begin); });
  if (row.empty()) return std::nullopt;
  const auto found = accesses.find(row);
  return found == accesses.end() ? MachineOpcode{} : found->second;
}

std::optional<MachineOpcode> ptx_opcode(std::string_view opcode) {
  const auto& accesses = ptx_accesses();
  const auto& others = ptx_others();
  const auto row = longest_row(opcode, [&](auto begin) { return accesses.contains(begin) || others.contains(begin); });
  if (row.empty()) return std::nullopt;
  const auto found = accesses.find(row);
  if (found == accesses.end()) return MachineOpcode{};
  const auto& [ops, fixed, width] = found->second;
  auto spaces = named_spaces(opcode);
  if (ops.size() > 1) {
    if (spaces.size() != ops.size()) return std::nullopt;
    // A copy from global memory goes to the block itself, through the window of the cluster that contains it.
    if (spaces == std::vector{Space::cluster, Space::global}) spaces.front() = Space::shared;
  }
  MachineOpcode result{{}, width};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    result.accesses.push_back({i < spaces.size() ? NamedSpace(spaces[i]) : fixed, ops[i]});
  }
  return result;
}

}  // namespace gpumem::machine_code
