#include <ctime>
#include <string>
#include <vector>

#include "program/results/program.hpp"
#include "tests/catch.hpp"
#include "tests/counts.hpp"
#include "tests/files.hpp"
#include "tests/program/raw_writer.hpp"

// The time that a report of a kernel with many sites takes.

namespace gpumem::program::test_many_sites {

namespace test = gpumem::test;

TEST_CASE("a kernel with many sites takes as much longer as it has more", "[program]") {
  const auto seconds = [](unsigned sites, inject::RawOp op) {
    test::RawWriter writer;
    writer.device(test::h200()).kernel(1, "_Z3badPKfPf").slot(1, 10, 100e3);
    std::vector<inject::Site> all;
    for (unsigned i = 0; i < sites; ++i) {
      all.push_back(test::streaming(op, 8192, 32, 16 * i));
      for (auto& request : all.back().request) {
        for (std::uint64_t& address : request.address) address += std::uint64_t{i} << 24U;  // an array each
      }
      writer.array(0, all.back(), 1 << 20, {{"/home/b/model.py", i}});
    }
    writer.sample(0, all);
    const test::TemporaryDirectory folder;
    writer.write(folder.path());
    const std::clock_t begin = std::clock();
    CHECK(program_report(read_raw_data(folder.path()), {}).results.front().access.size() == sites);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  for (const inject::RawOp op : {inject::RawOp::load, inject::RawOp::atomic}) {
    const double few = seconds(60, op);
    CHECK(seconds(480, op) < 24 * few);  // 8 times as many; by their square it would be 64 times as long
  }
}

}  // namespace gpumem::program::test_many_sites
