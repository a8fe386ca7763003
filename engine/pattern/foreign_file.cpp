
#include <algorithm>
#include <array>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/zip_archive.hpp"

namespace gpumem::pattern {

namespace {

using namespace std::string_view_literals;  // signatures may hold NUL

struct Signature {
  std::size_t at;  ///< bytes before it
  std::string_view bytes;
  std::string_view what;  ///< it is, and the cure
};

constexpr std::string_view hdf5 =
    "is an HDF5 file; take one data set out of it: numpy.save('a.npy', h5py.File('FILE')['NAME'][:])";
constexpr std::string_view netcdf =
    "is a netCDF file; take one variable out of it: numpy.save('a.npy', netCDF4.Dataset('FILE')['NAME'][:])";
constexpr std::string_view feather =
    "is a Feather (Arrow) file; take one column out of it: numpy.save('a.npy', "
    "pandas.read_feather('FILE')['COLUMN'].to_numpy())";

constexpr std::array signatures = {
    Signature{0, "\x1f\x8b\x08"sv, "is compressed with gzip; unpack it with gunzip"},
    Signature{4, "1AY&SY"sv, "is compressed with bzip2; unpack it with bunzip2"},
    Signature{0, "\xfd\x37zXZ\0"sv, "is compressed with xz; unpack it with unxz"},
    Signature{0, "\x28\xb5\x2f\xfd"sv, "is compressed with zstd; unpack it with unzstd"},
    Signature{0, "\x04\x22\x4d\x18"sv, "is compressed with lz4; unpack it with unlz4"},
    Signature{0, "\x1f\x9d\x90"sv, "is compressed with compress; unpack it with uncompress"},
    Signature{0, "7z\xbc\xaf\x27\x1c"sv, "is a 7z archive; unpack it with 7z x"},
    Signature{0, "Rar!\x1a\x07"sv, "is a RAR archive; unpack it with unrar x"},
    Signature{257, "ustar"sv, "is a tar archive; unpack it with tar -xf"},
    Signature{0, "\x89HDF\r\n\x1a\n"sv, hdf5},
    Signature{512, "\x89HDF\r\n\x1a\n"sv, hdf5},
    Signature{1024, "\x89HDF\r\n\x1a\n"sv, hdf5},
    Signature{2048, "\x89HDF\r\n\x1a\n"sv, hdf5},
    Signature{0, "CDF\x01"sv, netcdf},
    Signature{0, "CDF\x02"sv, netcdf},
    Signature{0, "CDF\x05"sv, netcdf},
    Signature{0, "PAR1"sv,
              "is a Parquet file; take one column out of it: numpy.save('a.npy', "
              "pandas.read_parquet('FILE')['COLUMN'].to_numpy())"},
    Signature{0, "ARROW1"sv, feather},
    Signature{0, "FEA1"sv, feather},
    Signature{0, "ORC"sv,
              "is an ORC file; take one column out of it: numpy.save('a.npy', "
              "pandas.read_orc('FILE')['COLUMN'].to_numpy())"},
    Signature{0, "Obj\x01"sv, "is an Avro file; save one of its fields with numpy.save"},
    Signature{0, "SQLite format 3"sv, "is an SQLite data base; save one of its columns with numpy.save"},
    Signature{0, "MATLAB 5.0 MAT-file"sv,
              "is a MATLAB file; take one variable out of it: numpy.save('a.npy', scipy.io.loadmat('FILE')['NAME'])"},
    Signature{0, "GGUF"sv, "is a model (GGUF), and no list of indices"},
    Signature{0, "\x7f\x45LF"sv, "is a program or a library (ELF), and no list of indices"},
    Signature{0, "\x89PNG\r\n\x1a\n"sv, "is a picture (PNG), and no list of indices"},
    Signature{0, "\xff\xd8\xff"sv, "is a picture (JPEG), and no list of indices"},
    Signature{0, "GIF8"sv, "is a picture (GIF), and no list of indices"},
    Signature{0, "%PDF-"sv, "is a document (PDF), and no list of indices"},
};

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

/// Describes an archive by the name of the first file in it: torch.save has a pickle there. nullopt for one of
/// numpy.savez, whose arrays can be read.
std::optional<std::string> of_zip(std::string_view begin) {
  constexpr std::size_t name_at = 30;
  const std::size_t length = byte_at(begin, 26) + 256 * byte_at(begin, 27);
  const std::string_view name = begin.substr(std::min(name_at, begin.size())).substr(0, length);
  if (name.ends_with("data.pkl") || name.ends_with(".format_version")) {
    return "is a PyTorch file; save one tensor of it: numpy.save('a.npy', torch.load('FILE').numpy())";
  }
  if (name.ends_with(".npy")) return std::nullopt;
  return "is a ZIP archive; unpack it with unzip";
}

/// True for a pickle of Python. Protocols 0 and 1 begin with a value, mostly a list or dictionary that is memoised
/// first. Protocols 2 to 5 begin with 0x80 and their number. Then 4 and 5 have a frame, and 2 and 3 an instruction that
/// a value may begin with.
bool is_pickle(std::string_view begin) {
  constexpr std::array old_ones = {"(lp0\n"sv, "(dp0\n"sv, "cnumpy"sv, "]q\0"sv, "}q\0"sv};
  if (std::ranges::any_of(old_ones, [&](std::string_view opening) { return begin.starts_with(opening); })) return true;
  if (byte_at(begin, 0) != 0x80 || begin.size() < 3) return false;
  const unsigned protocol = byte_at(begin, 1);
  if (protocol == 4 || protocol == 5) return begin[2] == '\x95';
  constexpr std::string_view first_instructions = "]}()cKMJNGXU\x8a\x88\x89";
  return (protocol == 2 || protocol == 3) && first_instructions.find(begin[2]) != std::string_view::npos;
}

/// The length of a header in 64 bits, and the header in JSON.
bool is_safetensors(std::string_view begin) {
  return begin.size() > 10 && begin.substr(4, 4) == "\0\0\0\0"sv && begin.substr(8, 2) == "{\"";
}

/// With the mark that such text begins with: every second byte of digits is 0.
bool is_utf_16(std::string_view begin) {
  const bool little = begin.starts_with("\xff\xfe");
  if (begin.size() < 4 || (!little && !begin.starts_with("\xfe\xff"))) return false;
  for (std::size_t i = 2; i + 1 < begin.size(); i += 2) {
    const unsigned character = byte_at(begin, little ? i : i + 1);
    if (byte_at(begin, little ? i + 1 : i) != 0 || character < '\t' || character > '~') return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> foreign_file(std::string_view begin) {
  const auto* const found = std::ranges::find_if(signatures, [&](const Signature& signature) {
    return begin.size() >= signature.at && begin.substr(signature.at).starts_with(signature.bytes);
  });
  if (found != signatures.end()) return std::string(found->what);
  if (begin.starts_with(zip_begin)) return of_zip(begin);
  if (is_pickle(begin)) {
    return "is a pickle of Python; save what it holds: numpy.save('a.npy', numpy.asarray(pickle.load(open('FILE', "
           "'rb'))))";
  }
  if (is_safetensors(begin)) {
    return "is a safetensors file; save one tensor of it: numpy.save('a.npy', "
           "safetensors.numpy.load_file('FILE')['NAME'])";
  }
  if (is_utf_16(begin)) return "is text in UTF-16; convert it with iconv -f UTF-16 -t UTF-8";
  return std::nullopt;
}

}  // namespace gpumem::pattern
