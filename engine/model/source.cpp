#include "engine/model/source.hpp"

#include <algorithm>
#include <utility>

namespace gpumem::model {

namespace {

/// What a profile says of a rate; of one that is "as OTHER: why", what it says of the other.
std::string_view how_of(const Profile& profile, std::string_view rate) {
  const auto found = profile.how.find(std::string(rate));
  if (found == profile.how.end()) return {};
  const std::string_view how = found->second;
  constexpr std::string_view as = "as ";
  if (!how.starts_with(as)) return how;
  const std::string_view other = how.substr(as.size(), how.find_first_of(":;,", as.size()) - as.size());
  const bool is_rate = other != rate && profile.how.contains(std::string(other));
  return is_rate && !profile.how.at(std::string(other)).starts_with(as) ? profile.how.at(std::string(other)) : how;
}

/// How texts begin that are no publication.
constexpr std::pair<std::string_view, Source> beginnings[] = {
    {"measured", Source::measured}, {"counted", Source::measured}, {"fitted", Source::fitted},
    {"the H200's", Source::scaled}, {"scaled", Source::scaled},    {"assumed", Source::assumed},
    {"chosen", Source::assumed},    {"told from", Source::fitted}, {"as ", Source::assumed},
    {"no part", Source::assumed}};

/// The beginning that a text has; null of a publication.
const std::pair<std::string_view, Source>* beginning_of(std::string_view how) {
  const auto* const found =
      std::ranges::find_if(beginnings, [&](const auto& beginning) { return how.starts_with(beginning.first); });
  return found == std::end(beginnings) ? nullptr : found;
}

/// Who published it: the text up to where it says what.
std::string_view publication(std::string_view how) {
  for (const std::string_view word : {"published: ", "published in ", "published by ", "published "}) {
    if (how.starts_with(word)) {
      how.remove_prefix(word.size());
      break;
    }
  }
  return how.substr(0, std::min({how.find(": "), how.find(", "), how.find("; ")}));
}

}  // namespace

Source source_of(const Profile& profile, std::string_view rate) {
  if (profile.from_attributes) return Source::attributes;
  const auto* const beginning = beginning_of(how_of(profile, rate));
  return beginning == nullptr ? Source::published : beginning->second;
}

bool names_source(const Profile& profile, std::string_view rate) {
  const std::string_view how = how_of(profile, rate);
  if (how.starts_with("as ")) return false;  // no rate that would say it
  if (beginning_of(how) != nullptr) return true;
  const std::size_t what = how.find(": ");
  return what != std::string_view::npos && how.substr(0, what).find(", ") != std::string_view::npos;
}

std::string_view to_string(Source source) {
  constexpr std::string_view names[] = {"measured", "fitted", "published", "scaled", "assumed", "attributes"};
  return names[static_cast<std::size_t>(source)];
}

std::string source_words(const Profile& profile, std::string_view rate) {
  const Source source = source_of(profile, rate);
  switch (source) {
    case Source::published: {
      const std::string_view who = publication(how_of(profile, rate));
      return who.empty() ? "published" : "published (" + std::string(who) + ")";
    }
    case Source::scaled:
      return "scaled from the H200";
    case Source::attributes:
      return "from attributes";
    case Source::measured:
    case Source::fitted:
    case Source::assumed:
      break;
  }
  return std::string(to_string(source));
}

}  // namespace gpumem::model
