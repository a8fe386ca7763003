#pragma once
// Names access sites by their source line or, if it is not known, by their offset in the kernel.

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "program/read/merge.hpp"
#include "program/read/source_lines.hpp"

namespace gpumem::program {

/// A kernel's name without result, templates and parameters: "elementwise_kernel".
[[nodiscard]] std::string short_name(std::string_view demangled);
/// A kernel's name with its namespaces and classes, without result, parameters and the function's own templates:
/// "at::native::elementwise_kernel".
[[nodiscard]] std::string_view qualified_name(std::string_view demangled);

class SiteNames {
 public:
  /// Reads the source lines of all launches shown, to tell files of one name apart by their folders. The run and its
  /// processes must outlive the object.
  explicit SiteNames(const MergedRun& run);

  /// "copy.cu:118", "elementwise_kernel+0x1a0"
  [[nodiscard]] std::string name(const MergedKernel& kernel, const SeenLaunch& launch, const inject::Site& site);

 private:
  [[nodiscard]] std::optional<SourceLine> line_of(const MergedKernel& kernel, const SeenLaunch& launch,
                                                  const inject::Site& site);

  std::map<std::pair<const RawProcess*, std::uint32_t>, SourceLines> images_;
  std::map<std::string, std::map<std::string, unsigned>> folders_;  ///< by file
};

}  // namespace gpumem::program
