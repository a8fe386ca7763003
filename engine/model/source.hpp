#pragma once
// The source of a profile's rate, read off the profile's words on how the rate is known.

#include <string>
#include <string_view>

#include "engine/model/profile.hpp"

namespace gpumem::model {

enum class Source {
  measured,    ///< read off measurements of a GPU
  fitted,      ///< fitted to measurements of a GPU
  published,   ///< somebody else measured it, or a data sheet says it
  scaled,      ///< another GPU's, the H200's if none is named, scaled by what the rate is counted by
  assumed,     ///< nobody measured it
  attributes,  ///< there is no profile, so that all rates are the H200's, scaled
};

/// The source of a rate, by its name (rate_fields()). A rate that is "as" another one has that one's source.
[[nodiscard]] Source source_of(const Profile& profile, std::string_view rate);

/// True if the profile says how it knows a rate: with the words of one of the sources above, or with a publication,
/// "WHO, WHERE: WHAT". The form "of an L40: WHO, WHERE: WHAT" is a publication about another GPU that has the same
/// part, and "scaled from an A40: WHO, WHERE: WHAT" is such a figure, scaled to fit. A rate that is "as" another one is
/// known if that one is.
[[nodiscard]] bool names_source(const Profile& profile, std::string_view rate);

/// For reports: "measured", "scaled".
[[nodiscard]] std::string_view to_string(Source source);

/// For people: "measured", "published (Jia et al.)", "published of an L40 (Ernst)", "scaled from the H200", "scaled
/// from an A40 (Ernst)", "from attributes".
[[nodiscard]] std::string source_words(const Profile& profile, std::string_view rate);

/// True for sources that rest on measurements of such a GPU, whoever made them: measured, fitted or published.
[[nodiscard]] constexpr bool rests_on_measurements(Source source) {
  return source == Source::measured || source == Source::fitted || source == Source::published;
}

}  // namespace gpumem::model
