#pragma once
// The terms of docs/glossary.md, which is compiled into the program.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpumem::app {

/// The line that explains a term, without its markup: "sector: 32 aligned bytes: ...". A term may be written with
/// hyphens, in capitals and in the plural. Nothing for one that the glossary does not have.
[[nodiscard]] std::optional<std::string> glossary_line(std::string_view term);

/// The pages that are compiled into the program, generated at build time.
struct EmbeddedPage {
  std::string_view name;
  std::string_view markdown;
};
[[nodiscard]] std::span<const EmbeddedPage> embedded_pages();

}  // namespace gpumem::app
