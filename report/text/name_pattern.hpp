#pragma once
// Kernels as a user names them: by an extended regular expression, as `gpumem run --kernel` takes it.

#include <regex.h>

#include <memory>
#include <string>

namespace gpumem::report {

class NamePattern {
 public:
  /// Throws a usage error that begins with "--kernel: " if the text is no extended regular expression.
  explicit NamePattern(const std::string& text);

  /// True if the expression matches a part of the name. A name that was copied from a report matches itself, whatever
  /// its brackets and stars mean in an expression.
  [[nodiscard]] bool matches(const std::string& name) const;

 private:
  std::string text_;
  std::shared_ptr<const regex_t> expression_;
};

}  // namespace gpumem::report
