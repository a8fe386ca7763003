#include "engine/pattern/index_file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "engine/base/error.hpp"
#include "engine/base/read_input.hpp"

namespace gpumem::pattern {

namespace {

Error cannot_read(const std::string& path, int reason) {
  return usage_error(fmt::format("cannot read '{}': {}{}", path, std::strerror(reason),
                                 reason == EISDIR ? "; name a file in it" : ""));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() { ::close(number_); }
  FileDescriptor(const FileDescriptor&) = delete;  // it would be closed twice
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace

ByteSource open_bytes(const std::string& path_or_dash) {
  const bool standard_input = path_or_dash == "-";
  const std::string path = source_name(path_or_dash);
  const int number =
      standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) throw cannot_read(path, errno);
  const auto file = std::make_shared<const FileDescriptor>(number);
  struct stat status = {};
  if (::fstat(number, &status) != 0) throw cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) throw cannot_read(path, EISDIR);

  ByteSource source;
  source.name = path;
  // Files of /proc say that they have 0 bytes, and have some; of standard input a part may have been read.
  if (S_ISREG(status.st_mode) && status.st_size > 0 && !standard_input)
    source.bytes = static_cast<std::uint64_t>(status.st_size);
  source.read = [file, path](std::span<std::byte> into) {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got = ::read(file->number(), into.data() + done, into.size() - done);
      if (got == 0) break;
      if (got < 0 && errno != EINTR) throw cannot_read(path, errno);
      done += got < 0 ? 0 : static_cast<std::size_t>(got);
    }
    return done;
  };
  return source;
}

ByteSource bytes_in_memory(std::string_view content, const std::string& name, bool pipe) {
  ByteSource source;
  source.name = name;
  if (!pipe) source.bytes = content.size();
  source.read = [content](std::span<std::byte> into) mutable {
    const std::size_t size = std::min(into.size(), content.size());
    if (size > 0) std::memcpy(into.data(), content.data(), size);
    content.remove_prefix(size);
    return size;
  };
  return source;
}

WordBuffer read_words(const ByteSource& source, std::uint64_t most) {
  constexpr std::uint64_t least_piece = std::uint64_t{4} << 20U;
  WordBuffer words;
  std::uint64_t read = 0;
  while (read < most) {
    // A file is as large as the system says, unless it grows: one piece, and a look whether there is more. A pipe is
    // read in pieces, each as large as all before it.
    const std::uint64_t expected = source.bytes ? *source.bytes - std::min(read, *source.bytes) : read;
    const std::uint64_t wanted = std::min(most - read, std::max(expected, least_piece));
    words.resize(read + wanted, source.name);
    const std::size_t got = source.read({words.data() + read, wanted});
    read += got;
    if (got < wanted) break;
  }
  words.resize(read, source.name);
  return words;
}

std::string quoted_bytes(std::string_view content, std::size_t most) {
  std::string quoted;
  for (const char c : content.substr(0, most)) {
    quoted += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return quoted + (content.size() > most ? "..." : "");
}

}  // namespace gpumem::pattern
