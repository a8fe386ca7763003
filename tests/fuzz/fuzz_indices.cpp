// Any bytes as a file of indices: refused in one clear line, or indices that can be used. The first byte says what
// somebody said of the file: its format, and whether a column.

#include "engine/pattern/index_file.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpumem;
  if (size == 0) return -1;
  constexpr std::size_t kinds = pattern::index_format_names.size();
  const std::size_t kind = data[0] % kinds;
  pattern::IndexOptions options;
  if (kind != kinds - 1) options.format = static_cast<pattern::IndexFormat>(kind);
  const std::size_t column = data[0] / kinds % 3;
  if (column > 0) options.column = column == 1 ? "2" : "x";
  const std::string_view content(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const auto indices = pattern::read_indices(pattern::bytes_in_memory(content, "a"), options).indices;
    fuzz::require(indices.count() > 0, "a file has indices");
    fuzz::require(indices.maximum() <= pattern::most_index, "which are indices");
  } catch (const Error& error) {
    fuzz::require_clear(error);
    return 0;  // what is nearly a file leads to one
  }
  return 0;
}
