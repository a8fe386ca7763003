#include "engine/model/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpumem::model {

namespace {

/// The profile's words on how it knows a rate. For a rate that is "as OTHER: why", they are the words on the other
/// rate, unless there are none or they begin with "as" themselves.
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

/// A text split into the other GPU that it names first and what follows, which says who published it: "of an L40: ..."
/// or "scaled from an A40: ...".
struct OtherGpu {
  std::string_view gpu = {};  ///< "an L40"; empty where the text names no other
  std::string_view rest;      ///< what follows
};

OtherGpu other_gpu(std::string_view how) {
  for (const std::string_view beginning : {"of a", "scaled from a"}) {
    const std::size_t end = how.find(": ");
    if (!how.starts_with(beginning) || end == std::string_view::npos) continue;
    const std::size_t gpu = beginning.size() - 1;  // with its article
    return {how.substr(gpu, end - gpu), how.substr(end + 2)};
  }
  return {.rest = how};
}

/// The beginnings of texts that name no publication, and the source that each stands for.
constexpr std::pair<std::string_view, Source> beginnings[] = {
    {"measured", Source::measured}, {"counted", Source::measured}, {"fitted", Source::fitted},
    {"the H200's", Source::scaled}, {"scaled", Source::scaled},    {"assumed", Source::assumed},
    {"chosen", Source::assumed},    {"told from", Source::fitted}, {"as ", Source::assumed},
    {"no part", Source::assumed}};

/// The entry of `beginnings` that a text begins with; null for a publication.
const std::pair<std::string_view, Source>* beginning_of(std::string_view how) {
  const auto* const found =
      std::ranges::find_if(beginnings, [&](const auto& beginning) { return how.starts_with(beginning.first); });
  return found == std::end(beginnings) ? nullptr : found;
}

/// The author of a publication: the text up to the first colon, comma or semicolon, without "published" before it.
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
  const std::string_view published = other_gpu(how).rest;
  const std::size_t what = published.find(": ");
  return what != std::string_view::npos && published.substr(0, what).find(", ") != std::string_view::npos;
}

std::string_view to_string(Source source) {
  constexpr std::string_view names[] = {"measured", "fitted", "published", "scaled", "assumed", "attributes"};
  return names[static_cast<std::size_t>(source)];
}

std::string source_words(const Profile& profile, std::string_view rate) {
  const Source source = source_of(profile, rate);
  const auto [gpu, rest] = other_gpu(how_of(profile, rate));
  const std::string who(publication(rest));
  switch (source) {
    case Source::published:
      if (who.empty()) return "published";
      return gpu.empty() ? fmt::format("published ({})", who) : fmt::format("published of {} ({})", gpu, who);
    case Source::scaled:
      return gpu.empty() ? "scaled from the H200" : fmt::format("scaled from {} ({})", gpu, who);
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
