#pragma once
// Access patterns as a user writes them: `(i % 4096) * 4096 + i / 4096`. Integer expressions of the access `i`, of the
// number `n` of accesses, and of `lane`, `warp`, `thread` and `block`, with C++'s operators, precedence and 64-bit
// signed arithmetic, and min(a, b) and max(a, b). Patterns of a tile in shared memory name `row`, `column` and `pitch`
// instead of `block`. expression_functions.hpp defines the results that C++ leaves undefined.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem::pattern {

enum class Variable : std::uint8_t {
  i,       ///< the access, 0 to n - 1
  n,       ///< how many accesses there are
  lane,    ///< of the thread in its warp
  warp,    ///< of the thread's warp in its block
  thread,  ///< in its block: 32 warp + lane
  block,
  row,     ///< of the tile in which access `i` lies, if accesses fill its rows one after another
  column,  ///< likewise
  pitch    ///< elements from the beginning of a tile's row to that of the next row
};
inline constexpr std::size_t variables = 9;
[[nodiscard]] std::string_view name_of(Variable variable);

/// The variables that an expression may name.
enum class Names : std::uint8_t {
  of_launch,  ///< all but those of a tile
  of_tile     ///< all but `block`
};

enum class Opcode : std::uint8_t {
  literal,
  variable,
  negate,
  complement,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  less,
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  choose,  ///< a ? b : c
  minimum,
  maximum
};
inline constexpr std::size_t opcodes = static_cast<std::size_t>(Opcode::maximum) + 1;

/// Marks a division that is always carried out.
inline constexpr std::uint16_t always = std::numeric_limits<std::uint16_t>::max();

/// One operation. Operands are the indices of earlier instructions. All instructions are carried out, also on the side
/// that && || ?: do not take: only a division shows the difference, if it is by zero. So `c` of a division is its
/// guard: the instruction whose value is not 0 where the division counts, or `always`.
struct Instruction {
  Opcode op = Opcode::literal;
  std::uint16_t a = 0;
  std::uint16_t b = 0;
  std::uint16_t c = 0;
  std::int64_t value = 0;    ///< of a literal; of a variable, which one
  std::uint32_t column = 1;  ///< in the text, from 1
};

struct Expression {
  std::string option;             ///< it was given by, without dashes: "pattern"
  std::string text;               ///< as written, with its sweep
  std::vector<Instruction> code;  ///< every one is used, none occurs twice; the last has the value of the expression

  [[nodiscard]] bool uses(Variable variable) const;
};

/// The limits within which text is an expression and not an accident: characters, operations, and levels of
/// parentheses, signs and conditions inside each other.
inline constexpr std::size_t longest_text = 4'000;
inline constexpr std::size_t most_operations = 250;
inline constexpr int deepest_nesting = 100;

/// The expressions of a list, between the commas that are in no parentheses or braces.
[[nodiscard]] std::vector<std::string_view> expressions_of(std::string_view list);

/// One expression of those that a text stands for.
struct Swept {
  std::optional<std::int64_t> value;  ///< of the sweep; absent without one
  std::string text;                   ///< with the value in the place of the sweep
  Expression expression;
};

/// The expressions that `text` stands for: one, or as many as the values of the sweep in it, in their order: `{0..32}`,
/// `{0..32:4}`, `{1..1024*2}`, `{1,2,5}` as for an axis (engine/base/ranges.hpp). Literals are decimal up to 2^63 - 1,
/// and hexadecimal of 64 bits, of which the highest is the sign. Throws a usage error of one line that begins with
/// "--option: column N of 'text': ", for what is no expression, goes beyond a limit, or divides by a zero that stands
/// there, wherever that division counts.
[[nodiscard]] std::vector<Swept> parse(std::string_view text, std::string_view option, Names names = Names::of_launch);

/// The only expression of a text without a sweep. Throws as parse(), and for a sweep.
[[nodiscard]] Expression parse_one(std::string_view text, std::string_view option, Names names = Names::of_launch);

/// The expression with `swept` for what stands in braces, so that columns are those of the text as written. Without a
/// value the text has no braces. Throws as parse().
[[nodiscard]] Expression parse_with(std::string_view text, std::string_view option, std::optional<std::int64_t> swept,
                                    Names names = Names::of_launch);

/// The same expression for `n` accesses: operations that depend on nothing else are evaluated. Throws a usage error for
/// a division that is then by zero for every access.
[[nodiscard]] Expression with_accesses(const Expression& expression, std::int64_t n);

/// The same expression in terms of `i` alone: lane, warp, thread and block are computed from `i`. Blocks of
/// `block_threads` threads take `block_accesses` accesses each. Neighbouring threads take neighbouring accesses, a
/// block's width further on from turn to turn.
[[nodiscard]] Expression of_access_alone(const Expression& expression, std::int64_t block_threads,
                                         std::int64_t block_accesses);

/// The same expression for a tile: `row` is i / columns, `column` is i % columns, and `pitch` a number. Throws a usage
/// error for a division that is then by zero for every access. `columns` is not 0.
[[nodiscard]] Expression in_tile(const Expression& expression, std::int64_t columns, std::int64_t pitch);

/// The beginning of an error line about an expression, its column counted from 1: "--pattern: column 5 of 'i * * 3': ".
[[nodiscard]] std::string expression_place(std::string_view option, std::string_view text, std::size_t column);
/// Throws a usage error that begins with expression_place().
[[noreturn]] void refuse_expression(std::string_view option, std::string_view text, std::size_t column,
                                    const std::string& problem);

}  // namespace gpumem::pattern
