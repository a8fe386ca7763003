#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/available_memory.hpp"
#include "engine/base/error.hpp"
#include "engine/measure/content.hpp"
#include "engine/measure/host_memory.hpp"
#include "tests/catch.hpp"

namespace gpumem::host::test_host_memory {

using gpumem::measure::poison_word;
using gpumem::measure::random_word;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

Error failure_of(const auto& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::no_gpu, "no error"};
}

}  // namespace

TEST_CASE("pageable memory needs no GPU", "[host memory]") {
  CHECK(available_host_bytes() > mib);
  Buffer buffer(Memory::pageable, 3 * mib + 4);
  REQUIRE(buffer.words() != nullptr);
  CHECK(buffer.memory() == Memory::pageable);
  CHECK(buffer.bytes() == 3 * mib + 4);
  CHECK(buffer.device_words() == nullptr);
  CHECK(buffer.setup_time().count() == 0);
  const std::uint64_t words = buffer.bytes() / 4;
  CHECK(std::count(buffer.words(), buffer.words() + words, 0U) == static_cast<std::ptrdiff_t>(words));

  std::uint32_t* data = buffer.words();
  const Buffer moved = std::move(buffer);
  CHECK(moved.words() == data);
  CHECK(moved.bytes() == 3 * mib + 4);
  CHECK(buffer.bytes() == 0);  // NOLINT(bugprone-use-after-move): what the class promises
  CHECK(buffer.data() == nullptr);
  CHECK(Buffer().bytes() == 0);
}

TEST_CASE("more host memory than there is: said without trying", "[host memory]") {
  REQUIRE(available_host_bytes() > 0);
  for (const Memory memory : {Memory::pinned, Memory::registered, Memory::write_combined, Memory::pageable}) {
    const Error error = failure_of([&] { return Buffer(memory, std::uint64_t{1} << 60U); });
    const std::string message = error.what();
    INFO(message);
    CHECK(error.kind() == ErrorKind::probe_failed);
    const std::string verb = memory == Memory::pageable ? "cannot allocate" : "cannot page-lock";
    CHECK(message.starts_with(verb + " 1048576 TiB of host memory: "));
    CHECK(message.ends_with(" are available; pass a smaller --size or --buffer"));
  }
}

TEST_CASE("filling and comparing, in whole and in parts", "[host memory]") {
  // One word, less than a thread's part, and several threads' parts that do not divide evenly.
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1000}, 3 * mib / 4 + 5, 21 * mib / 4 + 3}) {
    INFO(count);
    constexpr std::uint64_t first = 12345678901;
    std::vector<std::uint32_t> words(count + 1, 7);
    fill_random(words.data(), count, first);
    CHECK(words.front() == random_word(first));
    CHECK(words[count / 2] == random_word(first + count / 2));
    CHECK(words[count - 1] == random_word(first + count - 1));
    CHECK(words[count] == 7);
    CHECK(compare_random(words.data(), count, first).mismatches == 0);
    CHECK(compare_random(words.data(), count, first + 1).mismatches > 0);

    words[count - 1] ^= 1U << 31U;
    words[count / 2] ^= 1U;
    const Difference difference = compare_random(words.data(), count, first);
    CHECK(difference.first == count / 2);
    CHECK(difference.mismatches == (count == 1 ? 1 : 2));

    fill_poison(words.data(), count);
    CHECK(std::count(words.begin(), words.end() - 1, poison_word) == static_cast<std::ptrdiff_t>(count));
    CHECK(words[count] == 7);
    CHECK(compare_random(words.data(), count, first).mismatches == count);
    CHECK(compare_random(words.data(), count, first).first == 0);
  }
  CHECK(compare_random(nullptr, 0).mismatches == 0);
}

}  // namespace gpumem::host::test_host_memory
