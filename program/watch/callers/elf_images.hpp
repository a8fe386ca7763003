#pragma once
// The program and its libraries as they lie in memory, and the symbols that they export.
//
// dladdr and dlsym are not called: they wait for the lock that a thread holds while it loads a library, and such a
// thread may wait for ours, since a library may launch a kernel while it is being loaded.

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem::inject {

/// A symbol as its library has it.
struct ElfName {
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;
  const char* name = nullptr;  ///< belongs to the library
};

/// Tables of a library's dynamic section. They lie in memory for as long as the library does.
class DynamicTables {
 public:
  /// The tables of an image that dl_iterate_phdr reports.
  explicit DynamicTables(const dl_phdr_info& image);

  /// The address of a symbol that it defines; 0 where it does not.
  [[nodiscard]] std::uintptr_t find(std::string_view name) const;
  /// All functions and data that it defines and names.
  void each_symbol(const std::function<void(const ElfName&)>& use) const;
  /// Places that the loader fills with the address of that symbol. Calls to it and reads of its address go by them.
  [[nodiscard]] std::vector<void**> places_of(std::string_view name) const;

 private:
  [[nodiscard]] std::size_t symbol_count() const;
  [[nodiscard]] bool is_named(std::size_t symbol, std::string_view name) const;
  void add_places(const ElfW(Rela) * relocations, std::size_t bytes, std::string_view name,
                  std::vector<void**>& places) const;

  std::uintptr_t base_ = 0;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  std::size_t names_bytes_ = 0;
  const std::uint32_t* gnu_hash_ = nullptr;
  const std::uint32_t* hash_ = nullptr;
  const ElfW(Rela) * calls_ = nullptr;
  std::size_t calls_bytes_ = 0;
  const ElfW(Rela) * relocations_ = nullptr;
  std::size_t relocations_bytes_ = 0;
};

/// Calls `use` for the program and each library until `use` returns true. The image stays where it is meanwhile.
void each_image(const std::function<bool(const dl_phdr_info&)>& use);
/// The number of times that libraries were loaded or unloaded. If it differs, each_image may have other results.
[[nodiscard]] std::uint64_t image_changes();
/// The path of the image's file. Also for the program itself, of which the loader has no name.
[[nodiscard]] std::string image_path(const dl_phdr_info& image);

}  // namespace gpumem::inject
