// Checks that the sanitizer's library at argv[1] has every function that gpumem takes from it. Prints the missing ones
// to stdout.

#include <iostream>

#include "program/watch/sites/sanitizer.hpp"

int main(int, char** argv) {
  gpumem::inject::Sanitizer sanitizer;
  const std::string missing = sanitizer.load(argv[1]);
  std::cout << missing;
  return missing.empty() ? 0 : 1;
}
