#pragma once
// One error type: a line for the user (what was wrong, where, what to do) and the kind that decides the exit code.

#include <stdexcept>
#include <string>

namespace gpumem {

enum class ErrorKind {
  usage,              ///< the command line, a configuration, or a file that cannot be read or written
  no_gpu,             ///< no usable GPU, or a capability it lacks
  probe_failed,       ///< a probe could not run
  missing_capability  ///< this GPU or host cannot do what a case is about; the case is skipped
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// One item of what a user brought cannot be used, though others of the same file can: a usage error by itself; where
/// there are other cases, they run, and this one is skipped.
class UnusableItem : public Error {
 public:
  explicit UnusableItem(const std::string& message) : Error(ErrorKind::usage, message) {}
};

/// Thrown out of a case that the user interrupted; what finished before it stands.
struct Interrupted {};

[[nodiscard]] inline Error usage_error(const std::string& message) { return {ErrorKind::usage, message}; }
[[nodiscard]] inline Error no_gpu_error(const std::string& message) { return {ErrorKind::no_gpu, message}; }
[[nodiscard]] inline Error missing_capability_error(const std::string& message) {
  return {ErrorKind::missing_capability, message};
}
[[nodiscard]] inline Error probe_error(const std::string& message) { return {ErrorKind::probe_failed, message}; }

}  // namespace gpumem
