#include <cstdint>
#include <random>
#include <vector>

#include "program/watch/callers/python_layout.hpp"
#include "program/watch/callers/python_lines.hpp"
#include "tests/catch.hpp"

namespace gpumem::inject::test_python_lines {

using Bytes = std::vector<std::uint8_t>;

// Tables of this function, as compilers of each version made them; dis tells the same lines.
//   def f(x):        # 3
//       y = (x +     # 4
//            1)
//       return y     # 6

TEST_CASE("lines by increments, as 3.8 has them", "[callers][lines]") {
  const Bytes table = {0, 1, 8, 2};
  CHECK(python_line(PythonLines::increments, table, 3, 0) == 4);
  CHECK(python_line(PythonLines::increments, table, 3, 7) == 4);
  CHECK(python_line(PythonLines::increments, table, 3, 8) == 6);
  CHECK(python_line(PythonLines::increments, table, 3, 1000) == 6);
  CHECK(python_line(PythonLines::increments, {}, 3, 2) == 3);
  const Bytes backwards = {2, 100, 2, 0x9c};
  CHECK(python_line(PythonLines::increments, backwards, 3, 2) == 103);
  CHECK(python_line(PythonLines::increments, backwards, 3, 4) == 3);
}

TEST_CASE("lines by ranges, as 3.10 has them", "[callers][lines]") {
  const Bytes table = {8, 1, 2, 0x80, 4, 2};
  CHECK(python_line(PythonLines::ranges, table, 3, 0) == 4);
  CHECK(python_line(PythonLines::ranges, table, 3, 8) == 0);  // of no line
  CHECK(python_line(PythonLines::ranges, table, 3, 10) == 6);
  CHECK(python_line(PythonLines::ranges, table, 3, 14) == 0);  // behind its end
}

TEST_CASE("lines by locations, as 3.11 and later have them", "[callers][lines]") {
  // Entries of RESUME, of lines and columns, of columns alone, of no line, and of a line alone that is 70 further back.
  const Bytes table = {0x80, 0x00, 0xd9, 0x04, 0x05, 0x80, 0x12, 0xf9, 0xe8,
                       0x4d, 0x02, 0xf0, 0x43, 0x02, 0x01, 0x05, 0x06};
  CHECK(python_line(PythonLines::locations, table, 200, 0) == 200);
  CHECK(python_line(PythonLines::locations, table, 200, 2) == 201);
  CHECK(python_line(PythonLines::locations, table, 200, 4) == 201);
  CHECK(python_line(PythonLines::locations, table, 200, 6) == 201);
  CHECK(python_line(PythonLines::locations, table, 200, 8) == 0);
  CHECK(python_line(PythonLines::locations, table, 200, 12) == 131);
  CHECK(python_line(PythonLines::locations, table, 200, 14) == 66);
  CHECK(python_line(PythonLines::locations, table, 200, 16) == 0);
}

TEST_CASE("tables that nobody wrote have a line or none", "[callers][lines][hostile]") {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 20000; ++round) {
    Bytes table(random() % 60);
    for (std::uint8_t& byte : table) byte = static_cast<std::uint8_t>(random() | (random() % 3 == 0 ? 0x80U : 0U));
    for (const PythonLines kind : {PythonLines::increments, PythonLines::ranges, PythonLines::locations}) {
      const std::uint32_t line =
          python_line(kind, table, random() % 2 == 0 ? 1 : static_cast<std::uint32_t>(random()), random() % 200);
      CHECK(line <= INT32_MAX);
    }
  }
}

TEST_CASE("layouts are known of versions that were looked at", "[callers]") {
  for (unsigned minor = 8; minor <= 12; ++minor) {
    REQUIRE(python_layout(minor) != nullptr);
    CHECK(python_layout(minor)->minor == minor);
  }
  CHECK(python_layout(7) == nullptr);
  CHECK(python_layout(13) == nullptr);  // it says itself
}

namespace {

/// As the runtime of 3.13 (3.14) begins.
std::vector<std::uint64_t> offsets(unsigned minor) {
  std::vector<std::uint64_t> all = {0x79'70'67'75'62'65'64'78, 0x03'00'00'f0 | std::uint64_t{minor} << 16U, 0};
  const auto add = [&](std::initializer_list<std::uint64_t> numbers) { all.insert(all.end(), numbers); };
  const bool newer = minor == 14;
  add({1000, 1, 2});
  all.resize(all.size() + (newer ? 16 : 13), 100000);
  add({400, 0, 8, 16, 72, 152, 160, 300, 36});  // of a thread
  add({88, 8, 0, 56, 80, 70});                  // of a frame
  if (newer) add({64, 72});
  add({208, 112, 120, 128, 136, 68, 52, 96, 104, 200});  // of code
  if (newer) add({0});
  add({16, 8});
  all.resize(all.size() + 4 + (newer ? 3 + 3 + 4 : 3 + 3), 24);
  add({48, 32, 40, 24, 16, 32, 16, 24});  // dictionary, float, long
  add({40, 16, 32, 64, 32, 16, 40});      // bytes, text
  all.resize(debug_offset_numbers, 0);
  return all;
}

}  // namespace

TEST_CASE("newer versions say themselves where things lie", "[callers]") {
  for (const unsigned minor : {13U, 14U}) {
    const auto layout = python_layout(offsets(minor));
    REQUIRE(layout);
    CHECK(layout->thread_frame == 72);
    CHECK(layout->frame_code == 0);
    CHECK(layout->frame_instruction == 56);
    CHECK(layout->frame_globals == 24);
    CHECK(layout->frame_owner == 70);
    CHECK(layout->code_file == 112);
    CHECK(layout->code_name == 128);
    CHECK(layout->code_lines == 136);
    CHECK(layout->code_first_line == 68);
    CHECK(layout->code_instructions == 200);
    CHECK(layout->ascii_bytes == 40);
    CHECK(layout->compact_bytes == 56);
  }
}

TEST_CASE("what does not look as expected is not read", "[callers][hostile]") {
  CHECK_FALSE(python_layout(offsets(15)));
  CHECK_FALSE(python_layout(std::vector<std::uint64_t>()));
  for (std::size_t numbers = 0; numbers < 70; ++numbers) {
    CHECK_FALSE(python_layout(std::span<const std::uint64_t>(offsets(13)).first(numbers)));
  }
  auto other = offsets(13);
  other[0] = 1;
  CHECK_FALSE(python_layout(other));
  other = offsets(13);
  other[2] = 1;  // without the lock
  CHECK_FALSE(python_layout(other));
  other = offsets(14);
  other[1] = offsets(13)[1];  // in another order
  CHECK_FALSE(python_layout(other));
}

}  // namespace gpumem::inject::test_python_lines
