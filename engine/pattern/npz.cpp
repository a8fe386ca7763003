#include "engine/pattern/npz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "engine/pattern/npy.hpp"
#include "engine/pattern/zip_archive.hpp"

namespace gpumem::pattern {

namespace {

constexpr std::string_view extension = ".npy";

std::string array_name(const ZipEntry& entry) {
  return entry.name.substr(0, entry.name.size() - (entry.name.ends_with(extension) ? extension.size() : 0));
}

const ZipEntry* find_array(const std::vector<ZipEntry>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, array_name);
  return found == entries.end() ? nullptr : &*found;
}

/// "csr", as an array of one text, of characters of one byte or four; empty where that is something else.
std::string layout_of(const ZipEntry& format, const std::string& source) {
  constexpr std::size_t most_bytes = 4096;
  const std::string array = take_begin(open_entry(format, source).read, most_bytes);
  const std::size_t header_end = array.find('\n');
  std::string text = header_end == std::string::npos ? "" : array.substr(header_end + 1);
  std::erase(text, '\0');
  return text;
}

[[noreturn]] void refuse(const std::string& source, const std::string& what, const std::vector<ZipEntry>& entries) {
  constexpr std::size_t most_listed = 12;
  std::string names;
  for (std::size_t i = 0; i < entries.size() && i < most_listed; ++i) {
    names += (i == 0 ? "" : ", ") + quoted_bytes(array_name(entries[i]), 64);
  }
  throw usage_error(
      fmt::format("{}: {}; there are: {}{}", source, what, names, entries.size() > most_listed ? ", ..." : ""));
}

const ZipEntry& chosen(const std::vector<ZipEntry>& entries, const std::optional<std::string>& name,
                       const std::string& source) {
  if (entries.empty()) throw usage_error(fmt::format("{}: is an archive without arrays", source));
  if (name) {
    const ZipEntry* const array = find_array(entries, *name);
    if (array == nullptr) refuse(source, fmt::format("has no array '{}'", *name), entries);
    return *array;
  }
  const ZipEntry* const format = find_array(entries, "format");
  if (format != nullptr && find_array(entries, "shape") != nullptr) {
    const std::string layout = layout_of(*format, source);
    const ZipEntry* const indices = find_array(entries, "indices");
    if (indices != nullptr && (layout == "csr" || layout == "csc")) return *indices;
    throw usage_error(fmt::format(
        "{}: is a sparse matrix in the layout '{}'; save it in rows: scipy.sparse.save_npz(FILE, a.tocsr())", source,
        quoted_bytes(layout)));
  }
  if (entries.size() > 1) refuse(source, "has several arrays; name one, --index-column NAME", entries);
  return entries.front();
}

}  // namespace

IndexSequence read_npz(const ByteSource& source, const std::optional<std::string>& name) {
  const WordBuffer archive = read_words(source, std::numeric_limits<std::uint64_t>::max());
  const std::string_view bytes(reinterpret_cast<const char*>(archive.data()), archive.bytes());
  const std::vector<ZipEntry> entries = zip_entries(bytes, source.name);
  return read_npy(open_entry(chosen(entries, name, source.name), source.name));
}

}  // namespace gpumem::pattern
