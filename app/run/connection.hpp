#pragma once
// Lines between this process and one that works for it.

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gpumem::app {

/// One end of it.
class Connection {
 public:
  virtual ~Connection() = default;
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Lost when the other side is gone, as the next receive_line() then tells.
  virtual void send_line(const std::string& text) = 0;
  /// Waits for it. Absent when the other side is gone.
  [[nodiscard]] virtual std::optional<std::string> receive_line() = 0;
  /// Tells the other side to stop, whatever it is doing; the destructor waits for that.
  virtual void end() {}
  /// Once the other side is gone: how, in words ("killed by signal 9"), as far as it is known.
  [[nodiscard]] virtual std::string end_in_words() { return ""; }
};

using Connect = std::function<std::unique_ptr<Connection>()>;

/// The only argument of a copy of this program that is to work for its parent.
inline constexpr const char* worker_argument = "--work-for-parent";

inline constexpr const char* own_program = "/proc/self/exe";

/// Starts such a copy, or another program that talks as it does. An interrupt that reaches this process alone is passed
/// on to it while it is waited for. With `only_gpu`, a UUID, CUDA shows it no other GPU: to open all of them takes it
/// longer, and two copies that do so wait for each other. Throws a probe error.
[[nodiscard]] std::unique_ptr<Connection> start_copy(std::function<bool()> interrupted,
                                                     const std::string& program = own_program,
                                                     const std::string& only_gpu = "");

}  // namespace gpumem::app
