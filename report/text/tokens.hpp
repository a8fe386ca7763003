#pragma once
// The length of a text for a language model.

#include <cstddef>
#include <string_view>

namespace gpumem::report {

/// Returns an estimate, on the high side, of the tokens that a byte-pair tokenizer like cl100k_base makes of a text.
/// Such tokenizers split a text into words, numbers, marks and line breaks, and then split rare words further. Here a
/// token is at most 4 lower-case or 2 upper-case letters, 3 digits, 2 marks, one run of blanks or line breaks, or one
/// byte beyond ASCII. A blank or a mark right before a word, and a blank before marks, are part of what follows.
/// In the Markdown of the reference reports this is 1.12 to 1.25 times the count of cl100k_base, with names and numbers
/// included. It is no bound: random lower-case letters take twice as many tokens.
[[nodiscard]] std::size_t estimated_tokens(std::string_view text);

}  // namespace gpumem::report
