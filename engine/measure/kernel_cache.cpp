#include "engine/measure/kernel_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/unfinished_file.hpp"
#include "engine/base/user_folders.hpp"

namespace gpumem::measure {

namespace {

namespace fs = std::filesystem;

/// The version of the files and of the code that is compiled. A new version invalidates all files written before.
constexpr std::string_view format_version = "gpumem kernels 1\n";
constexpr std::size_t digest_length = 32;

/// FNV-1a of 128 bits (Fowler, Noll and Vo) as hexadecimal digits. It tells kernels apart and finds damage; it does not
/// withstand attacks.
std::string digest(std::string_view data) {
  __extension__ using Bits = unsigned __int128;
  constexpr Bits prime = (Bits{1} << 88U) + 0x13b;
  Bits hash = (Bits{0x6c62'272e'07bb'0142} << 64U) + 0x62b8'2175'6295'c58d;
  for (const char c : data) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64U), static_cast<std::uint64_t>(hash));
}

/// Appends a text behind its length, so that it does not run into the next one.
void append(std::string& data, std::string_view text) {
  const std::uint64_t length = text.size();
  data.append(reinterpret_cast<const char*>(&length), sizeof length).append(text);
}

/// Removes the next text that append() put there from the data, and returns it. Absent if the data is cut off.
std::optional<std::string> take(std::string_view& data) {
  std::uint64_t length = 0;
  if (data.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, data.data(), sizeof length);
  data.remove_prefix(sizeof length);
  if (data.size() < length) return std::nullopt;
  std::string text(data.substr(0, length));
  data.remove_prefix(length);
  return text;
}

/// Returns the head of a file, which stands before the texts. It holds the key and is part of the digest after the
/// texts, so a file under another file's name counts as damaged.
std::string file_head(const std::string& key) { return std::string(format_version) + key; }

void remove_oldest(const fs::path& folder, std::size_t most_files) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;  // another process may be at it too
    const auto time = entry->last_write_time(gone);
    if (!gone) files.emplace_back(time, entry->path());
  }
  if (files.size() <= most_files) return;
  std::ranges::sort(files);
  files.resize(files.size() - most_files);
  for (const auto& [time, path] : files) fs::remove(path, error);
}

}  // namespace

std::string kernel_key(const KernelSource& source, unsigned compute_capability, std::string_view compiler_version) {
  std::string data;
  append(data, format_version);
  append(data, compiler_version);
  append(data, std::to_string(compute_capability));
  append(data, source.text);
  append(data, std::to_string(source.headers.size()));
  for (const KernelHeader& header : source.headers) {
    append(data, header.name);
    append(data, header.text);
  }
  for (const std::string& kernel : source.kernels) append(data, kernel);
  return digest(data);
}

fs::path kernel_cache_folder() {
  const fs::path folder = user_folder("XDG_CACHE_HOME", ".cache");
  return folder.empty() ? folder : folder / "kernels";
}

std::optional<CompiledKernels> cached_kernels(const fs::path& folder, const std::string& key) {
  if (folder.empty()) return std::nullopt;
  std::ostringstream file;
  file << std::ifstream(folder / key, std::ios::binary)
              .rdbuf();  // a failure to read leaves it short, and throws nothing
  const std::string content = file.str();
  const std::string head = file_head(key);
  if (!content.starts_with(head) || content.size() < head.size() + digest_length) return std::nullopt;
  std::string_view data = std::string_view(content).substr(0, content.size() - digest_length);
  if (digest(data) != content.substr(data.size())) return std::nullopt;
  data.remove_prefix(head.size());

  CompiledKernels kernels;
  auto cubin = take(data);
  if (!cubin) return std::nullopt;
  kernels.cubin = std::move(*cubin);
  while (!data.empty()) {
    auto name = take(data);
    if (!name) return std::nullopt;
    kernels.names.push_back(std::move(*name));
  }
  return kernels;
}

void cache_kernels(const fs::path& folder, const std::string& key, const CompiledKernels& kernels,
                   std::size_t most_files) {
  if (folder.empty()) return;
  std::string content = file_head(key);
  append(content, kernels.cubin);
  for (const std::string& name : kernels.names) append(content, name);
  content += digest(content);

  std::error_code error;
  fs::create_directories(folder, error);
  // The temporary file's name is unique: another process, or another machine with the same home, may write the same
  // kernels.
  std::string temporary = folder / (key + ".XXXXXX");
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return;
  ::close(descriptor);
  const UnfinishedFile unfinished(temporary);
  std::ofstream file(temporary, std::ios::binary);
  file << content;
  file.close();
  if (file) fs::rename(temporary, folder / key, error);
  if (!file || error) fs::remove(temporary, error);
  remove_oldest(folder, most_files);
}

}  // namespace gpumem::measure
