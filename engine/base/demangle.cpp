// A mangled name says "as before" (a back reference) for what stands in it a second time. Each can double the length,
// so that 200 letters can stand for gigabytes. A name with many of them is therefore read with short names in their
// place first, and then with a few of them at a time as they are: that multiplies the length by a small number, and
// ends where it is too long.

#include "engine/base/demangle.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem {

namespace {

constexpr std::size_t few_references = 16;  // back references, which cannot make a name large

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/// Empty where it is no mangled name.
std::string demangled_at_once(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name && std::string_view(name.get()).size() <= longest_demangled ? name.get() : std::string();
}

/// "S_", "S0_", "S1A_" (Itanium C++ ABI, "Compression").
struct BackReference {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Counts the places that may be back references, inside identifiers too. "SS_" counts once: it is one, or ends in
/// "S_".
std::size_t possible_references(std::string_view mangled) {
  std::size_t count = 0;
  bool after_s = false;
  for (const char c : mangled) {
    count += after_s && c == '_' ? 1 : 0;
    after_s = c == 'S' || (after_s && (is_digit(c) || is_upper(c)));
  }
  return count;
}

/// Finds the back references between the identifiers. It knows as much of the grammar as tells these apart.
class References {
 public:
  explicit References(std::string_view mangled) : mangled_(mangled) {
    while (at_ < mangled_.size()) step();
  }

  std::vector<BackReference> found;

 private:
  void step() {
    if (is_digit(mangled_[at_])) {
      pass_number();
    } else if (const std::size_t end = end_of_reference(); end > 0) {
      found.push_back({at_, end});
      at_ = end;
      last_ = {};
    } else {
      last_ = mangled_.substr(at_ < 2 ? 0 : at_ - 2, at_ < 2 ? at_ + 1 : 3);
      ++at_;
    }
  }

  [[nodiscard]] std::size_t end_of_reference() const {
    if (mangled_[at_] != 'S') return 0;
    std::size_t end = at_ + 1;
    while (end < mangled_.size() && (is_digit(mangled_[end]) || is_upper(mangled_[end]))) ++end;
    const bool ends = end < mangled_.size() && mangled_[end] == '_';
    return ends && is_number_of_things(mangled_.substr(at_ + 1, end - at_ - 1)) ? end + 1 : 0;
  }

  /// No name of this length says 500 things ("E0" stands for 506). So "aSEOSG_" is an assignment of "SG_".
  static bool is_number_of_things(std::string_view digits) {
    return digits.size() < 2 || (digits.size() == 2 && digits.front() < 'E');
  }

  /// The length of an identifier, which is passed too, or a number.
  void pass_number() {
    std::size_t value = 0;
    std::size_t end = at_;
    for (; end < mangled_.size() && is_digit(mangled_[end]); ++end) {
      value = std::min(10 * value + static_cast<std::size_t>(mangled_[end] - '0'), longest_mangled);
    }
    const bool fits = value > 0 && value <= mangled_.size() - end;
    at_ = fits && !is_plain_number(end) ? end + value : end;
    last_ = {};
  }

  /// Returns true if no identifier begins at `end`, because the number before it is something else's: an array's
  /// "A10_", a parameter's "T0_" or "fp0_", a vector's "Dv4_", a lambda's "E0_", a local name's "_0", a literal's
  /// "Li10E" or "Lin10E".
  [[nodiscard]] bool is_plain_number(std::size_t end) const {
    if (last_.empty() || end == mangled_.size()) return false;
    if (mangled_[end] == 'E') return last_.size() > 1 && (last_[last_.size() - 2] == 'L' || last_.ends_with('n'));
    if (mangled_[end] != '_') return false;
    return std::string_view("ATE_pL").find(last_.back()) != std::string_view::npos || last_.ends_with("Dv") ||
           last_.ends_with("Ut");
  }

  std::string_view mangled_;
  std::size_t at_ = 0;
  std::string_view last_;  ///< the letters read last; empty behind an identifier, a number or a reference
};

/// As long as the reference, and short when it is demangled: std::string, or the second thing that was said.
void make_short(std::string& mangled, BackReference reference) {
  const std::size_t digits = reference.end - reference.begin - 2;
  if (digits == 0) mangled[reference.begin + 1] = 's';
  std::fill_n(mangled.begin() + static_cast<std::ptrdiff_t>(reference.begin) + 1, digits, '0');
}

std::string demangled_by_and_by(const std::string& mangled) {
  constexpr std::size_t at_a_time = 4;
  const std::vector<BackReference> references = References(mangled).found;
  if (possible_references(mangled) > references.size() + few_references) return {};  // a name that hides them from us
  std::string trial = mangled;
  for (const BackReference reference : references) make_short(trial, reference);
  for (std::size_t restored = 0;;) {
    for (std::size_t i = 0; i < at_a_time && restored < references.size(); ++i, ++restored) {
      const auto [begin, end] = references[restored];
      trial.replace(begin, end - begin, mangled, begin, end - begin);
    }
    std::string name = demangled_at_once(trial);
    if (name.empty() || restored == references.size()) return name;
  }
}

}  // namespace

std::string demangled(const std::string& mangled) {
  if (mangled.size() > longest_mangled) return mangled;
  std::string name =
      possible_references(mangled) <= few_references ? demangled_at_once(mangled) : demangled_by_and_by(mangled);
  return name.empty() ? mangled : name;
}

}  // namespace gpumem
