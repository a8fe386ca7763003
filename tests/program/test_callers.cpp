#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "program/read/compiled_operators.hpp"
#include "program/read/host_code.hpp"
#include "program/read/raw_callers.hpp"
#include "program/results/program.hpp"
#include "tests/catch.hpp"
#include "tests/program/raw_writer.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::program::test_callers {

namespace {

namespace test = gpumem::test;
using test::RawCallerFrame;

const RawCallerFrame linear{"/venv/lib/python3.12/site-packages/torch/nn/modules/linear.py", 125, "Linear.forward",
                            true, "torch.nn.modules.linear"};
const RawCallerFrame forward{"/home/me/net/model.py", 57, "Net.forward", false, "net.model"};
const RawCallerFrame train{"/home/me/train.py", 12, "<module>", false, "__main__"};

/// A process that launches one kernel, whose only site is this.
test::RawWriter one_kernel(const inject::Site& site) {
  test::RawWriter writer;
  writer.device(test::h200()).kernel(1, "_Z4copyPfPKf").slot(1, 10, 100e3);
  writer.sample(0, {site});
  return writer;
}

report::Record record_of(const test::RawWriter& writer) {
  const test::TemporaryDirectory folder;
  writer.write(folder.path());
  const report::Report report = program_report(read_raw_data(folder.path()), {});
  REQUIRE(report.results.size() == 1);
  return report.results.front();
}

const inject::Site site = test::streaming(inject::RawOp::load, 1 << 20, 1024);

// Addresses in host.cc's program: within the calls, before the addresses that these return to.
constexpr std::uint64_t in_inner = 0x1037;
constexpr std::uint64_t in_outer = 0x1059;

std::string content(const char* name) { return test::content_of(test::source_folder() / "tests/program/raw" / name); }

std::string text(const HostPlace& place) {
  return place.function + " " +
         (place.line ? place.line->folder + "|" + place.line->file + ":" + std::to_string(place.line->line) : "none");
}

}  // namespace

TEST_CASE("the nearest line of the program's own asked for a launch", "[program][callers]") {
  const report::Record record = record_of(one_kernel(site).caller(0, {linear, forward, train}, "aten::linear"));
  CHECK(record.caller == "model.py:57 in Net.forward");
  CHECK(record.operator_name == "aten::linear");
  REQUIRE(record.called_from);
  REQUIRE(record.called_from->size() == 3);
  CHECK((*record.called_from)[0].library);
  CHECK((*record.called_from)[0].module == "torch.nn.modules.linear");
  CHECK((*record.called_from)[1].file == "/home/me/net/model.py");
  CHECK((*record.called_from)[1].line == 57);
  CHECK((*record.called_from)[1].language == "python");
  CHECK((*record.called_from)[2].function == "<module>");
}

TEST_CASE("generated code says which operators a kernel was fused of", "[program][callers]") {
  const std::string source =
      "def triton_():\n"
      "    # Original ATen: [aten.of_another]\n"
      "def call(args):\n"
      "    s = 1\n"
      "    # Topologically Sorted Source Nodes: [y, z], Original ATen: [aten.add, aten.relu]\n"
      "    triton_poi_fused_add_relu_0.run(x)\n"
      "    # Source Nodes: [w], Original ATen: [aten.sum\n"
      "    triton_red_fused_sum_1.run(x)\n";
  const auto at = [&](std::uint64_t line) {
    std::istringstream in(source);
    return compiled_operators(in, line);
  };
  CHECK(at(6) == "aten::add, aten::relu");
  CHECK(at(4).empty());
  CHECK(at(8) == "aten::add, aten::relu");  // what is not whole says nothing
  CHECK(at(1000) == "aten::add, aten::relu");
  CHECK(compiled_operators("/nowhere/torchinductor_me/a.py", 3).empty());
  CHECK(compiled_operators("/etc/passwd", 3).empty());
}

TEST_CASE("what is not known is left out", "[program][callers]") {
  CHECK_FALSE(record_of(one_kernel(site)).caller);
  CHECK_FALSE(record_of(one_kernel(site)).operator_name);
  CHECK_FALSE(record_of(one_kernel(site)).called_from);
  CHECK_FALSE(record_of(one_kernel(site)).access.front().array);
  const report::Record within_library = record_of(one_kernel(site).caller(0, {linear}));
  CHECK_FALSE(within_library.caller);
  REQUIRE(within_library.called_from);
  CHECK(within_library.called_from->size() == 1);
  CHECK(record_of(one_kernel(site).caller(0, {}, "aten::mul.Tensor (MulBackward0)")).operator_name ==
        "aten::mul.Tensor (MulBackward0)");
  CHECK(record_of(one_kernel(site).caller(0, {train})).caller == "train.py:12");
  CHECK(record_of(one_kernel(site).caller(0, {{"train.py", 0, "main"}})).caller == "train.py in main");
}

TEST_CASE("the launch that is shown has its own caller", "[program][callers]") {
  test::RawWriter writer = one_kernel(site);
  writer.caller(0, {train}, "", 3).caller(0, {forward}, "", 0);
  CHECK(record_of(writer).caller == "model.py:57 in Net.forward");
}

/// Returns a frame of code without lines, whose file is gone: only the names of functions that it exports are known.
RawCallerFrame native(const std::string& function, const std::string& file = "/home/me/app") {
  return {.file = file, .function = function, .language = inject::FrameLanguage::native};
}

TEST_CASE("the runtime, stubs and code without a name are not the program's own", "[program][callers]") {
  const std::vector<RawCallerFrame> frames = {native("libcudart_static_4d8b33a106dceb3c07a56e26de61f2d53bb62a68"),
                                              native("cudaLaunchKernel"),
                                              native("_ZL26__device_stub__Z4copyPfPKfPfPKf"),
                                              native("_Z4copyPfPKf"),
                                              native("_ZN3app4stepIiEEvT_"),
                                              native("main"),
                                              native("_start")};
  const report::Record record = record_of(one_kernel(site).caller(0, frames).array(0, site, 1 << 26, frames));
  CHECK(record.caller == "app in step");
  REQUIRE(record.called_from);
  REQUIRE(record.called_from->size() == 2);
  CHECK(record.called_from->back().function == "main");
  REQUIRE(record.access.front().array);
  CHECK(record.access.front().array->made_at == "app in copy");  // no kernel's name there
  // Nothing is left.
  for (const auto& only :
       {native("libcudart_static_5382377d5c772c9d197c0cda9fd9742ee6ad893c"), native("cudaMalloc"), native("_start"),
        native("__wrapper__device_stub_copy"), native("_Z19__device_stub__copyPfPKf")}) {
    CAPTURE(only.function);
    const report::Record none = record_of(one_kernel(site).caller(0, {only}).array(0, site, 1 << 26, {only}));
    CHECK_FALSE(none.caller);
    CHECK_FALSE(none.called_from);
    REQUIRE(none.access.front().array);
    CHECK_FALSE(none.access.front().array->made_at);
  }
  // A library of headers was compiled into the program; so was something whose name was stripped.
  for (const char* function : {"_ZSt6invokeIPFvvEEvT_", "_ZN6thrust6invokeIPFvvEEEvT_", ""}) {
    CAPTURE(function);
    const report::Record outer = record_of(one_kernel(site).caller(0, {native(function), native("main")}));
    CHECK(outer.caller == "app in main");
    CHECK(outer.called_from->front().library);
  }
  // The program may call its own functions as it likes.
  CHECK(record_of(one_kernel(site).caller(0, {native("_Z9cudaSolvePf")})).caller == "app in cudaSolve");
}

TEST_CASE("files of one name are told apart by their folders", "[program][callers]") {
  test::RawWriter writer = one_kernel(site);
  writer.caller(0, {forward, {"/home/me/other/model.py", 3, "main"}});
  writer.array(0, site, 1 << 26, {{"/home/me/other/model.py", 2, "main"}});
  const report::Record record = record_of(writer);
  CHECK(record.caller == "net/model.py:57 in Net.forward");
  REQUIRE(record.access.front().array);
  CHECK(record.access.front().array->made_at == "other/model.py:2 in main");
}

TEST_CASE("a site has the array that its own requests touch", "[program][callers]") {
  const inject::Site store = test::streaming(inject::RawOp::store, 1 << 20, 4, 0x90);
  test::RawWriter writer = one_kernel(site);
  writer.array(0, store, 1 << 20, {train}).array(0, site, 1 << 26);
  const auto array = record_of(writer).access.front().array;
  REQUIRE(array);
  CHECK(array->bytes == 1 << 26);
  CHECK_FALSE(array->made_at);
}

TEST_CASE("events of callers that nobody wrote are left out", "[program][callers][hostile]") {
  const std::string frame = forward.bytes();
  const inject::CallerEvent event{.slot = 0, .frames = 1, .operator_bytes = 4};
  const std::string whole = test::bytes_of(event) + "a::b" + frame;
  REQUIRE(raw_caller(whole));
  CHECK(raw_caller(whole)->frames.front().function == "Net.forward");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) CHECK_FALSE(raw_caller(whole.substr(0, bytes)));
  std::mt19937 random(3);
  for (unsigned round = 0; round < 20000; ++round) {
    std::string damaged = whole;
    for (unsigned i = 0; i < 1 + random() % 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    static_cast<void>(raw_caller(damaged));
    static_cast<void>(raw_array(damaged));
  }
}

// host4.so and host5.so: gcc -g -gdwarf-4 (-5) -O1 -fPIC -shared -nostdlib -ffile-prefix-map=$PWD=/source host.cc

TEST_CASE("host code has functions and lines, by tables of two versions", "[program][callers]") {
  for (const auto& [name, folder] : {std::pair("host4.so", ""), std::pair("host5.so", "/source")}) {
    const HostCode code(content(name));
    CHECK(text(code.find(in_inner)) == std::string("inner ") + folder + "|host.cc:4");
    CHECK(text(code.find(in_outer)) == std::string("outer ") + folder + "|host.cc:10");
    CHECK(text(code.find(0x1041)) == std::string("inner ") + folder + "|host.cc:6");
    CHECK(text(code.find(0x1069)) == " none");  // behind its end
    CHECK(text(code.find(0x10)) == " none");
    CHECK(text(code.find(1U << 30U)) == " none");
  }
}

TEST_CASE("damaged host code knows less", "[program][callers][hostile]") {
  CHECK(text(HostCode("").find(1)) == " none");
  for (const char* name : {"host4.so", "host5.so"}) {
    const std::string whole = content(name);
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += 61) {
      static_cast<void>(HostCode(whole.substr(0, bytes)).find(in_inner));
    }
    std::mt19937 random(1);
    for (unsigned round = 0; round < 2000; ++round) {
      std::string damaged = whole;
      for (unsigned i = 0; i < 1 + random() % 30; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
      static_cast<void>(HostCode(damaged).find(in_inner));
    }
  }
}

TEST_CASE("a file that has changed is not asked", "[program][callers]") {
  HostCodes codes;
  const std::string file = test::source_folder() / "tests/program/raw/host5.so";
  CHECK(text(codes.find(file, 0, in_inner)) == " none");
  CHECK(text(codes.find("/nowhere", 0, in_inner)) == " none");
}

}  // namespace gpumem::program::test_callers
