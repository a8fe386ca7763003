#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine/access/chunks.hpp"
#include "tests/catch.hpp"

namespace gpumem::access::test_chunks {

using namespace std::chrono_literals;

TEST_CASE("chunks cover a range once, whatever divides it", "[chunks]") {
  for (const std::uint64_t count : {0U, 1U, 7U, 64U, 1001U}) {
    for (const std::uint64_t chunk : {1U, 7U, 64U, 5000U}) {
      for (const unsigned threads : {1U, 3U}) {
        std::vector<std::atomic<int>> visits(count);
        in_chunks(count, chunk, threads, [&](unsigned thread, std::uint64_t first, std::uint64_t end) {
          if (thread >= threads || end - first > chunk) throw std::logic_error("too many");
          for (; first < end; ++first) ++visits[first];
        });
        bool once = true;
        for (const auto& visited : visits) once = once && visited == 1;
        CHECK(once);
      }
    }
  }
}

TEST_CASE("there are no more threads than chunks", "[chunks]") {
  CHECK(threads_for(0, 10, 4) == 1);
  CHECK(threads_for(19, 10, 4) == 1);
  CHECK(threads_for(20, 10, 4) == 2);
  CHECK(threads_for(1000, 10, 4) == 4);
  CHECK(threads_for(~std::uint64_t{0}, 1, 0) >= 1);
}

TEST_CASE("of several failures the one of the lowest chunk is thrown", "[chunks]") {
  for (const std::uint64_t late : {0U, 1U}) {
    std::atomic<int> begun = 0;
    const auto work = [&](unsigned, std::uint64_t first, std::uint64_t) {
      ++begun;
      for (int i = 0; i < 1000 && begun < 2; ++i) std::this_thread::sleep_for(1ms);
      if (first == late) std::this_thread::sleep_for(20ms);  // until the other one has failed
      throw std::runtime_error(first == 0 ? "first" : "second");
    };
    CHECK_THROWS_WITH(in_chunks(2, 1, 2, work), "first");
  }
}

TEST_CASE("after a failure no further chunks are begun", "[chunks]") {
  std::atomic<int> begun = 0;
  const auto work = [&](unsigned, std::uint64_t first, std::uint64_t) {
    ++begun;
    if (first == 0) throw std::runtime_error("first");
    std::this_thread::sleep_for(1ms);
  };
  CHECK_THROWS_WITH(in_chunks(1000, 1, 2, work), "first");
  CHECK(begun < 900);
}

}  // namespace gpumem::access::test_chunks
