#include "report/text/name_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/base/error.hpp"

namespace gpumem::report {

namespace {

struct Free {
  void operator()(regex_t* expression) const {
    regfree(expression);
    delete expression;
  }
};

/// "a{3}": nested, a few of these fill any memory before regcomp() is done.
bool has_counts(const std::string& text) {
  return std::ranges::adjacent_find(text, [](char character, char next) {
           return character == '{' && std::isdigit(static_cast<unsigned char>(next)) != 0;
         }) != text.end();
}

}  // namespace

NamePattern::NamePattern(const std::string& text) : text_(text) {
  if (text.empty()) throw usage_error("--kernel: '' names no kernel; give a part of its name, such as gemm");
  if (has_counts(text)) {
    throw usage_error(
        fmt::format("--kernel: '{}' counts repetitions, which is not taken; write +, * or them all", text));
  }
  auto expression = std::make_unique<regex_t>();
  if (const int failed = regcomp(expression.get(), text.c_str(), REG_EXTENDED | REG_NOSUB); failed != 0) {
    char reason[256] = "";
    regerror(failed, expression.get(), reason, sizeof(reason));
    throw usage_error(fmt::format("--kernel: '{}' is no extended regular expression: {}", text, reason));
  }
  expression_ = std::shared_ptr<const regex_t>(expression.release(), Free());
}

bool NamePattern::matches(const std::string& name) const {
  return name == text_ || regexec(expression_.get(), name.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace gpumem::report
