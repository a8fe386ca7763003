#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/suggest.hpp"
#include "engine/pattern/expression.hpp"
#include "engine/pattern/expression_builder.hpp"
#include "engine/pattern/expression_tokens.hpp"

namespace gpumem::pattern {

namespace {

using Kind = Token::Kind;

struct BinaryOperator {
  std::string_view sign;
  int precedence;  ///< the higher binds first
  Opcode op;
  bool swapped = false;  ///< a > b is b < a
};
constexpr std::array binary_operators = {
    BinaryOperator{"||", 1, Opcode::logical_or},
    BinaryOperator{"&&", 2, Opcode::logical_and},
    BinaryOperator{"|", 3, Opcode::bit_or},
    BinaryOperator{"^", 4, Opcode::bit_xor},
    BinaryOperator{"&", 5, Opcode::bit_and},
    BinaryOperator{"==", 6, Opcode::equal},
    BinaryOperator{"!=", 6, Opcode::not_equal},
    BinaryOperator{"<", 7, Opcode::less},
    BinaryOperator{"<=", 7, Opcode::less_equal},
    BinaryOperator{">", 7, Opcode::less, true},
    BinaryOperator{">=", 7, Opcode::less_equal, true},
    BinaryOperator{"<<", 8, Opcode::shift_left},
    BinaryOperator{">>", 8, Opcode::shift_right},
    BinaryOperator{"+", 9, Opcode::add},
    BinaryOperator{"-", 9, Opcode::subtract},
    BinaryOperator{"*", 10, Opcode::multiply},
    BinaryOperator{"/", 10, Opcode::divide},
    BinaryOperator{"%", 10, Opcode::remainder},
};

constexpr std::array<std::string_view, variables> variable_names = {"i",     "n",   "lane",   "warp", "thread",
                                                                    "block", "row", "column", "pitch"};

bool has_variable(Names names, Variable variable) {
  return variable == Variable::block ? names == Names::of_launch
                                     : variable < Variable::block || names == Names::of_tile;
}

std::vector<std::string> known_names(Names names) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < variables; ++k) {
    if (has_variable(names, static_cast<Variable>(k))) all.emplace_back(variable_names[k]);
  }
  for (const char* function : {"min", "max"}) all.emplace_back(function);
  return all;
}

std::string in_words(const Token& token) { return token.kind == Kind::end ? "the end" : quoted(token.text); }

/// By precedence climbing: an operator takes as its right operand what binds stronger than itself.
class Parser {
 public:
  Parser(std::string_view text, std::string_view option, std::optional<std::int64_t> swept, Names names)
      : text_(text), option_(option), swept_(swept), names_(names), tokens_(text, option), builder_(option, text) {
    advance();
  }

  [[nodiscard]] Expression parse() {
    const std::uint16_t root = conditional();
    if (token_.is(")")) fail("')' has no '(' before it");
    if (token_.kind != Kind::end) fail(fmt::format("an operator is missing before {}", in_words(token_)));
    return builder_.finish(root);
  }

 private:
  struct Current : Token {
    [[nodiscard]] bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  };
  /// One level of nesting, as long as it lives.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest_nesting) {
        parser_.fail(fmt::format("more than {} levels of parentheses, signs and conditions", deepest_nesting));
      }
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  [[noreturn]] void fail(const std::string& problem) const {
    refuse_expression(option_, text_, token_.column, problem);
  }

  void advance() { static_cast<Token&>(token_) = tokens_.next(); }

  void expect(std::string_view sign, const Token& opened) {
    if (!token_.is(sign)) {
      fail(fmt::format("'{}' is missing before {}, for {} in column {}", sign, in_words(token_), quoted(opened.text),
                       opened.column));
    }
    advance();
  }

  /// Parses an operand that counts only where `condition` holds, or only where it fails. Divisions in it do not count
  /// elsewhere.
  template <class Parse>
  std::uint16_t where(std::uint16_t condition, bool holds, const Parse& parse) {
    const std::uint16_t outside = guard_;
    guard_ = builder_.guarded(guard_, condition, holds);
    const std::uint16_t value = parse();
    guard_ = outside;
    return value;
  }

  std::uint16_t conditional() {
    const Level level(*this);
    const std::uint16_t condition = binary(1);
    if (!token_.is("?")) return condition;
    const Token question = token_;
    advance();
    const std::uint16_t yes = where(condition, true, [&] { return conditional(); });
    expect(":", question);
    const std::uint16_t no = where(condition, false, [&] { return conditional(); });
    return builder_.operation(Opcode::choose, condition, yes, no, question.column);
  }

  [[nodiscard]] const BinaryOperator* binary_operator() const {
    if (token_.kind != Kind::sign) return nullptr;
    const auto* const found = std::ranges::find(binary_operators, token_.text, &BinaryOperator::sign);
    return found == binary_operators.end() ? nullptr : found;
  }

  std::uint16_t binary(int lowest) {
    std::uint16_t left = unary();
    for (const BinaryOperator* infix = binary_operator(); infix != nullptr && infix->precedence >= lowest;
         infix = binary_operator()) {
      const std::uint32_t column = token_.column;
      advance();
      const auto operand = [&] { return binary(infix->precedence + 1); };
      const bool decides = infix->op == Opcode::logical_and || infix->op == Opcode::logical_or;
      const std::uint16_t right = decides ? where(left, infix->op == Opcode::logical_and, operand) : operand();
      const std::uint16_t guard =
          infix->op == Opcode::divide || infix->op == Opcode::remainder ? guard_ : std::uint16_t{0};
      left = builder_.operation(infix->op, infix->swapped ? right : left, infix->swapped ? left : right, guard, column);
    }
    return left;
  }

  std::uint16_t unary() {
    const Level level(*this);
    const std::uint32_t column = token_.column;
    const auto operation = [&](Opcode op) {
      advance();
      return builder_.operation(op, unary(), 0, 0, column);
    };
    if (token_.is("-")) return operation(Opcode::negate);
    if (token_.is("~")) return operation(Opcode::complement);
    if (token_.is("!")) return operation(Opcode::logical_not);
    if (!token_.is("+")) return primary();
    advance();
    return unary();
  }

  std::uint16_t primary() {
    const Token first = token_;
    if (first.kind == Kind::name) return name();
    if (first.kind == Kind::literal || first.kind == Kind::sweep) {
      advance();
      return builder_.literal(first.kind == Kind::sweep ? swept_.value() : first.value);
    }
    if (!token_.is("(")) {
      const bool power = token_.is("*") && text_.substr(0, token_.offset).ends_with('*');
      const char* hint = power ? "; a square is i * i" : "";
      fail(fmt::format("a value is missing before {}{}", in_words(token_), hint));
    }
    advance();
    const std::uint16_t value = conditional();
    expect(")", first);
    return value;
  }

  std::uint16_t name() {
    const Token word = token_;
    if (word.text == "min" || word.text == "max") return smaller_or_larger();
    const auto* const found = std::ranges::find(variable_names, own_name(word.text));
    const bool is_variable = found != variable_names.end();
    if (!is_variable || !has_variable(names_, static_cast<Variable>(found - variable_names.begin()))) {
      const std::vector<std::string> known = known_names(names_);
      const char* elsewhere = !is_variable                 ? ""
                              : names_ == Names::of_launch ? "; --space shared has it"
                                                           : "; --space global has it";
      fail(fmt::format("{} is none of the names {}{}", quoted(word.text), fmt::join(known, ", "),
                       is_variable ? elsewhere : did_you_mean(word.text, known)));
    }
    advance();
    if (token_.is("(")) fail(fmt::format("{} is a value, not a function; an operator is missing", quoted(word.text)));
    return builder_.variable(static_cast<Variable>(found - variable_names.begin()), word.column);
  }

  /// Translates the names that CUDA has for variables: threadIdx.x is `thread`. Refuses CUDA's names for which there is
  /// no variable, and returns all other names as they are.
  [[nodiscard]] std::string_view own_name(std::string_view name) const {
    if (name == "threadIdx.x") return "thread";
    if (name == "blockIdx.x") return "block";
    if (name.starts_with("threadIdx") || name.starts_with("blockIdx")) {
      fail(fmt::format("{} is no name: launches have one dimension; write threadIdx.x or blockIdx.x", quoted(name)));
    }
    if (name.starts_with("blockDim") || name.starts_with("gridDim")) {
      fail(
          fmt::format("{} is no name: write the number (--block-threads sets the threads of a block), or i for "
                      "blockIdx.x * blockDim.x + threadIdx.x",
                      quoted(name)));
    }
    return name;
  }

  std::uint16_t smaller_or_larger() {
    const Token word = token_;
    const auto usage = [&] { return fmt::format("{0} takes two values: {0}(i, 31)", word.text); };
    advance();
    const Token open = token_;
    if (!token_.is("(")) fail(usage());
    advance();
    const std::uint16_t a = conditional();
    if (!token_.is(",")) fail(usage());
    advance();
    const std::uint16_t b = conditional();
    if (token_.is(",")) fail(usage());
    expect(")", open);
    return builder_.operation(word.text == "min" ? Opcode::minimum : Opcode::maximum, a, b, 0, word.column);
  }

  std::string_view text_;
  std::string_view option_;
  std::optional<std::int64_t> swept_;
  Names names_;
  Tokens tokens_;
  ExpressionBuilder builder_;
  Current token_;
  std::uint16_t guard_ = always;
  int depth_ = 0;
};

}  // namespace

std::string_view name_of(Variable variable) { return variable_names[static_cast<std::size_t>(variable)]; }

Expression parse_with(std::string_view text, std::string_view option, std::optional<std::int64_t> swept, Names names) {
  return Parser(text, option, swept, names).parse();
}

}  // namespace gpumem::pattern
