// The code that is patched into users' kernels leaves alone what is not saved around it.

#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/catch.hpp"
#include "tests/machine_code/disassembler.hpp"

namespace gpumem::machine_code {

TEST_CASE("The patch uses only predicates and barriers that are saved around it", "[machine_code][sass]") {
  std::istringstream images(GPUMEM_PATCH_IMAGES);
  if (images.str().empty()) {
    WARN("skipped: no headers of the Compute Sanitizer when the build was configured");  // ctest looks for this line
    return;
  }
  if (!has_disassembler()) return;
  for (std::string image; std::getline(images, image, ';');) {
    CAPTURE(image);
    const std::string code = disassembler_output("--dump-sass", image);
    std::set<std::string> used;
    static const std::regex names(R"(\b(P[0-6]|B1?[0-9])\b)");
    for (std::sregex_iterator found(code.begin(), code.end(), names), end; found != end; ++found) {
      used.insert(found->str());
    }
    CHECK(used.contains("P0"));  // it is code at all
    for (const char* unsaved : {"P3", "P4", "P5", "B8", "B9", "B10", "B11", "B12", "B13", "B14", "B15"}) {
      CAPTURE(unsaved);
      CHECK_FALSE(used.contains(unsaved));
    }
  }
}

}  // namespace gpumem::machine_code
