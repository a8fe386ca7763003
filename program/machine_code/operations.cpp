#include "program/machine_code/operations.hpp"

#include <algorithm>
#include <iterator>

namespace gpumem::program {

namespace {

/// Registers that an instruction writes.
enum class Writes : std::uint8_t { none, word, pair, four, sized, typed };

struct OperationRow {
  unsigned operation;  ///< the lower nine bits
  Operation does;
  Writes writes = Writes::none;
  unsigned predicates = 0;  ///< that it writes
};

constexpr OperationRow operation_rows[] = {
    {0x002, Operation::copy, Writes::word},                    // MOV
    {0x005, Operation::special, Writes::pair},                 // CS2R
    {0x007, Operation::choose, Writes::word},                  // SEL
    {0x00b, Operation::compare_floats, Writes::none, 2},       // FSETP
    {0x00c, Operation::compare, Writes::none, 2},              // ISETP
    {0x010, Operation::add, Writes::word, 2},                  // IADD3
    {0x011, Operation::shift_add, Writes::word, 1},            // LEA
    {0x012, Operation::logic, Writes::word, 1},                // LOP3
    {0x013, Operation::absolute, Writes::word},                // IABS
    {0x016, Operation::bytes, Writes::word},                   // PRMT
    {0x017, Operation::minimum, Writes::word},                 // IMNMX
    {0x019, Operation::shift, Writes::word},                   // SHF
    {0x01c, Operation::logic_of_predicates, Writes::none, 2},  // PLOP3
    {0x024, Operation::multiply, Writes::word},                // IMAD
    {0x025, Operation::multiply_wide, Writes::pair, 1},        // IMAD.WIDE
    {0x027, Operation::multiply_high, Writes::word, 1},        // IMAD.HI
    {0x031, Operation::halves, Writes::word},                  // HFMA2
    {0x035, Operation::halves, Writes::word},                  // HFMA2.MMA
    {0x036, Operation::add, Writes::word},                     // VIADD
    {0x048, Operation::minimum, Writes::word},                 // VIMNMX
    {0x082, Operation::copy, Writes::word},                    // UMOV
    {0x087, Operation::choose, Writes::word},                  // USEL
    {0x08c, Operation::compare, Writes::none, 2},              // UISETP
    {0x090, Operation::add, Writes::word, 2},                  // UIADD3
    {0x091, Operation::shift_add, Writes::word, 1},            // ULEA
    {0x092, Operation::logic, Writes::word, 1},                // ULOP3
    {0x096, Operation::bytes, Writes::word},                   // UPRMT
    {0x099, Operation::shift, Writes::word},                   // USHF
    {0x09c, Operation::logic_of_predicates, Writes::none, 2},  // UPLOP3
    {0x0a4, Operation::multiply, Writes::word},                // UIMAD
    {0x0a5, Operation::multiply_wide, Writes::pair, 1},        // UIMAD.WIDE
    {0x0a7, Operation::multiply_high, Writes::word, 1},        // UIMAD.HI
    {0x0b9, Operation::load_constant, Writes::sized},          // ULDC
    {0x0bb, Operation::load_constant, Writes::sized},          // ULDC with a register
    {0x0ca, Operation::copy, Writes::word, 1},                 // R2UR
    {0x119, Operation::special, Writes::word},                 // S2R
    {0x182, Operation::load_constant, Writes::sized},          // LDC
    {0x1c3, Operation::special, Writes::word},                 // S2UR
    // Not followed: floats, conversions, memory.
    {0x003, Operation::other, Writes::word},      // P2R
    {0x004, Operation::predicates},               // R2P
    {0x006, Operation::other, Writes::word, 1},   // VOTE
    {0x008, Operation::other, Writes::word},      // FSEL
    {0x009, Operation::other, Writes::word},      // FMNMX
    {0x00a, Operation::other, Writes::word},      // FSET
    {0x00f, Operation::other, Writes::word},      // VIMNMX3
    {0x01a, Operation::other, Writes::word},      // SGXT
    {0x01b, Operation::other, Writes::word},      // BMSK
    {0x020, Operation::other, Writes::word},      // FMUL
    {0x021, Operation::other, Writes::word},      // FADD
    {0x023, Operation::other, Writes::word},      // FFMA
    {0x026, Operation::other, Writes::word},      // IDP
    {0x028, Operation::other, Writes::pair},      // DMUL
    {0x029, Operation::other, Writes::pair},      // DADD
    {0x02a, Operation::other, Writes::none, 2},   // DSETP
    {0x02b, Operation::other, Writes::pair},      // DFMA
    {0x030, Operation::other, Writes::word},      // HADD2
    {0x032, Operation::other, Writes::word},      // HMUL2
    {0x034, Operation::other, Writes::none, 2},   // HSETP2
    {0x03b, Operation::other, Writes::four},      // LDSM
    {0x03c, Operation::other, Writes::four},      // HMMA
    {0x03e, Operation::other, Writes::word},      // F2FP
    {0x040, Operation::other, Writes::word},      // HMNMX2
    {0x045, Operation::other, Writes::word},      // I2FP
    {0x046, Operation::other, Writes::word, 2},   // VIADDMNMX
    {0x083, Operation::other, Writes::word},      // UP2UR
    {0x086, Operation::other, Writes::word, 1},   // VOTEU
    {0x09b, Operation::other, Writes::word},      // UBMSK
    {0x0bd, Operation::other, Writes::word},      // UFLO
    {0x0be, Operation::other, Writes::word},      // UBREV
    {0x0bf, Operation::other, Writes::word},      // UPOPC
    {0x100, Operation::other, Writes::word, 1},   // FLO
    {0x101, Operation::other, Writes::word},      // BREV
    {0x102, Operation::other, Writes::none, 1},   // FCHK
    {0x105, Operation::other, Writes::typed},     // F2I
    {0x106, Operation::other, Writes::typed},     // I2F
    {0x107, Operation::other, Writes::pair},      // FRND
    {0x108, Operation::other, Writes::word},      // MUFU
    {0x109, Operation::other, Writes::word},      // POPC
    {0x110, Operation::other, Writes::typed},     // F2F
    {0x111, Operation::other, Writes::typed},     // F2I of 64 bits
    {0x112, Operation::other, Writes::typed},     // I2F of 64 bits
    {0x113, Operation::other, Writes::pair},      // FRND of 64 bits
    {0x11c, Operation::other, Writes::word, 1},   // B2R
    {0x14e, Operation::other, Writes::pair},      // LEPC
    {0x155, Operation::other, Writes::word},      // BMOV to a register
    {0x180, Operation::other, Writes::sized, 1},  // LD
    {0x181, Operation::other, Writes::sized, 1},  // LDG
    {0x183, Operation::other, Writes::sized},     // LDL
    {0x184, Operation::other, Writes::sized},     // LDS
    {0x189, Operation::other, Writes::word, 1},   // SHFL
    {0x18a, Operation::other, Writes::four, 1},   // ATOM
    {0x18b, Operation::other, Writes::four, 1},   // ATOM.CAS
    {0x18c, Operation::other, Writes::four},      // ATOMS
    {0x18d, Operation::other, Writes::four},      // ATOMS.CAS
    {0x1a1, Operation::other, Writes::word, 1},   // MATCH
    {0x1a2, Operation::other, Writes::four, 1},   // ATOM of floating point
    {0x1a3, Operation::other, Writes::four, 1},   // ATOMG of floating point
    {0x1a7, Operation::other, Writes::pair, 1},   // SYNCS
    {0x1a8, Operation::other, Writes::four, 1},   // ATOMG
    {0x1a9, Operation::other, Writes::four, 1},   // ATOMG.CAS
    {0x1c2, Operation::other, Writes::word},      // R2UR before compute capability 9.0
    {0x1c4, Operation::other, Writes::word},      // REDUX
    {0x143, Operation::forget},                   // CALL to a register
    {0x144, Operation::forget},                   // CALL
    // Nothing that is followed: stores, what waits, what branches.
    {0x02d, Operation::nothing},  // PREEXIT
    {0x02e, Operation::nothing},  // ACQBULK
    {0x044, Operation::nothing},  // STSM
    {0x118, Operation::nothing},  // NOP
    {0x11a, Operation::nothing},  // DEPBAR
    {0x11b, Operation::nothing},  // ENDCOLLECTIVE
    {0x11d, Operation::nothing},  // BAR
    {0x141, Operation::nothing},  // BSYNC
    {0x142, Operation::nothing},  // BREAK
    {0x145, Operation::nothing},  // BSSY
    {0x146, Operation::nothing},  // YIELD
    {0x147, Operation::nothing},  // BRA
    {0x148, Operation::nothing},  // WARPSYNC
    {0x14d, Operation::nothing},  // EXIT
    {0x150, Operation::nothing},  // RET
    {0x156, Operation::nothing},  // BMOV from a register
    {0x15d, Operation::nothing},  // NANOSLEEP
    {0x17f, Operation::nothing},  // STG.256
    {0x185, Operation::nothing},  // ST
    {0x186, Operation::nothing},  // STG
    {0x187, Operation::nothing},  // STL
    {0x188, Operation::nothing},  // STS
    {0x18e, Operation::nothing},  // RED
    {0x18f, Operation::nothing},  // CCTL
    {0x192, Operation::nothing},  // MEMBAR
    {0x1a6, Operation::nothing},  // RED of floating point
    {0x1ab, Operation::nothing},  // ERRBAR
    {0x1ae, Operation::nothing},  // LDGSTS
    {0x1af, Operation::nothing},  // LDGDEPBAR
    {0x1b4, Operation::nothing},  // UTMALDG
    {0x1b5, Operation::nothing},  // UTMASTG
    {0x1b7, Operation::nothing},  // UTMACMDFLUSH
    {0x1c5, Operation::nothing},  // WARPGROUP
    {0x1c6, Operation::nothing},  // FENCE
    {0x1c7, Operation::nothing},  // UCGABAR
};

std::uint64_t word_bits(std::uint64_t word, unsigned from, unsigned count) {
  return word >> from & ((std::uint64_t{1} << count) - 1);
}
unsigned field(std::uint64_t word, unsigned from, unsigned count) {
  return static_cast<unsigned>(word_bits(word, from, count));
}
bool flag(std::uint64_t word, unsigned at) { return word_bits(word, at, 1) != 0; }

PredicateOperand predicate(std::uint64_t word, unsigned from, unsigned inverted_at, bool uniform) {
  return {.number = field(word, from, 3), .uniform = uniform, .inverted = flag(word, inverted_at)};
}

bool is_uniform(unsigned operation) {
  return (operation >= 0x080 && operation < 0x0c0) || operation == 0x0ca || operation == 0x1c2 || operation == 0x1c3 ||
         operation == 0x1c4;
}

Operand register_of(std::uint64_t word, unsigned from, bool uniform) {
  constexpr unsigned widest_uniform = 6;
  return {.kind = uniform ? Operand::Kind::uniform : Operand::Kind::thread,
          .value = field(word, from, uniform ? widest_uniform : 8)};
}

Operand constant_of(std::uint64_t low, bool register_in_bank) {
  constexpr unsigned unknown_bank = ~0U;
  return {.kind = Operand::Kind::constant,
          .value = field(low, 38, 16),
          .bank = register_in_bank ? unknown_bank : field(low, 54, 5)};
}

/// Reads the operands. The first is a register. One of the other two is in the lower word, where it may also be an
/// immediate, a constant or a uniform register.
void read_operands(Computation& c, std::uint64_t low, std::uint64_t high, unsigned form, bool uniform) {
  constexpr unsigned last_forms[] = {2, 3, 7};  // those whose third operand is in the lower word
  const bool third = std::ranges::find(last_forms, form) != std::end(last_forms);
  Operand inner;
  switch (form) {
    case 2:
    case 4:
      inner = {.kind = Operand::Kind::immediate, .value = field(low, 32, 32)};
      break;
    case 3:
    case 5:
      inner = constant_of(low, flag(high, 27));
      break;
    case 6:
    case 7:
      inner = register_of(low, 32, true);
      break;
    default:
      inner = register_of(low, 32, uniform);
  }
  if (inner.kind != Operand::Kind::immediate) {
    inner.minus = flag(low, 63);
    inner.absolute = flag(low, 62);
  }
  Operand outer = register_of(high, 0, uniform);
  outer.minus = flag(high, 11);
  c.operands[0] = register_of(low, 24, uniform);
  c.operands[0].minus = flag(high, 8);
  c.operands[1] = third ? outer : inner;
  c.operands[2] = third ? inner : outer;
}

/// `size` and `format` are fields of the upper word.
unsigned width_of(Writes writes, unsigned size, unsigned format) {
  switch (writes) {
    case Writes::none:
      return 0;
    case Writes::word:
      return 1;
    case Writes::pair:
      return 2;
    case Writes::four:
      return 4;
    case Writes::sized:
      return size < 5 ? 1 : size == 5 ? 2 : 4;  // of 64 bits, or of 128
    case Writes::typed:
      return format == 3 ? 2 : 1;  // to 64 bits
  }
  return 0;
}

/// Reads the fields of operations whose results are predicates.
void read_predicate_flags(Computation& c, std::uint64_t low, std::uint64_t high) {
  switch (c.operation) {
    case Operation::compare:
      c.extended = flag(high, 8);
      c.operands[0].minus = false;
      c.operands[2] = {};
      c.code = field(high, 12, 3);
      c.combine = field(high, 10, 2);
      c.predicates[1] = predicate(high, 4, 7, c.uniform);
      break;
    case Operation::compare_floats:
      c.operands[0].absolute = flag(high, 9);
      c.code = field(high, 12, 4);
      c.combine = field(high, 10, 2);
      c.flushes = flag(high, 16);
      break;
    case Operation::logic_of_predicates:
      c.predicates[1] = predicate(high, 13, 16, c.uniform);
      c.predicates[2] = predicate(high, 4, 7, c.uniform || flag(high, 3));
      c.code = field(high, 8, 5) << 3U | field(high, 0, 3);
      c.combine = field(low, 16, 8);
      break;
    default:
      break;
  }
}

/// Reads the fields that are particular to an operation.
void read_flags(Computation& c, unsigned operation, std::uint64_t low, std::uint64_t high) {
  const PredicateOperand last = predicate(high, 23, 26, c.uniform);
  c.predicates[0] = last;
  c.is_signed = flag(high, 9);
  c.extended = flag(high, 10);
  switch (c.operation) {
    case Operation::add:
      if (operation == 0x036) {  // of two operands
        c.operands[2] = {};
        c.extended = false;
      }
      c.predicates[1] = predicate(high, 13, 16, c.uniform);
      break;
    case Operation::bytes:
      c.code = field(high, 8, 3);
      break;
    case Operation::compare:
    case Operation::compare_floats:
    case Operation::logic_of_predicates:
      read_predicate_flags(c, low, high);
      break;
    case Operation::copy:
      if (operation == 0x0ca) {
        c.operands[1] = register_of(low, 24, false);
        c.code = field(high, 20, 3) == 0 && c.destination_predicates[0] == true_predicate ? 0xf : 0;
      } else {
        c.code = operation == 0x082 ? 0xf : field(high, 8, 4);
      }
      break;
    case Operation::halves:
      // 1 if the instruction has none of its modifiers.
      c.code = word_bits(high, 0, 41) == (0x100 | zero_register) ? 1 : 0;
      break;
    case Operation::load_constant:
      c.operands[1] = constant_of(low, false);
      c.operands[0] = register_of(low, 24, c.uniform);
      if (operation == 0x0b9) c.operands[0] = {};
      c.operands[0].minus = false;
      c.code = field(high, 9, 3);
      c.high = field(high, 14, 2) != 0;  // addressed otherwise
      break;
    case Operation::logic:
      c.code = field(high, 8, 8);
      for (Operand& operand : c.operands) operand.minus = false;
      c.all_true = flag(high, 16);
      break;
    case Operation::minimum:
      if (operation == 0x048) {
        c.is_signed = flag(high, 8);
        c.code = field(high, 9, 3);  // words in parts
      }
      c.operands[0].minus = false;
      c.operands[2] = {};
      break;
    case Operation::shift:
      for (Operand& operand : c.operands) operand.minus = false;
      c.is_signed = !flag(high, 9);
      c.wide = !flag(high, 10);
      c.wraps = flag(high, 11);
      c.right = flag(high, 12);
      c.high = flag(high, 16);
      break;
    case Operation::shift_add:
      c.operands[2].minus = false;
      c.code = field(high, 11, 5);
      c.high = flag(high, 16);
      break;
    case Operation::special:
      c.code = field(high, 8, 8);
      c.wide = flag(high, 16);
      break;
    default:
      break;
  }
}

}  // namespace

Condition condition_of(std::uint64_t low, std::uint64_t high) {
  constexpr unsigned branch = 0x147;
  constexpr unsigned end = 0x14d;
  const unsigned operation = field(low, 0, 9);
  Condition condition;
  condition.predicates[0] = predicate(low, 12, 15, false);
  condition.predicates[1] = predicate(high, 23, 26, false);
  const unsigned kind = operation == branch ? field(low, 32, 2) : 0;
  const bool without_modes = field(high, 18, 5) == 0;
  const bool names_uniform = field(high, 27, 5) == 1;
  if (kind == 1 && names_uniform) {  // .U
    condition.known = without_modes && condition.predicates[1].number == true_predicate;
    condition.predicates[1] = predicate(low, 24, 27, true);
  } else {
    condition.known =
        (operation == branch || operation == end) && kind == 0 && without_modes && field(high, 27, 5) == 0;
  }
  return condition;
}

Computation computation_of(std::uint64_t low, std::uint64_t high) {
  Computation c;
  const unsigned operation = field(low, 0, 9);
  const auto* row = std::ranges::find(operation_rows, operation, &OperationRow::operation);
  if (row == std::end(operation_rows)) {
    const bool is_control = operation >= 0x140 && operation < 0x160;
    if (is_control) c.operation = Operation::leads_anywhere;
    return c;
  }
  c.operation = row->does;
  c.uniform = is_uniform(operation);
  c.uniform_predicates = c.uniform && operation != 0x0ca;
  // Instructions that write uniform registers obey uniform predicates, unless they read registers of threads.
  const bool guarded_by_threads = !c.uniform || operation == 0x086 || operation == 0x0ca || operation >= 0x100;
  c.guard = predicate(low, 12, 15, !guarded_by_threads);
  c.width = width_of(row->writes, field(high, 9, 3), field(high, 11, 2));
  c.destination = field(low, 16, c.uniform ? 6 : 8);
  for (unsigned i = 0; i < row->predicates; ++i) c.destination_predicates[i] = field(high, 17 + 3 * i, 3);
  read_operands(c, low, high, field(low, 9, 3), c.uniform);
  read_flags(c, operation, low, high);
  return c;
}

}  // namespace gpumem::program
