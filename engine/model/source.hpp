#pragma once
// Where a profile has a rate from, read off how the profile says that it is known.

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

/// Of a rate by its name (rate_fields()). One that is "as" another rate has that one's source.
[[nodiscard]] Source source_of(const Profile& profile, std::string_view rate);

/// Whether the profile says how it knows a rate: with the words of one of the sources above, or as "WHO, WHERE: WHAT"
/// of a publication. "of an L40: WHO, WHERE: WHAT" is a publication about another GPU that has the same part, "scaled
/// from an A40: WHO, WHERE: WHAT" such a figure made fit. One that is "as" another rate is known if that one is.
[[nodiscard]] bool names_source(const Profile& profile, std::string_view rate);

/// For reports: "measured", "scaled".
[[nodiscard]] std::string_view to_string(Source source);

/// For people: "measured", "published (Jia et al.)", "published of an L40 (Ernst)", "scaled from the H200", "scaled
/// from an A40 (Ernst)", "from attributes".
[[nodiscard]] std::string source_words(const Profile& profile, std::string_view rate);

/// Whether a GPU of the kind was measured to know it, by whomever.
[[nodiscard]] constexpr bool rests_on_measurements(Source source) {
  return source == Source::measured || source == Source::fitted || source == Source::published;
}

}  // namespace gpumem::model
