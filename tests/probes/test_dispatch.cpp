// Values of a run as template arguments.

#include <array>
#include <cstdint>

#include "probes/dispatch.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_dispatch {

namespace {

/// Sizes of an array that only the compiler can make.
std::size_t array_bytes(unsigned elements, std::size_t element_bytes) {
  return dispatch(
      one_of<1, 2, 4>(elements), type_of_size<std::uint32_t, std::uint64_t>(element_bytes),
      [](auto known, auto element) { return sizeof(std::array<typename decltype(element)::type, known()>); });
}

}  // namespace

TEST_CASE("every combination of values is dispatched to its template arguments", "[dispatch]") {
  for (const unsigned elements : {1U, 2U, 4U}) {
    for (const std::size_t bytes : {4U, 8U}) CHECK(array_bytes(elements, bytes) == elements * bytes);
  }
}

TEST_CASE("a value that nothing is compiled for is an error", "[dispatch]") {
  CHECK_THROWS_AS(array_bytes(3, 4), std::logic_error);
  CHECK_THROWS_AS(array_bytes(4, 2), std::logic_error);
}

}  // namespace gpumem::test_dispatch
