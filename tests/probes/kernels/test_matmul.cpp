// Products of matrices: what the kernels access, counted element by element, what is refused, checked and concluded.

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/access/site.hpp"
#include "probes/kernels/matmul/matmul_check.hpp"
#include "probes/kernels/matmul/matmul_sites.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::kernels::test_matmul {

namespace {

const char* const by_hand[] = {"row", "column", "rows-in-shared", "tile-16", "tile-32", "outputs-2", "outputs-64"};

Case product(const std::string& by, std::uint64_t m, std::uint64_t n, std::uint64_t k,
             const std::string& type = "float") {
  return test::any_case("matmul",
                        {{"matmul", by}, {"product_m", m}, {"product_n", n}, {"product_k", k}, {"type", type}});
}

Workload describe(const Case& tested) { return tested.probe->describe(tested, test::some_device()); }

const access::Site& site(const Workload& workload, const std::string& name, access::Op op) {
  for (const access::Site& site : workload.sites) {
    if (site.name == name && site.op == op) return site;
  }
  throw std::logic_error("no site " + name);
}

access::SiteCost cost(const Workload& workload, const std::string& name, access::Op op) {
  return access::summarise(site(workload, name, op)).cost;
}

Outcome reading(const std::string& by, double gflop_per_s, std::uint64_t n = 4096) {
  return test::outcome("matmul", {{"matmul", by}, {"product_n", n}}, gflop_per_s);
}

}  // namespace

TEST_CASE("matmul: what kinds of requests cost is what all of them cost", "[matmul]") {
  constexpr std::uint64_t shapes[][3] = {{1, 1, 1},    {5, 33, 7},     {33, 64, 31},
                                         {64, 40, 20}, {130, 132, 36}, {45, 129, 131}};
  for (const char* by : by_hand) {
    for (const char* type : {"float", "double"}) {
      for (const auto& [m, n, k] : shapes) {
        for (const access::Site& site : describe(product(by, m, n, k, type)).sites) {
          INFO(by << " " << type << " " << m << " " << n << " " << k << " " << site.name << " " << to_string(site.op));
          access::Site every = site;
          every.kinds.clear();
          every.passes = 1;
          const access::SiteCost exact = access::summarise(every, every.requests).cost;
          const access::SiteCost by_kind = access::summarise(site).cost;
          std::uint64_t requests = 0;
          for (const access::RequestKind& kind : site.kinds) requests += kind.count;
          CHECK(requests == site.requests);
          CHECK(by_kind.sectors_per_request == Approx(exact.sectors_per_request));
          CHECK(by_kind.lines_per_request == Approx(exact.lines_per_request));
          CHECK(by_kind.wavefronts_per_request == Approx(exact.wavefronts_per_request));
          CHECK(by_kind.efficiency == Approx(exact.efficiency));
        }
      }
    }
  }
}

TEST_CASE("matmul: every element of C is stored once, and every one of A and B loaded", "[matmul]") {
  for (const char* by : by_hand) {
    for (const std::uint64_t n : {132U, 129U}) {
      const Workload workload = describe(product(by, 45, n, 36));
      const std::map<std::string, std::uint64_t> elements = {{"A", 45 * 36}, {"B", 36 * n}, {"C", 45 * n}};
      for (const access::Site& site : workload.sites) {
        if (site.space != access::Space::global) continue;
        INFO(by << " " << n << " " << site.name);
        std::map<std::uint64_t, std::uint64_t> times;  // by address
        for (std::uint64_t k = 0; k < site.requests; ++k) {
          const access::WarpRequest request = site.request(k);
          REQUIRE(request.active != 0);
          std::set<std::uint64_t> addresses;  // which several lanes may share
          for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
            if (request.lane_active(lane)) addresses.insert(request.address[lane]);
          }
          for (const std::uint64_t address : addresses) ++times[address];
        }
        CHECK(times.size() * site.word_bytes == elements.at(site.name) * sizeof(float));
        for (const auto& [address, number] : times) CHECK(number == site.passes);
        if (site.name == "C") CHECK(site.passes == 1);
      }
    }
  }
}

TEST_CASE("matmul: along rows loads coalesce, down columns they do not", "[matmul]") {
  const Workload row = describe(product("row", 0, 1024, 0));
  CHECK(cost(row, "A", access::Op::load).sectors_per_request == 1);
  CHECK(cost(row, "B", access::Op::load).sectors_per_request == 4);
  CHECK(cost(row, "C", access::Op::store).sectors_per_request == 4);
  CHECK(site(row, "A", access::Op::load).requests == std::uint64_t{1} << 25U);
  const Workload column = describe(product("column", 0, 1024, 0));
  CHECK(cost(column, "A", access::Op::load).sectors_per_request == 32);
  CHECK(cost(column, "B", access::Op::load).sectors_per_request == 1);
  CHECK(cost(column, "C", access::Op::store).sectors_per_request == 32);
}

TEST_CASE("matmul: tiles are read from global memory once per side of them, without bank conflicts", "[matmul]") {
  for (const auto& [by, side] : {std::pair{"tile-16", 16U}, {"tile-32", 32U}, {"outputs-2", 32U}}) {
    INFO(by);
    const Workload workload = describe(product(by, 0, 1024, 0));
    CHECK(site(workload, "A", access::Op::load).passes == 1024 / side);
    CHECK(cost(workload, "A", access::Op::load).sectors_per_request == 4);
    CHECK(cost(workload, "B", access::Op::load).efficiency == 1);
    CHECK(cost(workload, "tiles", access::Op::store).wavefronts_per_request == 1);
    CHECK(cost(workload, "tile of B", access::Op::load).wavefronts_per_request == 1);
    // A word of 16 bytes that half a warp or all of it wants.
    CHECK(cost(workload, "tile of A", access::Op::load).wavefronts_per_request == 2);
  }
}

TEST_CASE("matmul: outputs in registers have no bank conflicts, whatever moves at once", "[matmul]") {
  struct Expected {
    const char* type;
    std::uint64_t n;
    double store_a;  ///< wavefronts of a store of the transposed tile
    double store_b;
  };
  for (const Expected& expected :
       {Expected{"float", 1024, 1, 4}, {"float", 1023, 1, 1}, {"double", 1024, 2, 4}, {"double", 1023, 2, 2}}) {
    INFO(expected.type << " " << expected.n);
    const Workload workload = describe(product("outputs-64", 1024, expected.n, 1024, expected.type));
    CHECK(cost(workload, "tile of A", access::Op::store).wavefronts_per_request == expected.store_a);
    CHECK(cost(workload, "tile of B", access::Op::store).wavefronts_per_request == expected.store_b);
    CHECK(cost(workload, "tile of A", access::Op::load).wavefronts_per_request == 2);
    CHECK(cost(workload, "tile of B", access::Op::load).wavefronts_per_request == 2);
    if (expected.n == 1024) {
      CHECK(cost(workload, "A", access::Op::load).efficiency == 1);
      CHECK(cost(workload, "B", access::Op::load).efficiency == 1);
      CHECK(cost(workload, "C", access::Op::store).efficiency == 1);
    }
  }
}

TEST_CASE("matmul: each thread of a register block has squares of its own, and all bring every element", "[matmul]") {
  using Block = RegisterBlock<4>;
  std::set<std::pair<std::uint32_t, std::uint32_t>> outputs;
  for (std::uint32_t thread = 0; thread < Block::threads; ++thread) {
    for (std::uint32_t i = 0; i < Block::outputs; ++i) {
      for (std::uint32_t j = 0; j < Block::outputs; ++j) {
        outputs.emplace(Block::row(thread, i / Block::group) + i % Block::group,
                        Block::column(thread, j / Block::group) + j % Block::group);
      }
    }
  }
  CHECK(outputs.size() == Block::side * Block::side);
  CHECK(outputs.rbegin()->first == Block::side - 1);
  for (const std::uint32_t width : {1U, 4U}) {
    std::set<std::uint32_t> of_a;
    std::set<std::uint32_t> of_b;
    for (std::uint32_t word = 0; word < Block::words(width) * Block::threads; ++word) {
      of_a.insert(Block::place_in_a(Block::row_in_a(word, width), Block::column_in_a(word, width)));
      of_b.insert(Block::place_in_b(Block::row_in_b(word, width), Block::column_in_b(word, width)));
    }
    CHECK(of_a.size() * width == Block::side * Block::depth);
    CHECK(of_b.size() * width == Block::side * Block::depth);
    CHECK(*of_a.rbegin() < Block::depth * Block::pitch);
    CHECK(*of_b.rbegin() < Block::depth * Block::side);
  }
}

TEST_CASE("matmul: sizes and operations", "[matmul]") {
  const Workload workload = describe(product("tile-32", 6000, 4800, 4000, "double"));
  CHECK(workload.useful_flops == std::uint64_t{2} * 6000 * 4800 * 4000);
  CHECK(workload.double_precision);
  CHECK(workload.useful_bytes_read == (std::uint64_t{6000} * 4000 + std::uint64_t{4000} * 4800) * 8);
  CHECK(workload.useful_bytes_written == std::uint64_t{6000} * 4800 * 8);
  CHECK(workload.blocks == 188 * 150);
  CHECK(workload.modelled());
  const Workload library = describe(product("cublas", 0, 128, 0));
  CHECK(library.kernel.empty());
  CHECK(library.sites.empty());
  CHECK_FALSE(library.modelled());
  CHECK(library.useful_flops == std::uint64_t{2} << 21U);
}

TEST_CASE("matmul: rows in shared memory say what they take of it, which may be more than there is", "[matmul]") {
  CHECK(describe(product("rows-in-shared", 0, 1024, 0, "double")).shared_bytes_per_block == 131'072);
  CHECK(describe(product("rows-in-shared", 0, 4096, 0)).shared_bytes_per_block == 262'144);
}

TEST_CASE("matmul: the elements that are checked are spread over C, edges of tiles among them", "[matmul]") {
  for (const ProductShape& shape : {ProductShape{4096, 4096, 4096}, ProductShape{6000, 4801, 4000}}) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> checked;
    std::set<std::uint32_t> rows;
    std::set<std::uint32_t> columns;
    std::uint32_t corners = 0;
    for (std::uint32_t i = 0; i < checked_entries; ++i) {
      const ProductEntry entry = checked_entry(i, shape);
      REQUIRE(entry.row < shape.m);
      REQUIRE(entry.column < shape.n);
      checked.emplace(entry.row, entry.column);
      rows.insert(entry.row);
      columns.insert(entry.column);
      const auto at_edge = [](std::uint32_t place) { return place % 16 == 0 || place % 16 == 15; };
      if (at_edge(entry.row) && at_edge(entry.column)) ++corners;
    }
    CHECK(checked.size() > 12'000);
    CHECK(rows.size() > shape.m / 2);
    CHECK(columns.size() > shape.n / 2);
    CHECK(corners >= checked_entries / 4);
    for (const std::uint32_t row : {0U, shape.m - 1}) {
      for (const std::uint32_t column : {0U, shape.n - 1}) CHECK(checked.contains({row, column}));
    }
  }
}

TEST_CASE("matmul: the peak is the roofline of ordinary instructions", "[matmul]") {
  Device device = test::some_device();
  device.memory_clock_hz = 3'201'000'000;
  device.memory_bus_bits = 6016;
  device.sm_clock_hz = 1'980'000'000;
  for (const auto& [type, peak] : {std::pair{"float", 66'908.16}, {"double", 33'454.08}}) {
    const Case tested = product("outputs-64", 0, 128, 0, type);
    CHECK(tested.probe->headline.peak(describe(tested), device).value_or(0) == Approx(peak));
    CHECK(tested.probe->headline.from_seconds(describe(tested), 1e-3).value_or(0) ==
          Approx(2 * 128. * 128 * 128 * 1e-6));
  }
  // 2 n^3 flops on 3 n^2 floats: so few bytes are enough for 5.33 flops each of 4814 GB/s.
  const Case small = product("row", 0, 32, 0);
  CHECK(small.probe->headline.peak(describe(small), device).value_or(0) == Approx(25'676.3).epsilon(1e-5));
  CHECK(small.probe->metrics.front().from_seconds(describe(small), 1).value_or(0) == Approx(16 / 3.));
  device.compute_capability = "99.0";
  const Case tested = product("row", 0, 128, 0);
  CHECK_FALSE(tested.probe->headline.peak(describe(tested), device));
}

TEST_CASE("matmul: the conclusion says what each step gains, and why", "[matmul]") {
  const std::vector<Outcome> outcomes = {
      reading("row", 5000),         reading("column", 500),   reading("rows-in-shared", 5100),
      reading("tile-16", 6000),     reading("tile-32", 7000), reading("outputs-2", 10000),
      reading("outputs-64", 40000), reading("cublas", 50000), reading("row", 9000, 1024)};
  CHECK(test::advice(outcomes) ==
        "4096 x 4096 x 4096 in float is fastest by hand with outputs-64: 40.0 TFLOP/s, 80 % of cuBLAS without tensor "
        "cores (50.0 TFLOP/s). 8 x 8 outputs a thread reach 40.0 TFLOP/s, 4.00 x the rate of outputs-2: 16 elements "
        "from shared memory make 64 multiplications. Threads along the columns of C take 10 x as long as threads along "
        "its rows: each access touches 32 rows instead of coalescing. Whole rows of A in shared memory gain nothing "
        "over row, with 1.02 x its rate: L1 serves an element of A to all lanes as well. Tiles of 16 x 16 in shared "
        "memory reach 6.00 TFLOP/s, 1.20 x the rate of row: each element is loaded once per 16 outputs. Tiles of 32 x "
        "32 reach 7.00 TFLOP/s, 1.17 x the rate of tile-16: each element is loaded once per 32 outputs. Two outputs a "
        "thread reach 10.0 TFLOP/s, 1.43 x the rate of tile-32: an element of B from shared memory serves both.");
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 7);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{6, 7});
  CHECK(facts[1].kind == FactKind::fastest);
  CHECK(std::get<double>(facts[1].values[1].items[0]) == 4);
  CHECK(facts[2].kind == FactKind::costs);
  CHECK(facts[3].kind == FactKind::as_fast_as);
  CHECK(facts[3].outcomes == std::vector<std::size_t>{2, 0});
  CHECK(test::advice({reading("tile-16", 600)}) == "4096 x 4096 x 4096 in float is fastest with tile-16: 600 GFLOP/s.");
  CHECK(test::advice({reading("cublas", 600)}).empty());
}

TEST_CASE("matmul: gains are said beside the predicted ones, and none where intervals overlap", "[matmul]") {
  const auto with = [](const std::string& by, double measured, double predicted) {
    Outcome outcome = reading(by, measured);
    outcome.predicted = predicted;
    return outcome;
  };
  Outcome row = with("row", 5000, 4000);
  Outcome tile = with("tile-16", 6000, 5000);
  const Outcome column = with("column", 500, 200);
  const std::string advice = test::advice({row, column, tile, with("tile-32", 6000, 5500)});
  CHECK(advice.find("take 10 x (predicted 20 x) as long as") != std::string::npos);
  CHECK(advice.find("reach 6.00 TFLOP/s, 1.20 x (predicted 1.25 x) the rate of row:") != std::string::npos);
  CHECK(advice.find("nothing over tile-16, with 1.00 x (predicted 1.10 x) its rate:") != std::string::npos);
  row.interval = {4500, 5800};
  tile.interval = {5700, 6100};
  CHECK(test::conclusion({row, tile}).facts.back().kind == FactKind::as_fast_as);
  CHECK(test::advice({row, tile}).find("nothing over row, with 1.20 x (predicted 1.25 x) its rate:") !=
        std::string::npos);
}

}  // namespace gpumem::kernels::test_matmul
