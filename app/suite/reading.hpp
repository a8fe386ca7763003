#pragma once
// Reads parts of a suite's file. Every error is a usage error with the source, the JSON pointer and what was expected.

#include <string>
#include <vector>

#include "app/suite/suite.hpp"
#include "engine/base/error.hpp"
#include "engine/base/json_reader.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

/// Runs an action that reads values as the command line does. Its errors name the value's place instead of an option.
template <class Action>
decltype(auto) at_place(const JsonReader& place, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::size_t end = message.find(": ");
    place.refuse(message.starts_with("--") && end < message.find(' ') ? message.substr(end + 2) : message);
  }
}

/// A text that is not empty.
[[nodiscard]] std::string read_name(const JsonReader& json);

/// "5%", as the option of that name takes it.
[[nodiscard]] double read_share(const JsonReader& json, const char* option, const char* example);

/// The items of an array, which are not too many.
[[nodiscard]] std::vector<JsonReader> read_entries(const JsonReader& json);

/// The probe that a member "probe" names.
[[nodiscard]] const Probe& read_probe(const JsonReader& json, const std::vector<Probe>& registry);

/// A member whose name is an axis' flag, and whose value is what the command line would take as the flag's uses: texts
/// and whole numbers, alone or in an array. For other names, such as the parameter's, the error gives a hint. Files
/// with a relative path are in `folder`, unless that is empty.
[[nodiscard]] GivenAxis read_axis(const JsonReader& json, const std::string& name, const Probe& probe,
                                  const std::string& folder);

/// Adds the expectations to the suite, whose other members must have been read.
void read_expectations(const JsonReader& json, const std::string& source, const std::vector<Probe>& registry,
                       const std::string& folder, Suite& suite);

}  // namespace gpumem::app
