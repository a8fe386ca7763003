#pragma once
// What the addresses of an access site look like, by the requests that were shown of it.

#include <span>
#include <string>

#include "inject/raw_format.hpp"

namespace gpumem::app {

/// The requests shown of sites that are one to the reader lie far apart in the launch: what is said is what each of
/// them says of its lanes. "lanes 8192 elements (32 KiB) apart; 16 of 32 lanes active". Empty where none was shown. At
/// least one site.
[[nodiscard]] std::string pattern_of(std::span<const inject::Site* const> sites);

}  // namespace gpumem::app
