#include "engine/base/unpack.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/packed_streams.hpp"
#include "engine/base/words.hpp"

namespace gpumem {

namespace {

using namespace std::string_view_literals;  // NUL is a part of some

struct Packing {
  std::string_view name;
  std::string_view begin;  ///< of a file
  std::string_view extension;
  std::string_view cure;  ///< where it cannot be read
  const char* library;
};
constexpr Packing gzip = {"gzip", "\x1f\x8b\x08"sv, ".gz", "unpack it with gunzip", "libz.so.1"};
constexpr Packing xz = {"xz", "\xfd\x37zXZ\0"sv, ".xz", "unpack it with unxz", "liblzma.so.5"};
constexpr Packing deflate = {"deflate", "", "", "save it unpacked, as numpy.savez does", "libz.so.1"};

enum class Step {
  on,       ///< there is more, if there is more to unpack
  end,      ///< of all that is packed
  too_big,  ///< it takes more memory than is allowed
  damaged
};

[[noreturn]] void refuse(const Packing& packing, const std::string& source, std::string_view why) {
  throw usage_error(fmt::format("{}: is compressed with {}, {}", source, packing.name, why));
}

/// The functions of a library, which stays loaded.
class Functions {
 public:
  Functions(const Packing& packing, const std::string& source)
      : packing_(packing), source_(source), library_(dlopen(packing.library, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) lacks(packing.library);
  }
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr) lacks(fmt::format("{} of {}", name, packing_.library));
  }

 private:
  [[noreturn]] void lacks(std::string_view what) const {
    refuse(packing_, source_, fmt::format("and this system lacks {} to read it; {}", what, packing_.cure));
  }

  const Packing& packing_;
  const std::string& source_;
  void* library_;
};

/// gzip files, which may be several one after another.
class GzipDecoder {
 public:
  static constexpr std::size_t most_out = std::size_t{1} << 30U;  // of a call: zlib counts in 32 bits

  GzipDecoder(const Packing& packing, const std::string& source) {
    constexpr int of_gzip = 16 + 15;  // windowBits: the header, and the largest window
    const Functions zlib(packing, source);
    zlib.find(init_, "inflateInit2_");
    zlib.find(inflate_, "inflate");
    zlib.find(reset_, "inflateReset");
    zlib.find(end_, "inflateEnd");
    if (init_(&stream, of_gzip, "1", sizeof stream) != 0) refuse(packing, source, "and zlib cannot be set up");
  }
  ~GzipDecoder() { end_(&stream); }
  GzipDecoder(const GzipDecoder&) = delete;  // zlib keeps the address of the stream
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  Step step(bool /*last*/) {
    constexpr int ok = 0;
    constexpr int stream_end = 1;
    constexpr int no_progress = -5;
    if (between_files_) {  // what follows and is no other file is padding
      if (stream.avail_in == 0) return Step::on;
      if (*stream.next_in != std::byte{0x1f}) return Step::end;
      reset_(&stream);
      between_files_ = false;
    }
    const int status = inflate_(&stream, 0);
    between_files_ = status == stream_end;
    return status == ok || status == stream_end || status == no_progress ? Step::on : Step::damaged;
  }
  [[nodiscard]] bool may_end() const { return between_files_; }

  ZlibStream stream{};

 private:
  int (*init_)(ZlibStream*, int window_bits, const char* version, int stream_bytes) = nullptr;
  int (*inflate_)(ZlibStream*, int flush) = nullptr;
  int (*reset_)(ZlibStream*) = nullptr;
  int (*end_)(ZlibStream*) = nullptr;
  bool between_files_ = false;
};

class XzDecoder {
 public:
  static constexpr std::size_t most_out = ~std::size_t{0};

  XzDecoder(const Packing& packing, const std::string& source) {
    constexpr std::uint64_t most_memory = std::uint64_t{256} << 20U;  // xz -9 takes 65 MiB
    constexpr std::uint32_t concatenated = 8;
    const Functions lzma(packing, source);
    lzma.find(init_, "lzma_stream_decoder");
    lzma.find(code_, "lzma_code");
    lzma.find(end_, "lzma_end");
    if (init_(&stream, most_memory, concatenated) != 0) refuse(packing, source, "and liblzma cannot be set up");
  }
  ~XzDecoder() { end_(&stream); }
  XzDecoder(const XzDecoder&) = delete;  // liblzma keeps the address of the stream
  XzDecoder& operator=(const XzDecoder&) = delete;

  Step step(bool last) {
    constexpr int run = 0;
    constexpr int finish = 3;
    switch (code_(&stream, last ? finish : run)) {
      case 0:   // LZMA_OK
      case 10:  // LZMA_BUF_ERROR: no progress
        return Step::on;
      case 1:  // LZMA_STREAM_END
        return Step::end;
      case 5:  // LZMA_MEM_ERROR
      case 6:  // LZMA_MEMLIMIT_ERROR
        return Step::too_big;
      default:
        return Step::damaged;
    }
  }
  [[nodiscard]] static bool may_end() { return false; }

  LzmaStream stream{};

 private:
  int (*init_)(LzmaStream*, std::uint64_t most_memory, std::uint32_t flags) = nullptr;
  int (*code_)(LzmaStream*, int action) = nullptr;
  void (*end_)(LzmaStream*) = nullptr;
};

template <class Decoder>
class Unpacker {
 public:
  Unpacker(ReadBytes packed, const Packing& packing, std::string source)
      : packed_(std::move(packed)),
        packing_(packing),
        source_(std::move(source)),
        decoder_(packing, source_),
        input_(std::size_t{1} << 16U) {}

  std::size_t read(std::span<std::byte> into) {
    auto& stream = decoder_.stream;
    std::size_t done = 0;
    while (done < into.size() && !ended_) {
      if (stream.avail_in == 0 && !last_) refill();
      const std::size_t room = std::min(into.size() - done, Decoder::most_out);
      stream.next_out = into.data() + done;
      stream.avail_out = static_cast<decltype(stream.avail_out)>(room);
      const Step step = decoder_.step(last_);
      const std::size_t got = room - stream.avail_out;
      done += got;
      unpacked_bytes_ += got;
      if (step == Step::damaged) refuse(packing_, source_, "and damaged; copy or compress it again");
      if (step == Step::too_big) {
        refuse(packing_, source_, fmt::format("and takes more than 256 MiB of memory to unpack; {}", packing_.cure));
      }
      if (unpacked_bytes_ > unsuspicious_bytes && unpacked_bytes_ / most_ratio > taken_bytes_) refuse_bomb();
      const bool stands_still = got == 0 && stream.avail_in == 0 && last_;
      ended_ = step == Step::end || (stands_still && decoder_.may_end());
      if (stands_still && !ended_) refuse(packing_, source_, "and truncated; copy or compress it again");
    }
    return done;
  }

 private:
  /// Reports pack to a thirtieth; lists of indices to less, unless they repeat themselves.
  static constexpr std::uint64_t most_ratio = 100;
  static constexpr std::uint64_t unsuspicious_bytes = std::uint64_t{64} << 20U;

  [[noreturn]] void refuse_bomb() const {
    refuse(packing_, source_,
           fmt::format("and unpacks to more than {} times its size, {} so far, which no list or report does; if you "
                       "know what it is, {}",
                       most_ratio, size_text(unpacked_bytes_), packing_.cure));
  }

  void refill() {
    const std::size_t size = packed_(input_);
    taken_bytes_ += size;
    decoder_.stream.next_in = input_.data();
    decoder_.stream.avail_in = static_cast<decltype(decoder_.stream.avail_in)>(size);
    last_ = size < input_.size();
  }

  ReadBytes packed_;
  const Packing& packing_;
  std::string source_;
  Decoder decoder_;
  std::vector<std::byte> input_;
  std::uint64_t taken_bytes_ = 0;     ///< of what is packed
  std::uint64_t unpacked_bytes_ = 0;  ///< of what it holds
  bool last_ = false;                 ///< the input is all that is left
  bool ended_ = false;                ///< all is unpacked
};

template <class Decoder>
ReadBytes unpacked_by(ReadBytes packed, const Packing& packing, const std::string& source) {
  const auto unpacker = std::make_shared<Unpacker<Decoder>>(std::move(packed), packing, source);
  return [unpacker](std::span<std::byte> into) { return unpacker->read(into); };
}

}  // namespace

std::string take_begin(const ReadBytes& read, std::size_t most) {
  std::string begin(most, '\0');
  begin.resize(read(std::as_writable_bytes(std::span(begin))));
  return begin;
}

ReadBytes with_begin(ReadBytes rest, std::string begin) {
  return [begin = std::move(begin), taken = std::size_t{0}, rest = std::move(rest)](std::span<std::byte> into) mutable {
    const std::size_t size = std::min(into.size(), begin.size() - taken);
    if (size > 0) std::memcpy(into.data(), begin.data() + taken, size);
    taken += size;
    return size < into.size() ? size + rest(into.subspan(size)) : size;
  };
}

ReadBytes unpacked(ReadBytes read, const std::string& source, bool& packed) {
  std::string begin = take_begin(read, std::max(gzip.begin.size(), xz.begin.size()));
  const bool is_gzip = begin.starts_with(gzip.begin);
  packed = is_gzip || begin.starts_with(xz.begin);
  ReadBytes whole = with_begin(std::move(read), std::move(begin));
  if (!packed) return whole;
  return is_gzip ? unpacked_by<GzipDecoder>(std::move(whole), gzip, source)
                 : unpacked_by<XzDecoder>(std::move(whole), xz, source);
}

ReadBytes inflated(std::string_view packed, std::uint32_t crc32, std::uint64_t bytes, const std::string& source) {
  // As a gzip file, which zlib then checks: its header, and behind the content the sum and the size's lower half.
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\xff"sv);
  file += packed;
  for (const std::uint64_t number : {std::uint64_t{crc32}, bytes}) {
    for (unsigned byte = 0; byte < 4; ++byte) file += static_cast<char>(number >> 8 * byte & 0xffU);
  }
  const auto nothing = [](std::span<std::byte> /*into*/) { return std::size_t{0}; };
  return unpacked_by<GzipDecoder>(with_begin(nothing, std::move(file)), deflate, source);
}

std::string without_packing(const std::string& path) {
  for (const std::string_view extension : {gzip.extension, xz.extension}) {
    if (path.ends_with(extension)) return path.substr(0, path.size() - extension.size());
  }
  return path;
}

bool is_json_name(const std::string& path) { return without_packing(path).ends_with(".json"); }

}  // namespace gpumem
