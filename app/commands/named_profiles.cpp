#include "app/commands/named_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "app/output/file_output.hpp"
#include "engine/base/error.hpp"
#include "engine/model/find_profile.hpp"

namespace gpumem::app {

namespace {

/// True if both are the same shipped profile, the same one of the user's own, or the same file.
bool is_same(const model::Profile& one, const std::string& its_word, const model::Profile& other,
             const std::string& other_word) {
  if (one.source != other.source) return false;
  if (one.source == model::ProfileSource::file) return leads_to_same_file(its_word, other_word);
  return one.name == other.name;
}

}  // namespace

std::vector<model::Profile> named_profiles(const std::vector<std::string>& words, const Environment& environment) {
  std::vector<model::Profile> profiles;
  for (std::size_t i = 0; i < words.size(); ++i) {
    // Before it is read, because standard input can be read only once.
    if (std::ranges::count(std::span(words).first(i), words[i]) > 0) {
      throw usage_error(fmt::format("'{}' is given twice; name each GPU once", words[i]));
    }
    profiles.push_back(model::find_profile(words[i], environment.own_profiles));
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same(profiles[j], words[j], profiles[i], words[i])) continue;
      throw usage_error(fmt::format("'{}' and '{}' are the same profile; name each GPU once", words[j], words[i]));
    }
  }
  return profiles;
}

}  // namespace gpumem::app
