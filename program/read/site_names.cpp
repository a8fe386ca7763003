#include "program/read/site_names.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

/// Returns the position of the bracket that opens what the text's last bracket closes, or npos if there is none.
std::size_t opening(std::string_view text, char open, char close) {
  unsigned depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == close) ++depth;
    if (text[i] == open && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Returns the position of the last `wanted` outside all brackets, or npos if there is none.
std::size_t last_outside(std::string_view text, char wanted) {
  unsigned depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (std::string_view(")>}]").find(text[i]) != std::string_view::npos) ++depth;
    if (depth == 0 && text[i] == wanted) return i;
    if (std::string_view("(<{[").find(text[i]) != std::string_view::npos && depth > 0) --depth;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view qualified_name(std::string_view demangled) {
  std::string_view name = demangled;
  name = name.substr(0, name.find(" [clone"));
  constexpr std::string_view of_object = " const";
  if (name.ends_with(of_object)) name.remove_suffix(of_object.size());
  for (const auto& [open, close] : {std::pair('(', ')'), std::pair('<', '>')}) {
    if (!name.ends_with(close)) continue;
    const std::size_t begin = opening(name, open, close);
    if (begin != std::string_view::npos && begin > 0) name = name.substr(0, begin);
  }
  const std::size_t result = last_outside(name, ' ');
  return result == std::string_view::npos || result + 1 == name.size() ? name : name.substr(result + 1);
}

std::string short_name(std::string_view demangled) {
  std::string_view name = qualified_name(demangled);
  const std::size_t before = name.find_last_of(" :");
  if (before != std::string_view::npos && before + 1 < name.size()) name = name.substr(before + 1);
  return std::string(name);
}

SiteNames::SiteNames(const MergedRun& run) {
  for (const MergedKernel& kernel : run.kernels) {
    const SeenLaunch* launch = kernel.shown();
    if (launch == nullptr) continue;
    for (const inject::Site& site : launch->sample->sites) {
      if (const auto line = line_of(kernel, *launch, site)) ++folders_[line->file][line->folder];
    }
  }
}

std::string SiteNames::name(const MergedKernel& kernel, const SeenLaunch& launch, const inject::Site& site) {
  if (const auto line = line_of(kernel, launch, site)) {
    std::string file = line->file;
    if (folders_[file].size() > 1) {
      const std::string folder = std::filesystem::path(line->folder).filename().string();
      if (!folder.empty()) file = folder + "/" + file;
    }
    return report::one_line(fmt::format("{}:{}", file, line->line));
  }
  if ((site.flags & inject::raw_outside_kernel) != 0) {
    return fmt::format("function called by {}, at {:#x}", short_name(kernel.name), site.pc);
  }
  return fmt::format("{}+{:#x}", short_name(kernel.name), site.pc);
}

std::optional<SourceLine> SiteNames::line_of(const MergedKernel& kernel, const SeenLaunch& launch,
                                             const inject::Site& site) {
  const auto elf = launch.process->images.find(launch.image);
  if (elf == launch.process->images.end() || (site.flags & inject::raw_outside_kernel) != 0) return std::nullopt;
  const auto [image, is_new] = images_.try_emplace({launch.process, launch.image});
  if (is_new) image->second = SourceLines(elf->second);
  return image->second.find(kernel.function, site.pc);
}

}  // namespace gpumem::program
