#pragma once
// The length of a text for a language model.

#include <cstddef>
#include <string_view>

namespace gpumem::report {

/// Returns an estimate of the tokens that a byte-pair tokenizer like cl100k_base makes of a text, on the high side.
/// Such a tokenizer splits a text into words, numbers, marks and line breaks, and splits rare words further. Here a
/// token is at most 5 lower-case letters (2 of a run of more than 16, as that is no word), 2 upper-case letters,
/// 3 digits, 2 marks, a run of blanks or of line breaks, or a byte beyond ASCII. A blank or a mark right before a word,
/// and a blank right before marks, are part of that token.
/// In the Markdown of all reports of programs under configs/reference, this is 1.05 to 1.21 times what cl100k_base and
/// o200k_base count. It is no bound: cl100k_base takes 2.2 times as many for random lower-case letters in words of 16.
[[nodiscard]] std::size_t estimated_tokens(std::string_view text);

}  // namespace gpumem::report
