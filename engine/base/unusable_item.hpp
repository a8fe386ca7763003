#pragma once
// One item of what a user brought cannot be used, though others of the same file can.

#include <string>

#include "engine/base/error.hpp"

namespace gpumem {

/// A usage error by itself; where there are other cases, they run, and this one is skipped.
class UnusableItem : public Error {
 public:
  explicit UnusableItem(const std::string& message) : Error(ErrorKind::usage, message) {}
};

}  // namespace gpumem
