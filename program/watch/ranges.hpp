#pragma once
// Ranges that the program marks, by the thread that opens and closes them. Nothing here knows CUDA, and nothing is ever
// freed: the program may mark ranges to its very end.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "program/watch/output.hpp"
#include "program/watch/spans.hpp"
#include "program/watch/thread_state.hpp"

namespace gpumem::inject {

/// All ranges of one name in a domain.
struct Range {
  std::uint32_t number = 0;                 ///< from 1 on
  std::string name;                         ///< "forward", "domain:forward"
  mutable std::atomic<bool> named = false;  ///< its name is written
};

// At most this many names are kept apart, because programs may number them. All later ones are one range, other_names.
inline constexpr std::size_t most_names = 4096;
inline constexpr std::string_view other_names = "(more)";
inline constexpr std::size_t longest_name = 100;  ///< bytes; of a longer one the beginning

/// Text of limited length, in UTF-8 where it was that or wide. Empty for null.
[[nodiscard]] std::string name_of(const char* text);
[[nodiscard]] std::string name_of(const wchar_t* text);

/// The ranges that the program's threads have marked, by name. Any thread may call its functions.
class Ranges {
 public:
  Ranges(Output& output, Spans& spans) : output_(output), spans_(spans) {}

  [[nodiscard]] Domain domain_of(const std::string& name);
  /// Null where the name is empty.
  [[nodiscard]] const Range* range_of(Domain domain, const std::string& name);

  /// Writes the range's name, once.
  void name_range(const Range& range);

  // On the calling thread:

  /// Opens a range. Launches are not named after a null range, which has no name.
  void open(Domain domain, const Range* range);
  /// Closes the innermost range of the domain, if any is open.
  void close(Domain domain);

  // A child finds the lock free when another thread held it at the fork.
  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }

 private:
  void keep(const OpenRange& open);
  template <class Container>
  [[nodiscard]] const std::string& kept_name(const Container& known, const std::string& name) const;

  Output& output_;
  Spans& spans_;
  std::mutex mutex_;  ///< of all that follows, none of which is ever taken out
  std::set<std::string> domains_;
  std::map<std::string, Range> ranges_;
  const std::string others_{other_names};
};

/// The ranges of this process, which `watch()` owns. Calls of NVTX ask for them, and have no place for data of ours.
[[nodiscard]] Ranges& process_ranges();

/// Returns the innermost open range of the program's own domain, else of any domain; null if the calling thread has
/// none open. Costs no more than a read.
[[nodiscard]] inline const Range* current_range() { return this_thread.ranges.current; }

}  // namespace gpumem::inject
