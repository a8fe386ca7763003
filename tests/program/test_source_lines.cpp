#include <cstdint>
#include <random>
#include <string>

#include "program/read/site_names.hpp"
#include "program/read/source_lines.hpp"
#include "program/results/program.hpp"
#include "tests/catch.hpp"
#include "tests/program/raw_writer.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::program::test_source_lines {

namespace {

namespace test = gpumem::test;

constexpr const char* strided = "_Z7stridedPKfPfi";
constexpr const char* tile = "_Z4tileIfEvPKT_PS0_";

/// Compiled from lines.cu beside it.
std::string cubin() { return test::content_of(test::source_folder() / "tests/program/raw/lines.cubin"); }

std::string text(const std::optional<SourceLine>& line) {
  return line ? line->folder + "|" + line->file + ":" + std::to_string(line->line) : "none";
}

}  // namespace

TEST_CASE("lines of instructions are as nvdisasm has them", "[program][lines]") {
  const SourceLines lines(cubin());
  CHECK(text(lines.find(strided, 0xd0)) == "/tmp/source|lines.cuh:4");  // inlined
  CHECK(text(lines.find(strided, 0xf0)) == "/tmp/source|lines.cu:12");
  CHECK(text(lines.find(strided, 0x120)) == "/tmp/source|lines.cu:14");
  CHECK(text(lines.find(tile, 0x50)) == "/tmp/source|lines.cu:21");
  CHECK(text(lines.find(tile, 0xd0)) == "/tmp/source|lines.cu:21");
  CHECK(text(lines.find(tile, 0xf0)) == "/tmp/source|lines.cu:23");
  CHECK(text(lines.find(tile, 0x1b0)) == "/tmp/source|lines.cu:6");  // called, in the kernel's own section
  CHECK(text(lines.find(tile, 0x10000)) == "none");                  // behind its end
  CHECK(text(lines.find("_Z5otherv", 0x50)) == "none");
}

TEST_CASE("what is no line table has no lines", "[program][lines]") {
  CHECK(!SourceLines().find(strided, 0));
  CHECK(!SourceLines("").find(strided, 0));
  CHECK(!SourceLines("\177ELF\2\1").find(strided, 0));
  CHECK(!SourceLines(std::string(10000, '\377')).find(strided, 0));
}

TEST_CASE("damaged machine code knows fewer lines", "[program][lines][hostile]") {
  const std::string whole = cubin();
  REQUIRE(whole.size() > 1000);
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 61) {
    static_cast<void>(SourceLines(whole.substr(0, bytes)).find(strided, 0xd0));
  }
  std::mt19937 random(1);
  for (unsigned round = 0; round < 2000; ++round) {
    std::string damaged = whole;
    for (unsigned i = 0; i < 1 + random() % 30; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    static_cast<void>(SourceLines(damaged).find(strided, 0xd0));
  }
}

TEST_CASE("kernels have short names", "[program][lines]") {
  CHECK(short_name("bad(float const*, float*)") == "bad");
  CHECK(short_name("void at::native::elementwise_kernel<128, 4, (lambda(int)#1)>(int, std::pair<int, int>)") ==
        "elementwise_kernel");
  CHECK(short_name("void (anonymous namespace)::copy<float>(float const*) [clone .constprop.0]") == "copy");
  CHECK(short_name("triton_poi_fused_add_0") == "triton_poi_fused_add_0");
  CHECK(short_name("") == "");
  CHECK(short_name(")") == ")");
  CHECK(short_name("<>") == "<>");
}

TEST_CASE("sites are named by their lines where these are known", "[program][lines]") {
  const auto site = [](std::uint64_t pc) { return test::streaming(inject::RawOp::load, 1000, 4, pc); };
  test::RawWriter writer;
  writer.device(test::h200()).image(1, cubin()).kernel(1, strided, 1).kernel(2, strided).kernel(3, tile, 1);
  writer.slot(1, 1, 1e3, 1);
  writer.slot(2, 1, 1e3, 1).block[0] = 32;
  inject::Site outside = site(0x7f1234);
  outside.flags = inject::raw_outside_kernel;
  // Two of one line are one site.
  writer.sample(0, {site(0x100), site(0x120), site(0xd0), outside});
  writer.sample(1, {site(0xf0)});
  const test::TemporaryDirectory folder;
  writer.write(folder.path());
  std::vector<std::string> names;
  for (const report::Record& record : program_report(read_raw_data(folder.path()), {}).results) {
    for (const report::SiteRecord& site_record : record.access) {
      names.push_back(site_record.site + " " + std::to_string(site_record.requests.value_or(0)));
    }
  }
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"function called by strided, at 0x7f1234 1000", "lines.cu:14 2000",
                                          "lines.cuh:4 1000", "strided+0xf0 1000"});
}

}  // namespace gpumem::program::test_source_lines
