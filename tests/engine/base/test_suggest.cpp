#include <string>
#include <vector>

#include "engine/base/suggest.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_suggest {

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("offset", "offset") == 0);
  CHECK(edit_distance("ofset", "offset") == 1);
  CHECK(edit_distance("offfset", "offset") == 1);
  CHECK(edit_distance("pffset", "offset") == 1);
  CHECK(edit_distance("raed", "read") == 1);
  CHECK(edit_distance("ca", "abc") == 3);  // optimal string alignment does not edit a swapped pair again
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest name is suggested only when it is near") {
  const std::vector<std::string> names = {"bank", "coalesced", "offset", "stride", "op"};
  CHECK(nearest("ofset", names) == "offset");
  CHECK(nearest("OFFSET", names) == "offset");
  CHECK(nearest("coalseced", names) == "coalesced");
  CHECK(nearest("bnak", names) == "bank");
  CHECK(nearest("po", names) == "op");
  CHECK(nearest("coal", names) == "coalesced");  // its beginning
  CHECK(nearest("xyz", names) == std::nullopt);
  CHECK(nearest("xx", names) == std::nullopt);
  CHECK(nearest("", names) == std::nullopt);
  CHECK(nearest("ofset", {}) == std::nullopt);
}

TEST_CASE("of equally near names the first is suggested, of several completions none") {
  CHECK(nearest("rode", std::vector<std::string>{"ride", "rude"}) == "ride");
  CHECK(nearest("word", std::vector<std::string>{"word-bytes", "word-count"}) == std::nullopt);
}

TEST_CASE("a suggestion is the end of an error line") {
  const std::vector<std::string> names = {"read", "write"};
  CHECK(did_you_mean("raed", names) == "; did you mean 'read'?");
  CHECK(did_you_mean("execute", names).empty());
}

TEST_CASE("a name as long as a file is near to nothing, and found so at once") {
  const std::vector<std::string> names(1000, "elements_per_thread");
  CHECK(nearest(std::string(10'000'000, 'e'), names) == std::nullopt);
}

}  // namespace gpumem::test_suggest
