// The checks of two kernels that run at once find a single wrong sum or word, and nothing if all are right.

#include "probes/cache/neighbours/neighbours_kernels.cuh"
#include "tests/catch.hpp"
#include "tests/gpu/planted.cuh"

using namespace gpumem;
using namespace gpumem::cache;
using gpumem::test::Planted;

TEST_CASE("one wrong sum of a victim that reads is found") {
  Planted planted;
  constexpr std::uint32_t words = 5'000;
  const auto* source = reinterpret_cast<const uint4*>(planted.session().random_source(4 * words));
  const measure::DeviceBuffer sums(2 * neighbour_threads * sizeof(std::uint32_t));
  planted.find<unsigned long long>(
      "sums", sums.as<std::uint32_t>(), 2 * neighbour_threads,
      [&] {
        read_beside<neighbour_in_a_row>
            <<<2, neighbour_threads, 0, planted.stream()>>>(source, words, 3, sums.as<std::uint32_t>());
      },
      [&](unsigned long long* found) {
        check_read_beside<<<2, neighbour_threads, 0, planted.stream()>>>(sums.as<std::uint32_t>(), words, 3, found);
      });
}

TEST_CASE("one wrong word of a victim that adds is found") {
  Planted planted;
  constexpr std::uint32_t words = 5'000;
  const measure::DeviceBuffer added(words * sizeof(std::uint32_t));
  planted.find<unsigned long long>(
      "words", added.as<std::uint32_t>(), words,
      [&] {
        measure::check(cudaMemsetAsync(added.data(), 0, added.bytes(), planted.stream()), "clear the words");
        add_beside<neighbour_in_a_row>
            <<<2, neighbour_threads, 0, planted.stream()>>>(added.as<std::uint32_t>(), words, 3);
      },
      [&](unsigned long long* found) {
        check_added_beside<<<2, neighbour_threads, 0, planted.stream()>>>(added.as<std::uint32_t>(), words, 3, found);
      });
}

TEST_CASE("one wrong sum of a neighbour is found, and one that waits for a victim in vain ends") {
  Planted planted;
  constexpr std::uint32_t chunks = 16;
  constexpr std::uint64_t first = 100;
  constexpr std::uint64_t patience_ns = 2'000'000;
  const auto* source = reinterpret_cast<const uint4*>(
      planted.session().random_source(4 * first + chunks * neighbour_chunk_bytes / sizeof(std::uint32_t)));
  const measure::DeviceBuffer sums(2 * neighbour_threads * sizeof(std::uint32_t));
  const measure::DeviceBuffer read(2 * sizeof(std::uint32_t));
  const measure::DeviceBuffer signals(sizeof(NeighbourSignals));
  NeighbourSignals seen;
  planted.find<unsigned long long>(
      "sums", sums.as<std::uint32_t>(), 2 * neighbour_threads,
      [&] {
        measure::check(cudaMemcpyAsync(signals.data(), &seen, sizeof seen, cudaMemcpyDefault, planted.stream()),
                       "reset the signals");
        stream_beside<<<2, neighbour_threads, 0, planted.stream()>>>(
            source + first, chunks, signals.as<NeighbourSignals>(), patience_ns, NeighbourDoes::streams,
            sums.as<std::uint32_t>(), read.as<std::uint32_t>());
        measure::check(cudaMemcpyAsync(&seen, signals.data(), sizeof seen, cudaMemcpyDefault, planted.stream()),
                       "read the signals");
        planted.session().stream().synchronize();
      },
      [&](unsigned long long* found) {
        check_stream_beside<<<2, neighbour_threads, 0, planted.stream()>>>(
            sums.as<std::uint32_t>(), read.as<std::uint32_t>(), chunks, first, found);
      });
  CHECK(seen.started == 2);
  CHECK(seen.gave_up == 1);
  CHECK(seen.neighbour_end_ns - seen.neighbour_begin_ns >= patience_ns);
}
