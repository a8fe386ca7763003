#include <sstream>

#include "engine/base/read_input.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_read_input {

TEST_CASE("input is read whole, up to a limit", "[read_input]") {
  for (const std::size_t size : {0UL, 1UL, 65'535UL, 65'536UL, 65'537UL, 200'000UL}) {
    const std::string text(size, 'x');
    std::istringstream in(text);
    CHECK(read_input(in, "source", size) == text);
    std::istringstream more(text + "y");
    CHECK_THROWS_WITH(read_input(more, "source", size), Catch::Matchers::StartsWith("source: is larger than "));
  }
}

TEST_CASE("a file that cannot be read is named with the system's reason", "[read_input]") {
  CHECK_THROWS_WITH(read_input_file("/no/such/file"), "cannot read '/no/such/file': No such file or directory");
  CHECK_THROWS_WITH(read_input_file("/"), "cannot read '/': Is a directory; name a file in it");
  CHECK_THROWS_WITH(read_input_file("/dev/zero"),
                    "/dev/zero: is larger than 256 MiB, the most that is read of a file; is it the right one?");
}

}  // namespace gpumem::test_read_input
