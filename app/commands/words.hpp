#pragma once
// Words in the wrong place: a suite where a probe is expected, a family of probes, a GPU, a term of the glossary.

#include <optional>
#include <string>

#include "app/command_line/interface.hpp"

namespace gpumem::app {

/// Says what a word is that its place does not take, and which command takes it: "it is a suite: gpumem check smoke".
/// Nothing for a word that is unknown everywhere.
[[nodiscard]] std::optional<std::string> what_word_is(const std::string& word, const KnownNames& known);

/// Throws "unknown probe 'smoke'; it is a suite: ..." for a word that is no probe, but something else.
void refuse_no_probe(const std::string& word, const KnownNames& known);
/// The same for a word where a suite, or a report, is expected.
void refuse_no_suite(const std::string& word, const KnownNames& known);
/// The same for a word where the profile of a GPU is expected.
void refuse_no_gpu(const std::string& word, const KnownNames& known);

}  // namespace gpumem::app
