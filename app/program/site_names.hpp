#pragma once
// What access sites are called: the line of the source where it is known, else the place in the kernel.

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "app/program/merge.hpp"
#include "app/program/source_lines.hpp"

namespace gpumem::app {

/// A kernel's name without result, templates and parameters: "elementwise_kernel".
[[nodiscard]] std::string short_name(std::string_view demangled);
/// With the namespaces and classes that it is in, and without result, parameters and the function's own templates:
/// "at::native::elementwise_kernel".
[[nodiscard]] std::string_view qualified_name(std::string_view demangled);

class SiteNames {
 public:
  /// Reads the lines of all launches shown, for files of one name to be told apart by their folders. The run and the
  /// processes have to outlive it.
  explicit SiteNames(const MergedRun& run);

  /// "copy.cu:118", "elementwise_kernel+0x1a0"
  [[nodiscard]] std::string name(const MergedKernel& kernel, const SeenLaunch& launch, const inject::Site& site);

 private:
  [[nodiscard]] std::optional<SourceLine> line_of(const MergedKernel& kernel, const SeenLaunch& launch,
                                                  const inject::Site& site);

  std::map<std::pair<const RawProcess*, std::uint32_t>, SourceLines> images_;
  std::map<std::string, std::map<std::string, unsigned>> folders_;  ///< by file
};

}  // namespace gpumem::app
