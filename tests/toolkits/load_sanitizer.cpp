// Whether the sanitizer's library at argv[1] has all that is taken from it. What it lacks goes to stdout.

#include <iostream>

#include "inject/sites/sanitizer.hpp"

int main(int, char** argv) {
  const std::string missing = gpumem::inject::load_sanitizer(argv[1]);
  std::cout << missing;
  return missing.empty() ? 0 : 1;
}
