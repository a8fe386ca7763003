#include "app/command_line/version.hpp"

#include <fmt/format.h>

namespace gpumem::app {

namespace {

/// Of "NVIDIA 13.0.88" the release, 13.0, as the toolkit is called everywhere else.
std::string toolkit_release(const std::string& cuda_compiler) {
  const std::string version = cuda_compiler.substr(cuda_compiler.find(' ') + 1);
  const std::size_t minor = version.find('.');
  return version.substr(0, minor == std::string::npos ? minor : version.find('.', minor + 1));
}

}  // namespace

std::string version_line(const report::Tool& tool) {
  const std::string type = tool.build_type.empty() ? "" : ", " + tool.build_type;
  return fmt::format("gpumem {} (commit {}, CUDA {}, built by {}{})", tool.version, tool.git_commit,
                     toolkit_release(tool.cuda_compiler), tool.compiler, type);
}

}  // namespace gpumem::app
