#include "tests/machine_code/disassembler.hpp"

#include <cstdio>

#include "tests/catch.hpp"

namespace gpumem::machine_code {

bool has_disassembler() {
  const bool has = !std::string(GPUMEM_DISASSEMBLER).empty();
  if (!has) {
    WARN("skipped: cuobjdump or nvdisasm was not found when the build was configured");  // ctest looks for this line
  }
  return has;
}

std::string disassembler_output(const std::string& option, const std::string& file) {
  const std::string command = std::string(GPUMEM_DISASSEMBLER) + " " + option + " '" + file + "'";
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[65536];
  while (const std::size_t bytes = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, bytes);
  INFO(command);
  REQUIRE(pclose(pipe) == 0);
  return output;
}

}  // namespace gpumem::machine_code
