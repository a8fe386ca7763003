#include <limits>

#include "engine/pattern/npy.hpp"
#include "tests/engine/pattern/index_tests.hpp"

namespace gpumem::pattern::test::test_npy {

namespace {

template <std::size_t n>
std::string bytes(const char (&text)[n]) {  // with the NUL characters inside
  return {text, n - 1};
}
std::string blanks(std::size_t count) { return std::string(count, ' ') + "\n"; }

// Files as numpy 2.4.6 writes them on a little-endian machine, to the byte.
const std::string numpy_u1 = bytes("\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }") +
                             blanks(60) + bytes("\x03\x00\xff");
const std::string numpy_i8 =
    bytes("\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }") + blanks(58) +
    bytes(
        "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
        "\x02\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00"
        "\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00");
const std::string numpy_big_i4 =
    bytes("\x93NUMPY\x01\x00v\x00{'descr': '>i4', 'fortran_order': False, 'shape': (3,), }") + blanks(60) +
    bytes("\x00\x00\x00\x07\x00\x01\x00\x00\x00\x00\x00\x02");
const std::string numpy_u2_version_2 =
    bytes("\x93NUMPY\x02\x00t\x00\x00\x00{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }") + blanks(58) +
    bytes("\x01\x02\x02\x00");
const std::string numpy_scalar_version_3 =
    bytes("\x93NUMPY\x03\x00t\x00\x00\x00{'descr': '<i4', 'fortran_order': False, 'shape': (), }") + blanks(60) +
    bytes("\x09\x00\x00\x00");
const std::string numpy_f8 = bytes("\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }") +
                             blanks(60) + bytes("\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00@");
const std::string numpy_fortran =
    bytes("\x93NUMPY\x01\x00v\x00{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2), }") + blanks(59) +
    bytes("\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00");
const std::string numpy_negative =
    bytes("\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }") + blanks(60) +
    bytes("\x05\x00\xfd\xff\xff\xff");
const std::string numpy_records =
    bytes("\x93NUMPY\x01\x00v\x00{'descr': [('a', '<i4'), ('b', '<f4')], 'fortran_order': False, 'shape': (1,), }") +
    blanks(37) + bytes("\x01\x00\x00\x00\x00\x00\x00@");

IndexSequence read(const std::string& content, bool pipe = false) {
  return read_npy(bytes_in_memory(content, "a.npy", pipe));
}

std::string error(const std::string& content, bool pipe = false) {
  return error_of([&] { static_cast<void>(read(content, pipe)); });
}

/// A file of version 1 with this dictionary, of less than 256 bytes.
std::string file_of(const std::string& dictionary, const std::string& data) {
  return bytes("\x93NUMPY\x01\x00") + static_cast<char>(dictionary.size()) + '\0' + dictionary + data;
}

NpyHeader header(const std::string& dictionary) { return parse_npy_header(dictionary, "a.npy"); }

std::string header_error(const std::string& dictionary) {
  return error_of([&] { static_cast<void>(header(dictionary)); });
}

std::string type_error(const std::string& type) {
  return header_error("{'descr': '" + type + "', 'fortran_order': False, 'shape': (2,), }");
}

std::string shape_error(const std::string& shape) {
  return header_error("{'descr': '<i4', 'fortran_order': False, 'shape': " + shape + ", }");
}

}  // namespace

TEST_CASE("numpy's own files are read", "[npy]") {
  for (const bool pipe : {false, true}) {
    CHECK(all_of(read(numpy_u1, pipe)) == Indices{3, 0, 255});
    CHECK(all_of(read(numpy_i8, pipe)) == Indices{0, 1, 2, 5, 4, std::uint64_t{1} << 40U});
    CHECK(all_of(read(numpy_u2_version_2, pipe)) == Indices{513, 2});
    CHECK(all_of(read(numpy_scalar_version_3, pipe)) == Indices{9});
  }
  CHECK(read(numpy_u1).word_bytes() == 1);
  CHECK(read(numpy_u2_version_2).word_bytes() == 2);
  CHECK(error(numpy_big_i4) == "a.npy: is big-endian: convert with .astype(numpy.int64)");
  CHECK(read(numpy_i8).word_bytes() == 8);
}

TEST_CASE("a header is any Python dictionary of the three members", "[npy]") {
  const NpyHeader tight = header("{\"shape\":(2,3L),'fortran_order':False,'descr':'u4'}");
  CHECK(tight.word_bytes == 4);
  CHECK_FALSE(tight.is_signed);
  CHECK(tight.shape == Indices{2, 3});
  CHECK(tight.records == 6);
  CHECK(header("{'descr': '>i1', 'fortran_order': True, 'shape': (7,), }  \n").records == 7);  // one order
  CHECK(header("{'descr': '=i8', 'fortran_order': True, 'shape': (1, 7, 1)}").records == 7);
}

TEST_CASE("what is noted beside a type does no harm", "[npy]") {
  const auto with_type = [](const std::string& type) {
    return "{'descr': " + type + ", 'fortran_order': False, 'shape': (2,), }";
  };
  for (const std::string type :
       {"('<i4', {'h5py': 1})", "('<i4', {})", "(\"<i4\", {'a': [1, (2,)], 'b})': {'c': '}'}},)"}) {
    CHECK(header(with_type(type)).word_bytes == 4);
  }
  CHECK(header_error(with_type("('<f8', {'unit': 'm'})")) == "a.npy: is float64: convert with .astype(numpy.int64)");
  CHECK_THAT(header_error(with_type("('<i4', (3,))")),
             Catch::Matchers::ContainsSubstring("its elements are arrays themselves"));
  CHECK_THAT(header_error(with_type("([('a', '<i4')], {'x': 1})")),
             Catch::Matchers::ContainsSubstring("records of several"));
  for (const std::string type : {"('<i4', {'h5py': 1)", "('<i4', {'h5py': [1})", "('<i4', {", "('<i4',", "('<i4'"}) {
    CHECK_THAT(header_error(with_type(type)), Catch::Matchers::StartsWith("a.npy: "));
  }
}

TEST_CASE("types that are no integers say what makes integers of them", "[npy]") {
  CHECK(error(numpy_f8) == "a.npy: is float64: convert with .astype(numpy.int64)");
  CHECK(type_error("<f2") == "a.npy: is float16: convert with .astype(numpy.int64)");
  CHECK(type_error("<f16") == "a.npy: is float128: convert with .astype(numpy.int64)");
  CHECK(type_error("<c16") == "a.npy: is complex128: convert with .real.astype(numpy.int64)");
  CHECK(type_error("|b1") == "a.npy: is bool: numpy.flatnonzero(a) gives the indices of what is true");
  CHECK(type_error("<M8[ns]") == "a.npy: is datetime64: convert with .astype(numpy.int64)");
  CHECK(type_error("<U5") == "a.npy: is str: convert with .astype(numpy.int64)");
  CHECK(type_error("|O") == "a.npy: is object: convert with .astype(numpy.int64)");
  CHECK(error(numpy_records) ==
        "a.npy: its elements are records of several fields: save one field, numpy.save(file, a['name'])");
  for (const std::string type : {"", "<", "i", "<i16", "<i3", "<i0", "<i-4", "<q8", "<i4x", "f", "f99999999999"}) {
    CHECK_THAT(type_error(type), Catch::Matchers::ContainsSubstring("convert with .astype(numpy.int64)"));
  }
}

TEST_CASE("an order of elements that is not the file's is refused", "[npy]") {
  CHECK(error(numpy_fortran) ==
        "a.npy: is in Fortran order: save numpy.ascontiguousarray(a), or a.T if columns are to be read one after "
        "another");
}

TEST_CASE("negative indices are named by their record", "[npy]") {
  CHECK(error(numpy_negative) ==
        "a.npy: record 1, counted from 0, is -3: an index is the number of an element, from 0 on; add an offset to all "
        "of them, or leave out those below 0");
  const auto record_of = [](const std::string& type, const std::string& data) {
    return error(file_of("{'descr': '" + type + "', 'fortran_order': False, 'shape': ()}\n", data));
  };
  CHECK_THAT(record_of("|i1", "\x80"), Catch::Matchers::StartsWith("a.npy: record 0, counted from 0, is -128: "));
  CHECK_THAT(record_of("<i8", bytes("\0\0\0\0\0\0\0\x80")),
             Catch::Matchers::StartsWith("a.npy: record 0, counted from 0, is -9223372036854775808: "));
  CHECK_THAT(record_of("<i4", "\xfe\xff\xff\xff"),
             Catch::Matchers::StartsWith("a.npy: record 0, counted from 0, is -2:"));
  CHECK(record_of("<u8", std::string(8, '\xff')) ==
        "a.npy: record 0, counted from 0, is 18446744073709551615: above 2^63 - 1, the largest index; was it negative "
        "before it was converted?");
  CHECK(record_of("|u1", "\xff") == "nothing thrown");
  CHECK(record_of("<u4", std::string(4, '\xff')) == "nothing thrown");
}

TEST_CASE("another file than .npy is named by how it begins", "[npy]") {
  CHECK(error("") == "a.npy: is empty; expected an array of numpy.save");
  CHECK(error("1,2\n3,4") == "a.npy: is no .npy file: it begins with \"1,2\\x0a3,\"");
  CHECK_THAT(error(bytes("\x93NUMPY\x04\x00v\x00")),
             Catch::Matchers::StartsWith("a.npy: is of version 4.0 of the .npy format"));
  CHECK_THAT(error(bytes("\x93NUMPY\x01\x01v\x00")), Catch::Matchers::StartsWith("a.npy: is of version 1.1"));
  CHECK_THAT(error(bytes("\x93NUMPY\x02\x00\xff\xff\xff\xff")),
             Catch::Matchers::StartsWith("a.npy: damaged .npy header: 4294967295 bytes long"));
}

TEST_CASE("a file that ends anywhere else than its array is refused", "[npy]") {
  for (const bool pipe : {false, true}) {
    for (std::size_t length = 0; length < numpy_i8.size(); ++length) {
      CHECK(error(numpy_i8.substr(0, length), pipe) != "nothing thrown");
    }
    CHECK(error(numpy_i8.substr(0, 100), pipe) ==
          "a.npy: is truncated: it ends within its header; copy or save the file again");
    CHECK(error(numpy_i8.substr(0, 170), pipe) ==
          "a.npy: is truncated: its header announces 6 elements of 8 bytes, and 42 bytes follow; copy or save the file "
          "again");
  }
  CHECK(
      error(numpy_i8 + "x") ==
      "a.npy: is longer than its array: its header announces 6 elements of 8 bytes, and 49 bytes follow; copy or save "
      "the file again");
  CHECK_THAT(error(numpy_i8 + "x", true), Catch::Matchers::ContainsSubstring("and more than 48 bytes follow"));
}

TEST_CASE("arrays that promise what no memory holds take none", "[npy]") {
  const std::string huge = file_of("{'descr': '<u8', 'fortran_order': False, 'shape': (9999999999999,)}", "12345678");
  CHECK_THAT(error(huge),
             Catch::Matchers::StartsWith("a.npy: is truncated: its header announces 9999999999999 elements"));
  CHECK_THAT(error(huge, true), Catch::Matchers::StartsWith("a.npy: is truncated: its header announces 9999999999999"));
  CHECK_THAT(shape_error("(4294967296, 4294967296)"),
             Catch::Matchers::ContainsSubstring("more elements than 64 bits can count"));
  CHECK_THAT(shape_error("(99999999999999999999,)"),
             Catch::Matchers::ContainsSubstring("a length of more than 64 bits"));
}

TEST_CASE("damaged headers say where", "[npy]") {
  CHECK(shape_error("(0,)") == "a.npy: is an array without elements; save one that has indices");
  CHECK(shape_error("(4611686018427387904, 4611686018427387904, 0)") ==
        "a.npy: is an array without elements; save one that has indices");
  CHECK(shape_error("(3)") ==
        "a.npy: damaged .npy header at byte 52 of its dictionary: expected ',' after the only length; save the array "
        "again with numpy.save");
  for (const std::string shape :
       {"(-1,)", "(,)", "(1 2)", "[1]", "3", "(1,", "(1,2", "('a',)", "(1.5,)", "None", "()()"}) {
    CHECK_THAT(shape_error(shape), Catch::Matchers::StartsWith("a.npy: damaged .npy header at byte "));
  }
  std::string deep = "(";
  for (int i = 0; i < 65; ++i) deep += "1,";
  CHECK_THAT(shape_error(deep + ")"), Catch::Matchers::ContainsSubstring("more dimensions than numpy has"));
  for (const std::string text : {"", "{", "{}", "{'descr': '<i4'}", "{'descr': '<i4', 'shape': (2,)}", "[]",
                                 "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (2,)}",
                                 "{'descr': '<i4', 'fortran_order': 0, 'shape': (2,)}",
                                 "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)} x",
                                 "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
                                 "{'descr': '<i4, 'fortran_order': False, 'shape': (2,)}", "{'descr': '<i4"}) {
    CHECK_THAT(header_error(text), Catch::Matchers::StartsWith("a.npy: damaged .npy header at byte "));
  }
}

TEST_CASE("any byte of a header may be any other", "[npy]") {
  unsigned read_all_the_same = 0;
  for (std::size_t at = 0; at < numpy_i8.size() - 48; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = numpy_i8;
      damaged[at] = static_cast<char>(value);
      const std::string first = error(damaged);
      if (first != "nothing thrown") continue;
      ++read_all_the_same;
      const IndexSequence indices = read(damaged);
      REQUIRE(indices.count() * indices.word_bytes() == 48);
    }
  }
  // Each byte as it was; other blanks, quotes and types that fit; and not many more.
  CHECK(read_all_the_same > numpy_i8.size() - 48);
  CHECK(read_all_the_same < 1000);
}

}  // namespace gpumem::pattern::test::test_npy
