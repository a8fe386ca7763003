#include "engine/model/profile_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <utility>

#include "engine/base/suggest.hpp"
#include "engine/base/words.hpp"

namespace gpumem::model {

namespace {

bool is_separator(char c) { return c == ' ' || c == '-' || c == '_'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string without_separators(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (!is_separator(c)) text += lower(c);
  }
  return text;
}

/// A name without separators and makers, and the places where its words end.
struct GpuWords {
  explicit GpuWords(std::string_view name) {
    for (const char c : name) {
      if (is_separator(c)) {
        end_word();
      } else {
        text += lower(c);
      }
    }
    end_word();
  }

  /// True if a word begins at `place`, or a number right behind letters.
  [[nodiscard]] bool begins_at(std::size_t place) const {
    const bool number = place > 0 && is_digit(text[place]) && !is_digit(text[place - 1]);
    return place == 0 || number || std::ranges::find(ends, place) != ends.end();
  }
  /// True only at the end of a word: an L4 is no L40, and an L40 no L40S.
  [[nodiscard]] bool ends_at(std::size_t place) const { return std::ranges::find(ends, place) != ends.end(); }

  [[nodiscard]] bool has(std::string_view part) const {
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      if (begins_at(at) && ends_at(at + part.size())) return true;
    }
    return false;
  }

  std::string text;
  std::vector<std::size_t> ends;

 private:
  void end_word() {
    static constexpr std::array<std::string_view, 3> makers = {"nvidia", "tesla", "geforce"};
    const std::size_t begin = ends.empty() ? 0 : ends.back();
    for (const std::string_view maker : makers) {
      if (std::string_view(text).substr(begin).starts_with(maker)) text.erase(begin, maker.size());
    }
    if (text.size() > begin) ends.push_back(text.size());
  }
};

/// The letters that a name begins with, which GPUs of one family share: "rtx", "a", "gh".
std::string family_of(std::string_view name) {
  const GpuWords words(name);
  const std::string_view first = std::string_view(words.text).substr(0, words.ends.empty() ? 0 : words.ends.front());
  return std::string(first.substr(0, first.find_first_of("0123456789")));
}

/// The profile's name, in quotes if it has more than one word.
std::string profile_quoted(const ProfileName& profile) {
  return profile.name.find(' ') == std::string::npos ? profile.name : "'" + profile.name + "'";
}

std::string profile_in_words(const ProfileName& profile) {
  if (profile.device.empty()) return profile_quoted(profile);
  return fmt::format("{} ({}{})", profile_quoted(profile), profile.device, profile.own ? ", your own" : "");
}

/// The places of at most three similar profiles, the nearest first.
std::vector<std::size_t> nearest_profiles(std::string_view text, std::span<const ProfileName> names) {
  constexpr std::size_t most = 3;
  const std::string typed = normalised_gpu(text);
  const std::string family = family_of(text);
  std::vector<std::pair<std::size_t, std::size_t>> found;  // mistakes, place
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].device.empty() || typed.empty()) continue;
    const std::size_t mistakes = std::min(edit_distance(typed, normalised_gpu(names[i].name)),
                                          edit_distance(typed, normalised_gpu(names[i].device)));
    const bool same_family =
        !family.empty() && (family == family_of(names[i].name) || family == family_of(names[i].device));
    // P100 and V100 differ in one letter too, and are no misspelling of each other.
    const bool misspelt = mistakes <= 1 && typed.front() == normalised_gpu(names[i].name).front();
    if (same_family || misspelt) found.emplace_back(mistakes, i);
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::size_t, std::size_t>::first);
  if (found.size() > most) found.resize(most);
  std::vector<std::size_t> places;
  for (const auto& [mistakes, place] : found) places.push_back(place);
  return places;
}

std::string listed(std::span<const ProfileName> names, std::span<const std::size_t> places) {
  std::string text;
  for (const std::size_t place : places) text += (text.empty() ? "" : ", ") + profile_in_words(names[place]);
  return text;
}

}  // namespace

std::string normalised_gpu(std::string_view name) { return GpuWords(name).text; }

bool same_gpu(std::string_view device, std::string_view other) {
  return normalised_gpu(device) == normalised_gpu(other);
}

std::string gpu_file_name(std::string_view device) {
  const GpuWords words(device);
  std::string name;
  for (std::size_t i = 0; i < words.text.size(); ++i) {
    const char c = words.text[i];
    if (i > 0 && words.ends_at(i)) name += '-';
    name += is_digit(c) || (c >= 'a' && c <= 'z') ? c : '-';
  }
  return name.empty() ? "gpu" : name;
}

std::vector<std::size_t> fitting_profiles(std::string_view text, std::span<const ProfileName> names) {
  const std::string typed = normalised_gpu(text);
  using Fits = std::function<bool(const ProfileName&)>;
  const Fits any_of_these[] = {
      [&](const ProfileName& profile) { return profile.name == text; },
      [&](const ProfileName& profile) { return without_separators(profile.name) == without_separators(text); },
      [&](const ProfileName& profile) { return normalised_gpu(profile.device) == typed; },
      [&](const ProfileName& profile) {
        return !profile.device.empty() && (GpuWords(profile.name).has(typed) || GpuWords(profile.device).has(typed));
      },
  };
  std::vector<std::size_t> fitting;
  if (typed.empty()) return fitting;
  for (const Fits& fits : any_of_these) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (fits(names[i])) fitting.push_back(i);
    }
    if (!fitting.empty()) break;
  }
  const auto is_own = [&](std::size_t place) { return names[place].own; };
  const auto has_own = [&](std::size_t place) {
    return std::ranges::any_of(fitting, [&](std::size_t other) {
      const bool same_name = names[other].name == names[place].name;
      return is_own(other) && (same_name || same_gpu(names[other].device, names[place].device));
    });
  };
  std::vector<std::size_t> kept;
  std::ranges::copy_if(fitting, std::back_inserter(kept),
                       [&](std::size_t place) { return is_own(place) || !has_own(place); });
  return kept;
}

std::string several_fit(std::string_view text, std::span<const ProfileName> names,
                        std::span<const std::size_t> fitting) {
  return fmt::format("'{}' fits the profiles {}; give the name of one", text, listed(names, fitting));
}

std::string none_fits(std::string_view text, std::span<const ProfileName> names) {
  const std::vector<std::size_t> nearest = nearest_profiles(text, names);
  std::vector<std::string> all;
  for (const ProfileName& profile : names) all.push_back(profile_quoted(profile));
  const std::string others = nearest.empty()       ? fmt::format("there are {}", fmt::join(all, ", "))
                             : nearest.size() == 1 ? "the nearest is " + listed(names, nearest)
                                                   : "the nearest are " + listed(names, nearest);
  return fmt::format(
      "no GPU profile '{}': {}; on a machine with that GPU, gpumem calibrate -o FILE makes one, which --gpu FILE reads",
      text, others);
}

}  // namespace gpumem::model
