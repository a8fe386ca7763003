#include "report/text/kernel_names.hpp"
#include "report/text/text.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_kernel_names {

namespace {

using Names = std::vector<std::string>;

const std::string fill =
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, "
    "at::native::FillFunctor<float>, std::array<char*, 1ul>)";
const std::string add =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >("
    "int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";

std::string shortened(const std::string& name, std::size_t width) {
  return short_kernel_names(Names{name}, width).front();
}

}  // namespace

TEST_CASE("a kernel's name is as full as there is room", "[kernel_names]") {
  CHECK(shortened(fill, 120) ==
        "at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul>>");
  CHECK(shortened(fill, 80) == "vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1ul>>");
  CHECK(shortened(fill, 50) == "vectorized_elementwise_kernel<…FillFunctor…>");
  CHECK(shortened(fill, 30) == "vectorized_elementwise_kernel");
  CHECK(shortened(fill, 15) == "…FillFunctor…");
  CHECK(shortened(fill, 10) == "vectorize…");
}

TEST_CASE("different kernels have different names", "[kernel_names]") {
  CHECK(short_kernel_names(Names{fill, add, fill}, 30) == Names{"…FillFunctor…", "…CUDAFunctor_add…", "…FillFunctor…"});
  for (std::size_t width = 6; width < 150; ++width) {
    const Names all = short_kernel_names(Names{fill, add, "gemm(int)", "gemm(float)", "gemm", "void gemm<3>()"}, width);
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO(all[i] << " at " << width);
      CHECK(display_width(all[i]) <= width);
      CHECK(std::ranges::count(all, all[i]) == 1);
    }
  }
}

TEST_CASE("any name is taken apart where it can be", "[kernel_names]") {
  CHECK(shortened("saxpy", 40) == "saxpy");
  CHECK(shortened("triton_poi_fused_add_0d1d2de", 40) == "triton_poi_fused_add_0d1d2de");
  CHECK(shortened("(anonymous namespace)::k(int*) [clone .constprop.0]", 12) == "k");
  CHECK(shortened("(anonymous namespace)::k(int*)", 40) == "(anonymous namespace)::k");
  CHECK(shortened("Grid<2>::walk(int) const", 40) == "Grid<2>::walk");
  CHECK(shortened("std::enable_if<(1>0), void>::type f<int>(int)", 40) == "f<int>");
  CHECK(shortened("decltype (a->b) g<int>(int)", 40) == "g<int>");
  for (const std::string name : {"", "(", ")", "<", ">", "a<", "a>", "f()", "::", "a::", " ", ">>(", "->", "a b"}) {
    INFO(name);
    CHECK(display_width(shortened(name, 8)) <= 8);
  }
}

}  // namespace gpumem::report::test_kernel_names
