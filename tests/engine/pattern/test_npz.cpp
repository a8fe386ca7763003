// Archives of arrays, and sparse matrices of scipy's.

#include <random>

#include "engine/pattern/npz.hpp"
#include "tests/engine/pattern/index_tests.hpp"

namespace gpumem::pattern::test::test_npz {

namespace {

using namespace std::string_literals;

std::string little_endian(std::uint64_t number, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i & 0xffU);
  return text;
}

struct Array {
  std::string name;
  std::string content;
};

/// As numpy.savez writes it: stored, with sizes that may be in the field for 64 bits.
std::string archive_of(const std::vector<Array>& arrays, unsigned method = 0, bool zip64 = true) {
  std::string archive;
  std::string directory;
  for (const auto& [name, content] : arrays) {
    const std::string size = little_endian(content.size(), 8);
    const std::string extra = zip64 ? "\x01\0\x10\0"s + size + size : "";
    const std::string sizes = zip64 ? std::string(8, '\xff') : size.substr(0, 4) + size.substr(0, 4);
    const std::string common = "\x14\0\0\0"s + little_endian(method, 2) + std::string(8, '\0') + sizes +
                               little_endian(name.size(), 2) + little_endian(extra.size(), 2);
    directory += "PK\x01\x02\x14\0"s + common + std::string(10, '\0') + little_endian(archive.size(), 4) + name + extra;
    archive += "PK\x03\x04"s + common + name + extra + content;
  }
  return archive + directory + "PK\x05\x06\0\0\0\0"s + little_endian(arrays.size(), 2) +
         little_endian(arrays.size(), 2) + little_endian(directory.size(), 4) + little_endian(archive.size(), 4) +
         "\x04\0note"s;
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return "\x93NUMPY\x01\0"s + little_endian(header.size(), 2) + header + data;
}
const std::string first = npy("<i4", "(3,)", "\5\0\0\0\7\0\0\0\2\0\0\0"s);
const std::string second = npy("<i8", "(1,)", "\x09\0\0\0\0\0\0\0"s);

Array layout(const std::string& name) { return {"format.npy", npy("|S3", "()", name)}; }
const Array shape = {"shape.npy", npy("<i8", "(1,)", std::string(8, '\1'))};

Indices read(const std::string& content, const std::optional<std::string>& name = {}) {
  return all_of(read_npz(bytes_in_memory(content, "a.npz"), name));
}

std::string error(const std::string& content, const std::optional<std::string>& name = {}) {
  return error_of([&] { static_cast<void>(read(content, name)); });
}

}  // namespace

TEST_CASE("the only array of an archive is taken, or the one that is named", "[npz]") {
  CHECK(read(archive_of({{"arr_0.npy", first}})) == Indices{5, 7, 2});
  CHECK(read(archive_of({{"arr_0.npy", first}}, 0, false)) == Indices{5, 7, 2});
  const std::string two = archive_of({{"x.npy", first}, {"y.npy", second}});
  CHECK(read(two, "x") == Indices{5, 7, 2});
  CHECK(read(two, "y") == Indices{9});
  CHECK(error(two) == "a.npz: has several arrays; name one, --index-column NAME; there are: x, y");
  CHECK(error(two, "z") == "a.npz: has no array 'z'; there are: x, y");
}

TEST_CASE("of a compressed sparse matrix the indices are taken", "[npz]") {
  const std::vector<Array> others = {{"indices.npy", first}, {"indptr.npy", second}, shape, {"data.npy", second}};
  const auto with = [&](const Array& format) {
    std::vector<Array> all = others;
    all.push_back(format);
    return archive_of(all);
  };
  CHECK(read(with(layout("csr"))) == Indices{5, 7, 2});
  CHECK(read(with(layout("csc"))) == Indices{5, 7, 2});
  CHECK(read(with({"format.npy", npy("<U3", "()", "c\0\0\0s\0\0\0r\0\0\0"s)})) == Indices{5, 7, 2});
  CHECK(read(with(layout("csr")), "indptr") == Indices{9});
  CHECK(error(with(layout("bsr"))) ==
        "a.npz: is a sparse matrix in the layout 'bsr'; save it in rows: scipy.sparse.save_npz(FILE, a.tocsr())");
  CHECK_THAT(error(archive_of({{"row.npy", first}, {"col.npy", first}, shape, layout("coo")})),
             Catch::Matchers::StartsWith("a.npz: is a sparse matrix in the layout 'coo'"));
}

TEST_CASE("what is wrong with an array of an archive is said with its name", "[npz]") {
  CHECK_THAT(error(archive_of({{"x.npy", npy("<f8", "(1,)", std::string(8, '\0'))}})),
             Catch::Matchers::StartsWith("a.npz: x.npy: is float64"));
  CHECK_THAT(error(archive_of({{"x.npy", first + "more"}})), Catch::Matchers::StartsWith("a.npz: x.npy: is longer"));
  CHECK(error(archive_of({{"x.npy", first}}, 12)) ==
        "a.npz: x.npy: is packed by method 12 of ZIP; save it again with numpy.savez");
  CHECK(error(archive_of({})) == "a.npz: is an archive without arrays");
}

TEST_CASE("a damaged archive is read or refused in one line", "[npz]") {
  const std::string archive = archive_of({{"x.npy", first}, {"format.npy", second}});
  for (std::size_t size = 0; size < archive.size() - 6; ++size) {  // without the note it is whole
    CHECK_THAT(error(archive.substr(0, size)), Catch::Matchers::StartsWith("a.npz: is a damaged or truncated archive"));
  }
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = archive;
    for (int n = 0; n < 3; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    static_cast<void>(error(damaged, "x"));
  }
}

}  // namespace gpumem::pattern::test::test_npz
