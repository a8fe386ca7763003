// Checks that the CUPTI at argv[1] has every function that gpumem takes from it. Prints the missing ones to stdout.

#include <iostream>

#include "engine/base/error.hpp"
#include "engine/measure/cupti.hpp"

int main(int, char** argv) {
  try {
    static_cast<void>(gpumem::measure::load_cupti(argv[1]));
    return 0;
  } catch (const gpumem::Error& error) {
    std::cout << error.what();
    return 1;
  }
}
